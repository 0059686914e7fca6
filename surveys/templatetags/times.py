"""Filters for times: in the reader's zone and language, and as fields have them."""

from django import template

from surveys import times

register = template.Library()

register.filter("moment", times.moment)
register.filter("day", times.day)
register.simple_tag(times.zone, name="zone")
