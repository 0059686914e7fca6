"""Questionnaires of other tools: files become survey definitions with an import report, and definitions become files.

`formats.py` is the face: which formats there are, how a file's format is found out, `convert` and `export`.
"""
