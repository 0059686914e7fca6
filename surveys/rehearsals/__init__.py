"""Rehearsals of a survey: simulated respondents of known truth, again and again, and how well the estimates hold it.

`population` says who is simulated, `services` runs it as a job through the collector and the estimator, `measuring`
keeps what came of each repetition, `findings` tells coverage, bias and width beside the plan, `drawing` draws them.
"""
