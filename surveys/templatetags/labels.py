"""`|translated` and `|translated_fault`: a model's label, and why a job failed, in the reader's language."""

from django import template

from surveys.labels import translated, translated_fault

register = template.Library()

register.filter("translated", translated)
register.filter("translated_fault", translated_fault)
