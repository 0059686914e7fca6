"""Shared modules of the estimator: jobs, wording, languages, charts, typesetting."""
