"""Rehearsals of a survey: simulated respondents of known truth, again and again, and how well the estimates do.

`population` draws the respondents, `services` runs a rehearsal as a job through the collector and the estimator,
`measures` stores each repetition's estimates, `findings` computes coverage, bias and width beside the plan.
"""
