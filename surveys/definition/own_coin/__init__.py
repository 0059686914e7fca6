"""Coins and dice: which tables can be tossed, and by which rules."""
