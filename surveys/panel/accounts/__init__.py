"""The panel's pages of accounts, teams, API tokens and the audit log."""
