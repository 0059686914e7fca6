"""What every room of the estimator uses: jobs, wording, languages, charts, typesetting."""
