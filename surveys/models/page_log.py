"""The model of an entry in the log of pages."""

from django.db import models


class LogEntry(models.Model):
    """An entry in the log of respondents' pages, which only grows: `leaf` is canonical JSON (lifecycle/page_log.py)."""

    position = models.PositiveBigIntegerField(primary_key=True, help_text="from 0 on, without gaps")
    leaf = models.BinaryField()

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return f"log entry {self.position}"
