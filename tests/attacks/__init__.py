"""Servers that change what respondents get, tried on whole browsers and on the check from outside.

`python -m tests.attacks`, which is `make audit-pages`, writes docs/evidence/changed-pages.md.
"""
