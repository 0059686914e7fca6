"""Runs: from the totals of a design to its estimates, by a job."""
