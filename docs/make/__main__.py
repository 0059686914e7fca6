"""`make reference`: write the pages of docs/reference that are made from the code."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from docs.make.pages import PAGES, REFERENCE  # noqa: E402

for name, text in PAGES.items():
    (REFERENCE / name).write_text(text(), encoding="utf-8")
