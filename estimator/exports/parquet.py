"""The estimates as Parquet: the columns of the CSV file with types and labels."""

from datetime import datetime
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from estimator.base.cells import Watch
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
    arrays = []
    for one in table.columns:
        values = [row[one.name] for row in table.rows]
        if one.kind == "moment":
            values = [None if value is None else datetime.fromisoformat(value) for value in values]
        arrays.append(pa.array(values, TYPES[one.kind]))
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), out, compression="zstd")
    watch(1.0)
