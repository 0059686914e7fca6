"""The planner, and rehearsals with simulated respondents.

`parameters` validates what is asked for, `question` makes the mechanism, `forecast` computes what to expect, `advice`
the warnings, `charts` and `curves` the pictures, `presentation` the texts for the page and for its script.
"""
