"""The endpoint of respondents: what a stranger can send is limited and parsed here."""
