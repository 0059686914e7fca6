"""Small pictures of each type, with parts that must not stay."""

import struct
import zlib
from base64 import b64decode, b64encode

from surveys.definition.pictures import PNG

SECRET = b"Alexanderplatz, camera 42"
"""What a camera or an editor wrote into a file, which no respondent may get."""

_JPEG = b64decode(
    "/9j/4AAQSkZJRgABAQEAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSEx"
    "IQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkLEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAARCAAQ"
    "ABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABwQF/8QAJBAAAQQBBAICAwAAAAAAAAAAAQIDBAYFBwgSExEiABQJMTL/xAAVAQEBAA"
    "AAAAAAAAAAAAAAAAAABv/EACMRAAECBQMFAAAAAAAAAAAAAAECEQMEBQYhABIxFRZhgeH/2gAMAwEAAhEDEQA/ABSm0mobc8HmExLUlRzzEWPk"
    "JWW+ulrsaUVAseUgslSlH9LKuPryIKuWPZdskzXmm3fX5m2nF4GlVxx/HOpx4ks51+MiU/Iaad7UcUo4tILoS4kqcWkezS0hO/HvuRp0rO6hWn"
    "WO1UisZVuFi4GFeyEpmGepa5S5SWVPuciFKRFLgSrwetnyPIB+Vb4N9mKhQMzo5po9XLdDs9d6ZVix2VEhiL9kuNPxw2gEKcDQ/rs8AuA8VAe0"
    "vdl7VOYn+27flGAUgmITjbhSmCg3BYlyeWDkMolvw4KOp1KM6iCNvngZHwetf//Z"
)
_WEBP = b64decode(
    "UklGRqgBAABXRUJQVlA4WAoAAAAQAAAADwAADwAAQUxQSMMAAAABJ6KokSTleucYX+ffKpmImP90cY3gJjDi4Yt3MsjBEVyDKzDosHgVjnhRNc"
    "EIDAJPkqBqsFUZHNa2bUYvTsZ2PLbtd/uvKa4hov9J0f2PkPe6REkkGzolkTTzFG0Ox9PlFiD0CxS+kOGDtxoynjaCfx0pfk52CPuInrOR75lz"
    "Rugygtv4zEiy90UwfSD9NheMITJWLaXWayO8XeOlWRXVnIGk2W6WdYoYMQ+KqixQNPowgt+6a1BSKbUtz+lUFAoBAAAAVlA4IL4AAACQAgCdAS"
    "oQABAAAwA0JbACdDBPCIUMfAMdCCz96AD+/XSg/QKbH4r3Q3ycN/bSDK/T/zVo4u6nvclvG/SqxWOuup+XhN9BojvaW+Tv+MvxvX/hr/o/5Qns"
    "9LtmX/+qKdl/yWznhuasl7nkxvSTI4xf3Y85VSB/lU/8Ofj/b9JrA+ifvIOYZm2x1RP/dhfmsf5diuSfR7+z+r/+HR3zEo/+XM/B+vkYw73Pzx"
    "+ROaAB/ZoBSzEs3rzZe6qsAAAA"
)
"""16 x 16 points, from the tests of CPython (Lib/test/test_email/data)."""


def png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int = 60, height: int = 40, *more: bytes, shade: int = 120) -> bytes:
    """A PNG in colour, with further parts behind its header."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    row = b"\0" + b"".join(bytes([x * 3 % 256, shade, 90]) for x in range(width))
    parts = [
        png_chunk(b"IHDR", header),
        *more,
        png_chunk(b"IDAT", zlib.compress(row * height)),
        png_chunk(b"IEND", b""),
    ]
    return PNG + b"".join(parts)


def png_with_secret() -> bytes:
    return png(60, 40, png_chunk(b"tEXt", b"Comment\0" + SECRET), png_chunk(b"eXIf", exif())) + SECRET


def exif(orientation: int = 1) -> bytes:
    """EXIF as cameras write it: one entry, the orientation, and a text behind it."""
    return b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0) + b"\0\0\0\0" + SECRET


def jpeg(orientation: int = 1) -> bytes:
    """A JPEG with EXIF and a comment, and something behind its end."""
    marked = b"Exif\0\0" + exif(orientation)
    parts = [b"\xff\xe1" + struct.pack(">H", len(marked) + 2) + marked]
    parts.append(b"\xff\xfe" + struct.pack(">H", len(SECRET) + 2) + SECRET)
    return _JPEG[:2] + b"".join(parts) + _JPEG[2:] + SECRET


def webp(orientation: int = 1) -> bytes:
    """A WebP with EXIF."""
    inner = _WEBP[12:] + b"EXIF" + struct.pack("<I", len(exif(orientation))) + exif(orientation)
    inner += b"\0" * (len(inner) % 2)
    return b"RIFF" + struct.pack("<I", len(inner) + 4) + b"WEBP" + inner


def base64(content: bytes) -> str:
    return b64encode(content).decode()
