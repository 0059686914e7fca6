"""Analyses: questions that a researcher asks of the totals once, kept with everything that they were computed from.

`requests` validates what is asked, `snapshots` what it is asked of; `strata`, `versions`, `cross_tables` and `logistic`
compute, `presentation` says what came out, `exports` writes it down. See docs/analysis.md.
"""
