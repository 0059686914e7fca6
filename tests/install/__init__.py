"""The commands of docs/install.md, run on an empty machine: `python -m tests.install`."""
