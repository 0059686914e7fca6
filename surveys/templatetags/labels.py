"""`|translated`: a label of a model in the reader's language."""

from django import template

from surveys.labels import translated

register = template.Library()

register.filter("translated", translated)
