"""The forms of the survey editor."""
