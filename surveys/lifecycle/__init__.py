"""Commands and queries of surveys: drafts, closing, waves and the privacy budget."""
