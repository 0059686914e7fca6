"""Public pages and endpoints of respondents: the questionnaire, the own-coin page, tokens, privacy budget."""
