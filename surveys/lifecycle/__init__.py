"""Commands and queries of surveys: drafts, opening, closing, waves, schedules and the privacy budget."""
