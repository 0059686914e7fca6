"""Blind invitations: keys, the signing of what is not seen, who may fetch a token, and the page on which it is made."""
