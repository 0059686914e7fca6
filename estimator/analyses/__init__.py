"""Analyses requested by researchers: computed once from the totals, and stored with all their inputs.

`requests` validates what is asked, `snapshots` what it is asked of; `strata`, `versions`, `cross_tables` and `logistic`
compute, `presentation` says what came out, `exports` writes it down. See docs/how-to/analyse.md.
"""
