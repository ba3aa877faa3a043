"""Comparing how codes are distributed in two groups of units.

``counts``        how often each code was given in a group, and in each project of it
``association``   X², G, Cramér's V, residuals
``distance``      total variation and Jensen-Shannon divergence without upward bias
``clusters``      what it does to them that reports of one project are alike
``per_code``      differences, log-odds, Holm, equivalence
``compare``       all of it, and the verdict: different, equivalent or inconclusive
``wording``       the verdict in plain words
``planning``      how large a sample would settle it
``baseline``      hits of two kinds of keywords against reports without hits
``impact``        time to close, comments and marks of groups of reports
``record``        all of it as plain mappings, ready for JSON
"""
