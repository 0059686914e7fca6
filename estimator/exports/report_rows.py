"""Files with one row per report: CSV and Parquet, written in chunks from one Arrow schema."""

import json
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from estimator.base.cells import Watch
from estimator.exports import microdata
from estimator.exports.microdata import Microdata
from estimator.exports.variables import STRATUM, WARNING, background_columns, stratum_wording
from estimator.models import Run
from estimator.runs.results import ReportContext


def csv_reports(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write codes only, explained by the codebook and the design. Every cell is a number or a group's key."""
    with microdata.read(run, watch) as found:
        keys, *codes = _schema(found)
        fields = [pa.field(keys.name, keys.type.value_type), *(pa.field(one.name, one.type) for one in codes)]
        schema = pa.schema(fields)
        out.write((",".join(schema.names) + "\n").encode())
        options = pacsv.WriteOptions(include_header=False, quoting_style="none")
        with pacsv.CSVWriter(out, schema, write_options=options) as writer:
            for batch in _batches(found, watch):
                writer.write_batch(batch.cast(schema))


def parquet_reports(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write the codes as small integers; each column has its label and its codes' labels as metadata."""
    with microdata.read(run, watch) as found, pq.ParquetWriter(out, _schema(found), compression="zstd") as writer:
        for batch in _batches(found, watch):
            writer.write_batch(batch)


def _schema(found: Microdata) -> pa.Schema:
    design = found.design
    groups = {part.key: part.full_label for part in found.partition.parts}
    about = {"label": stratum_wording(design), "labels": _json(groups)}
    fields = [pa.field(STRATUM, pa.dictionary(pa.int16(), pa.string()), nullable=False, metadata=about)]
    for column in background_columns(found.partition):
        about = {"label": column.label, "labels": _json({str(code): label for code, label in column.labels.items()})}
        fields.append(pa.field(column.name, pa.int16(), nullable=False, metadata=about))
    for place, variable in enumerate(found.variables):
        labels = {str(code): label for code, label in variable.labels.items()}
        about = {"label": variable.label, "labels": _json(labels), "item": variable.item}
        fields.append(pa.field(variable.name, pa.uint8(), nullable=not found.asked[:, place].all(), metadata=about))
    whole = {"note": WARNING, "run": found.run.key, "design_digest": design.digest, "design": design.canonical}
    return pa.schema(fields, metadata=whole)


def _batches(found: Microdata, watch: Watch) -> Iterator[pa.RecordBatch]:
    schema, keys = _schema(found), pa.array(found.partition.keys, pa.string())
    columns = background_columns(found.partition)
    for strata, symbols in found.chunks(watch):
        groups = pa.DictionaryArray.from_arrays(pa.array(strata.astype(np.int16)), keys)
        told = [pa.array(column.codes[strata]) for column in columns]
        unasked = ~found.asked[strata]
        sent = [
            pa.array(np.ascontiguousarray(values), mask=missing if missing.any() else None)
            for values, missing in zip(symbols.T, unasked.T, strict=True)
        ]
        yield pa.record_batch([groups, *told, *sent], schema=schema)


def _json(labels: dict[str, str]) -> str:
    return json.dumps(labels, ensure_ascii=False)
