"""Keyword lists, their lint, the match kernel, the funnel and suggestions: which reports become candidates, and why."""
