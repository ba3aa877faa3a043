"""The web app of ``issuebook annotate``: pages with typed contexts, thin routes, templates and small scripts.

A route parses what was sent, calls one use case for the person who asks, and renders the value that comes back. Who may
use a route stands in its signature (``access``); what every answer must carry stands in ``guard``.
"""
