"""The Parquet file of a closed design's reports, in the order of the random nonces; of a split one part by part.

Columns: `nonce` (16 bytes, as they are), `stratum`, `mode`, and `symbol_0`, `symbol_1` ... for each position. All but
the nonce are dictionaries whose codes take as few bits as there are values: a yes/no item takes one. Nothing else is in
the file but the design's digest: no time, and no order but that of the nonces. pyarrow is imported where it is used.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import Conflict
from collector.models import StoredReport

NONCE = 16
BATCH = 65_536
"""Reports decoded at a time."""

MOST_ROWS, LARGEST_GROUP = 1 << 18, 1 << 26
"""Most reports of a row group, and most bytes of one before it is packed: what is in memory."""

MISSING = "pyarrow is not installed here, and archived reports are Parquet: install requirements-formats.txt."

NO_MODES = np.zeros(0, dtype=np.uint8)


class ArchiveFault(Conflict):
    """Error: the file with archived reports is missing, damaged, or not the one that was written."""


@dataclass(frozen=True)
class Chunk:
    """Some reports: strata of shape (n,), symbols (n, positions); where asked for, nonces one by one and modes (n,)."""

    strata: NDArray[np.intp]
    symbols: NDArray[np.uint8]
    nonces: bytes = b""
    modes: NDArray[np.uint8] = field(default_factory=lambda: NO_MODES)

    def __len__(self) -> int:
        return len(self.strata)

    def records(self) -> bytes:
        """The reports as a backup has them: nonce, stratum in two bytes, mode, then a byte for each symbol."""
        width = self.symbols.shape[1]
        kind = [("nonce", "V16"), ("stratum", ">u2"), ("mode", "u1"), ("symbols", "u1", (width,))]
        rows = np.empty(len(self), dtype=kind)
        rows["nonce"] = np.frombuffer(self.nonces, dtype="V16")
        rows["stratum"], rows["mode"], rows["symbols"] = self.strata, self.modes, self.symbols
        return rows.tobytes()


@dataclass
class Contents:
    """What went through `counted`: the SHA-256 of all records, and how many there were."""

    content: str = ""
    reports: int = 0
    coin_reports: int = 0
    sheets: int = 0


def counted(chunks: Iterable[Chunk], contents: Contents, *, parts: int = 1) -> Iterator[Chunk]:
    """Pass chunks on, and fill in their contents at the end.

    Raises Conflict where nonces are not in order: they rise, but where one of the `parts` follows another.
    """
    known, last, falls = hashlib.sha256(), b"", 0
    by_hand = (StoredReport.Mode.COIN, StoredReport.Mode.PAPER)
    for chunk in chunks:
        falls += _falls(last, chunk.nonces)
        if falls >= parts:
            raise Conflict("The reports are not in the order of their nonces; nothing is archived from them.")
        last = chunk.nonces[-NONCE:] or last
        known.update(chunk.records())
        contents.reports += len(chunk)
        contents.coin_reports += int(np.isin(chunk.modes, by_hand).sum())
        contents.sheets += int((chunk.modes == StoredReport.Mode.PAPER).sum())
        yield chunk
    contents.content = known.hexdigest()


def write(file: IO[bytes], digest: str, width: int, chunks: Iterable[Chunk]) -> None:
    """Write the reports of the design with this digest, which have `width` symbols each."""
    pa, pq = _pyarrow()
    schema = _schema(pa, width)
    packed = [name for name in schema.names if name != "nonce"]
    compression = dict.fromkeys(packed, "zstd") | {"nonce": "none"}
    options = {"use_dictionary": packed, "compression": compression, "write_statistics": False}
    with pq.ParquetWriter(file, schema, write_page_checksum=True, store_schema=False, **options) as writer:
        writer.add_key_value_metadata({"candor.design": digest})
        for some in _groups(chunks, max(1, min(MOST_ROWS, LARGEST_GROUP // (NONCE + width)))):
            writer.write_table(_table(pa, schema, some))


def read(file: IO[bytes], width: int, *, nonces: bool = False, modes: bool = False) -> Iterator[Chunk]:
    """Yield the reports of a file that can be searched, a batch in memory at a time.

    Raises ArchiveFault where it is damaged: each page has a checksum.
    """
    pa, pq = _pyarrow()
    wanted = [*(["nonce"] if nonces else []), *(["mode"] if modes else []), "stratum", *_symbols(width)]
    try:
        with pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False) as found:
            for batch in found.iter_batches(batch_size=BATCH, columns=wanted, use_threads=False):
                yield _chunk(batch, width, nonces=nonces, modes=modes)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise ArchiveFault(f"The file with archived reports is damaged: {type(error).__name__}.") from None


def _schema(pa: Any, width: int) -> Any:
    kinds = {"nonce": pa.binary(NONCE), "stratum": pa.uint16(), "mode": pa.uint8()}
    kinds |= dict.fromkeys(_symbols(width), pa.uint8())
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


def _symbols(width: int) -> list[str]:
    return [f"symbol_{position}" for position in range(width)]


def _groups(chunks: Iterable[Chunk], size: int) -> Iterator[Chunk]:
    """The same reports, `size` together but for the last."""
    held: list[Chunk] = []
    count = 0
    for chunk in chunks:
        held.append(chunk)
        count += len(chunk)
        while count >= size:
            whole = _joined(held)
            yield _part(whole, 0, size)
            held, count = [_part(whole, size, count)], count - size
    if count:
        yield _joined(held)


def _joined(chunks: list[Chunk]) -> Chunk:
    return Chunk(
        np.concatenate([one.strata for one in chunks]),
        np.concatenate([one.symbols for one in chunks]),
        b"".join(one.nonces for one in chunks),
        np.concatenate([one.modes for one in chunks]),
    )


def _part(chunk: Chunk, first: int, end: int) -> Chunk:
    nonces = chunk.nonces[NONCE * first : NONCE * end]
    return Chunk(chunk.strata[first:end], chunk.symbols[first:end], nonces, chunk.modes[first:end])


def _table(pa: Any, schema: Any, chunk: Chunk) -> Any:
    nonces = pa.Array.from_buffers(pa.binary(NONCE), len(chunk), [None, pa.py_buffer(chunk.nonces)])
    columns = [nonces, pa.array(chunk.strata.astype(np.uint16)), pa.array(chunk.modes.astype(np.uint8))]
    columns += [pa.array(np.ascontiguousarray(column)) for column in chunk.symbols.T]
    return pa.Table.from_arrays(columns, schema=schema)


def _chunk(batch: Any, width: int, *, nonces: bool, modes: bool) -> Chunk:
    symbols = np.empty((batch.num_rows, width), dtype=np.uint8)
    for position, name in enumerate(_symbols(width)):
        symbols[:, position] = batch.column(name).to_numpy()
    strata = batch.column("stratum").to_numpy().astype(np.intp)
    keys = b"".join(batch.column("nonce").to_pylist()) if nonces else b""
    return Chunk(strata, symbols, keys, batch.column("mode").to_numpy() if modes else NO_MODES)


def _falls(last: bytes, nonces: bytes) -> int:
    """How many nonces are not larger than the one before; `last` is the one before the first."""
    drawn = np.frombuffer(last + nonces, dtype=">u8").reshape(-1, 2)
    before, after = drawn[:-1], drawn[1:]
    rises = (before[:, 0] < after[:, 0]) | ((before[:, 0] == after[:, 0]) & (before[:, 1] < after[:, 1]))
    return int(np.count_nonzero(~rises))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Conflict(MISSING) from None
    return pa, pq
