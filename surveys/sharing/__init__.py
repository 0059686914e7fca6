"""How people are led to a survey: links, codes to scan, posters."""
