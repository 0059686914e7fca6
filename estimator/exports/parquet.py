"""The estimates as Parquet: the columns of the CSV file with types and labels."""

from datetime import datetime
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from estimator.base.cells import Watch
from estimator.exports.columns import Column
from estimator.exports.tables import estimates
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import ReportContext

TYPES = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "moment": pa.timestamp("us", tz="UTC")}


def parquet_file(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write one row per estimate; unknown values are null."""
    table = estimates(results.read(run, context))
    fields = [pa.field(one.name, TYPES[one.kind], metadata={"label": one.label}) for one in table.columns]
    schema = pa.schema(fields, metadata={"design_digest": run.design_id, "run": run.key})
    arrays = [pa.array([_value(one, row[one.name]) for row in table.rows], TYPES[one.kind]) for one in table.columns]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), out, compression="zstd")
    watch(1.0)


def _value(column: Column, value: Any) -> Any:
    return datetime.fromisoformat(value) if column.kind == "moment" and value is not None else value
