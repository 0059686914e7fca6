"""Outreach: invitations, mail, posters, QR codes and webhooks."""
