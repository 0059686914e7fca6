"""The addresses for programs, under /api/v1/: thin views of the services and selectors that the panel has too."""
