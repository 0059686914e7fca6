"""The planner, and rehearsals with simulated respondents.

`parameters` validates what is asked for, `question` makes the mechanism, `forecast` computes what to expect, `advice`
the warnings, `plan_charts` the pictures, `presentation` the texts for the page and for its script.
"""
