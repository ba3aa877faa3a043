"""Codes that are proposed bottom-up: from the reports themselves, for a person to accept, merge, split or reject."""
