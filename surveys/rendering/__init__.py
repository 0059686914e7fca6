"""A frozen design as bytes: the questionnaire, the own-coin page, the paper sheet, the results page."""
