"""Senders who are slow on purpose, and how many reports of others are taken meanwhile."""
