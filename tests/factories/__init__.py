"""Factories: documents, surveys, simulated respondents, reports and runs, made as the product makes them.

Each makes one valid thing and takes what a test changes of it as arguments.
"""
