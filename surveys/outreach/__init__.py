"""How people and programs are reached: invitations, mail, posters, QR codes and webhooks."""
