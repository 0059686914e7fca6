"""Researchers: access, teams, invitations, API tokens, the second factor and the audit log."""
