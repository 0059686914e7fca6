"""The log of pages as everybody can follow it: its tree, its signed roots, and the check of pages from outside."""
