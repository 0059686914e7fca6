"""The HTTP API under /api/v1/: thin views on the services and selectors that the panel uses too."""
