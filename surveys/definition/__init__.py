"""The survey language: YAML, validation, question kinds and mechanisms."""
