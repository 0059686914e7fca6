"""Rendering of a frozen design: the questionnaire, the own-coin page, the paper sheet, the results page."""
