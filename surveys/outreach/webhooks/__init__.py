"""Webhooks: signed events of a survey for other programs, retried for days, never one for each response."""
