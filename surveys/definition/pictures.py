"""Pictures that authors bring: read, bounded, and written anew without what is no picture in them.

A PNG is decompressed and compressed again; of JPEG and WebP only the parts that a picture is made of stay. So no place,
camera, date, name or thumbnail of the author's travels to respondents. SVG is refused: it is a program, not a picture.
"""

import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.utils.translation import gettext

from collector.designs.blocks import LONGEST_SIDE
from collector.errors import ValidationError
from estimator.base.languages import filled

MOST_BYTES = 300 * 1024
"""Maximum bytes of a picture, as it is brought and as it is kept."""

PNG = b"\x89PNG\r\n\x1a\n"
PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""Allowed bits by colour type."""

PNG_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""The passes of an interlaced PNG: first column and row, and steps."""

JPEG_KEPT = {0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD}
JPEG_FRAMES = {0xC0, 0xC1, 0xC2}
JFIF = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
ORIENTATION = 0x0112
UPRIGHT = 1


@dataclass(frozen=True)
class CleanPicture:
    """A picture as it is kept; `type` is also the end of its name."""

    type: str
    width: int
    height: int
    content: bytes

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """The picture as a definition names it, without its alternative text."""
        return {"digest": self.digest, "type": self.type, "width": self.width, "height": self.height}


def clean_picture(data: bytes, *, longest: int = LONGEST_SIDE) -> CleanPicture:
    """Read a PNG, JPEG or WebP and write it without anything else in it. Raises ValidationError.

    `longest` is the maximum width and height of one that is for less than a whole page.
    """
    if len(data) > MOST_BYTES:
        raise _refused(
            filled(
                gettext("must have at most {most_bytes:,} bytes; this one has {count:,}"),
                most_bytes=MOST_BYTES,
                count=len(data),
            )
        )
    reader = _reader_of(data)
    try:
        picture = reader(data)
    except (struct.error, IndexError, zlib.error):
        raise _refused(gettext("is damaged: it ends too early or cannot be unpacked")) from None
    if max(picture.width, picture.height) > longest:
        raise _refused(
            gettext("must be at most {longest} pixels wide and high; this one is {width} x {height}").format(
                longest=longest, width=picture.width, height=picture.height
            )
        )
    if len(picture.content) > MOST_BYTES:
        raise _refused(
            filled(
                gettext("must have at most {most_bytes:,} bytes; after conversion it has {count:,}"),
                most_bytes=MOST_BYTES,
                count=len(picture.content),
            )
        )
    _require_decodable(picture)
    return picture


def _reader_of(data: bytes) -> Callable[[bytes], CleanPicture]:
    if data.startswith(PNG):
        return _png
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp
    svg = gettext("; SVG can contain scripts") if b"<svg" in data[:1024].lower() else ""
    raise _refused(gettext("must be PNG, JPEG or WebP{svg}").format(svg=svg))


def _require_decodable(picture: CleanPicture) -> None:
    """Decode the whole picture, as a browser will."""
    import typst  # only now: no process needs the typesetter at its start

    page = f'#set page(width: 8pt, height: 8pt, margin: 0pt)\n#image("picture.{picture.type}", width: 8pt, height: 8pt)'
    with tempfile.TemporaryDirectory(prefix="candor-picture-") as folder:
        (Path(folder) / f"picture.{picture.type}").write_bytes(picture.content)
        (Path(folder) / "page.typ").write_text(page, encoding="utf-8")
        try:
            typst.compile(Path(folder) / "page.typ", root=Path(folder), format="png", ppi=72)
        except typst.TypstError:
            raise _refused(gettext("is damaged: it cannot be decoded")) from None


def _png(data: bytes) -> CleanPicture:
    header, palette, packed = b"", b"", b""
    kept: list[bytes] = []
    for name, content in _png_chunks(data):
        match name:
            case b"IHDR" if not header:
                header = content
            case b"PLTE" | b"tRNS" if header and not packed:
                kept.append(_chunk(name, content))
                palette = content if name == b"PLTE" else palette
            case b"IDAT" if header:
                packed += content
            case b"IEND":
                break
            case _ if name[0] & 0x20 == 0:
                raise _refused(gettext("is damaged: it has a part that no PNG has"))
    width, height, depth, colour, packing, filtering, interlaced = struct.unpack(">IIBBBBB", header)
    _require_size(width, height)
    if (
        depth not in PNG_DEPTHS.get(colour, ())
        or packing
        or filtering
        or interlaced > 1
        or (colour == 3) > bool(palette)
    ):
        raise _refused(gettext("is damaged: its header is not that of a PNG"))
    rows = list(_png_rows(width, height, depth * PNG_SAMPLES[colour], interlaced=bool(interlaced)))
    size = sum(rows)
    unpacker = zlib.decompressobj()
    unpacked = unpacker.decompress(packed, size + 1)
    if len(unpacked) != size or not unpacker.eof:
        raise _refused(gettext("is damaged: its pixels do not fill its size"))
    content = PNG + _chunk(b"IHDR", header) + b"".join(kept)
    content += _chunk(b"IDAT", zlib.compress(unpacked, 9)) + _chunk(b"IEND", b"")
    return CleanPicture("png", width, height, content)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(PNG)
    while place < len(data):
        size, name = struct.unpack(">I4s", data[place : place + 8])
        content, end = data[place + 8 : place + 8 + size], place + 8 + size
        if struct.unpack(">I", data[end : end + 4])[0] != zlib.crc32(name + content):
            raise _refused(gettext("is damaged: a checksum is wrong"))
        yield name, content
        place = end + 4


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _png_rows(width: int, height: int, bits: int, *, interlaced: bool) -> Iterator[int]:
    """The number of bytes of each row, with the one that says how it is filtered."""
    for left, top, right, down in ADAM7 if interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(width - left) // right), -(-(height - top) // down)
        if columns > 0 and rows > 0:
            yield rows * (1 + (columns * bits + 7) // 8)


def _jpeg(data: bytes) -> CleanPicture:
    kept, place, size = [b"\xff\xd8", JFIF], 2, (0, 0)
    scanned = False
    while True:
        while data[place] == 0xFF and data[place + 1] == 0xFF:
            place += 1
        if data[place] != 0xFF:
            raise _refused(gettext("is damaged: a part does not begin where the last one ends"))
        marker = data[place + 1]
        if marker == 0xD9:
            break
        length = struct.unpack(">H", data[place + 2 : place + 4])[0]
        part, place = data[place : place + 2 + length], place + 2 + length
        if len(part) != 2 + length or length < 2:
            raise _refused(gettext("is damaged: it ends too early or cannot be unpacked"))
        if marker in JPEG_FRAMES:
            size = _jpeg_frame(part, first=size == (0, 0))
        if marker == 0xDA:
            end = _end_of_scan(data, place)
            part, place, scanned = part + data[place:end], end, True
        if marker == 0xE1 and part[4:10] == b"Exif\x00\x00":
            _require_upright(part[10:])
        if marker in JPEG_KEPT or marker == 0xDA or (marker == 0xEE and part[4:9] == b"Adobe" and len(part) == 16):
            kept.append(part)
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            raise _refused(
                gettext("is a JPEG of a kind that browsers do not show: baseline and progressive ones are accepted")
            )
    if not scanned or size == (0, 0):
        raise _refused(gettext("is damaged: it has no picture"))
    return CleanPicture("jpg", *size, b"".join([*kept, b"\xff\xd9"]))


def _jpeg_frame(part: bytes, *, first: bool) -> tuple[int, int]:
    bits, height, width, components = struct.unpack(">BHHB", part[4:10])
    if not first or bits != 8 or components not in (1, 3):
        raise _refused(gettext("must be a JPEG in grey or colour with 8 bits"))
    _require_size(width, height)
    return width, height


def _end_of_scan(data: bytes, place: int) -> int:
    """Where the compressed points end: at the next marker that is neither a stuffed byte nor a restart."""
    while True:
        place = data.find(b"\xff", place)
        if place < 0:
            raise IndexError
        if data[place + 1] == 0 or 0xD0 <= data[place + 1] <= 0xD7:
            place += 2
        else:
            return place


def _webp(data: bytes) -> CleanPicture:
    size = struct.unpack("<I", data[4:8])[0]
    if len(data) < size + 8:
        raise IndexError
    place, kept, found = 12, list[bytes](), dict[bytes, bytes]()
    while place < size + 8:
        name, length = struct.unpack("<4sI", data[place : place + 8])
        content = data[place + 8 : place + 8 + length]
        if len(content) != length or name in found:
            raise _refused(gettext("is damaged: a part is missing or repeated"))
        found[name] = content
        place += 8 + length + length % 2
    if {b"ANIM", b"ANMF"} & set(found):
        raise _refused(gettext("must not be animated; this WebP is"))
    if exif := found.get(b"EXIF"):
        _require_upright(exif.removeprefix(b"Exif\x00\x00"))
    points = found.get(b"VP8L") or found[b"VP8 "] if {b"VP8L", b"VP8 "} & set(found) else b""
    lossless = b"VP8L" in found
    width, height = _webp_size(points, lossless=lossless)
    _require_size(width, height)
    if b"ALPH" in found and not lossless:
        canvas = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
        kept += [_riff(b"VP8X", b"\x10\x00\x00\x00" + canvas), _riff(b"ALPH", found[b"ALPH"])]
    kept.append(_riff(b"VP8L" if lossless else b"VP8 ", points))
    body = b"WEBP" + b"".join(kept)
    return CleanPicture("webp", width, height, b"RIFF" + struct.pack("<I", len(body)) + body)


def _webp_size(points: bytes, *, lossless: bool) -> tuple[int, int]:
    if lossless and points[0] == 0x2F:
        bits = struct.unpack("<I", points[1:5])[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if not lossless and points[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", points[6:10])
        return width & 0x3FFF, height & 0x3FFF
    raise _refused(gettext("is damaged: it has no picture"))


def _riff(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\x00" * (len(content) % 2)


def _require_upright(exif: bytes) -> None:
    """Refuse a picture that only its metadata turn: without them it would lie on its side."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None:
        return
    start = struct.unpack(f"{order}I", exif[4:8])[0]
    count = struct.unpack(f"{order}H", exif[start : start + 2])[0]
    for place in range(start + 2, start + 2 + 12 * count, 12):
        tag, _kind, _count, value = struct.unpack(f"{order}HHIH", exif[place : place + 10])
        if tag == ORIENTATION and value != UPRIGHT:
            raise _refused(gettext("is turned only by its metadata: rotate it in an image editor and save it again"))


def _require_size(width: int, height: int) -> None:
    if not (1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE):
        raise _refused(
            gettext("must be at most {longest} pixels wide and high; this one is {width} x {height}").format(
                longest=LONGEST_SIDE, width=width, height=height
            )
        )


def _refused(reason: str) -> ValidationError:
    return ValidationError(("picture",), reason)
