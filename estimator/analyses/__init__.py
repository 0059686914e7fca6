"""Analyses: questions that a researcher asks of the totals once, kept with everything that they were computed from.

`asking` reads what is asked, `snapshots` what it is asked of; `strata`, `versions`, `crossing` and `logistic` compute,
`showing` says what came out, `exports` writes it down. See docs/analysis.md.
"""
