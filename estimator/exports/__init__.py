"""Exports of a finished run: one module per format, and the registry that lists them."""
