"""Rehearsals of a survey: repeated simulations with known truth, and how good the estimates are.

`population` draws the respondents, `services` runs a rehearsal as a job through the collector and the estimator,
`measures` stores each repetition's estimates, `findings` computes coverage, bias and width beside the plan.
"""
