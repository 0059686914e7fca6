"""`python -m config.variables` writes the tables of docs/reference/configuration.md."""

from config.variables.document import write

write()
