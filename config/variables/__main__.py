"""`python -m config.variables` writes the tables of docs/configuration.md."""

from config.variables.document import write

write()
