"""Statistics: pure functions from arrays and frames to values. No files, no clock, no global random state.

Random generators and seeds are arguments. A statistic that does not exist is an
:class:`~issuebook.model.estimate.Estimate` with a reason, never NaN.
"""
