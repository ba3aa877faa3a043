"""Do the labels of several annotators look like independent judgements? Checks with a null model and an effect size.

No check speaks of intent: adjudication, filtering, imputation, or labels derived from the consensus leave the same
traces, and the data alone cannot tell which.
"""
