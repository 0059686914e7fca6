"""People: teams and their members, invitations, sign-in with a second factor, and the log of what they did."""
