from django.db import models

from collector.models import FrozenDesign


class PlainReport(models.Model):
    nonce = models.CharField(max_length=32, unique=True)
    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT)
    stratum = models.CharField(max_length=64)
    report = models.CharField(max_length=2048)

    class Meta:
        app_label = "plain"

    def __str__(self) -> str:
        return "a report"
