"""Runs: jobs that compute a design's estimates from its totals."""
