"""Inviting people by single-use codes: made in batches, printed, mailed; who gets which is written nowhere."""
