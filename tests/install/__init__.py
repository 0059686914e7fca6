"""The commands of docs/how-to/deploy.md, run on an empty machine: `python -m tests.install`."""
