"""Telling another program what became of a survey: signed, tried again for days, and never one for each report."""
