"""The wire audit: what leaves a real browser is the table's channel and nothing else.

`python -m tests.audit` runs it in full and writes docs/evidence/audit-wire.md, `python -m tests.audit.leaks` runs the
tests of the tests. A short version of both is part of pytest.
"""
