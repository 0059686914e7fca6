"""`make reference`: write the pages of docs that are made from the code."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from docs.make.pages import DOCS, PAGES  # noqa: E402

for name, text in PAGES.items():
    (DOCS / name).write_text(text(), encoding="utf-8")
