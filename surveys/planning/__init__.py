"""The planner: truth, epsilon, respondents, width of the interval, and what a direct question needs, for one question.

`parameters` reads what is asked for, `asking` makes the mechanism, `numbers` foresees what comes of it, `advice` says
what to mind, `pictures` draws the curves, `showing` puts all of it in words for the page and for its script.
"""
