"""The respondents' endpoint: limits, parsing and validation of untrusted requests."""
