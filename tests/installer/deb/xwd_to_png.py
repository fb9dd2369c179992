#!/usr/bin/env python3
"""xwd_to_png.py IN OUT: what Xvfb -fbdir keeps, as a PNG. Prints how many colours the picture has."""

import struct
import sys
import zlib


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    words = struct.unpack(">25I", data[:100])
    header, width, height, line, colours = words[0], words[4], words[5], words[12], words[19]
    if words[11] != 32:
        sys.exit(f"{sys.argv[1]}: {words[11]} bits a pixel instead of 32")
    pixels = data[header + 12 * colours:]
    rows = []
    seen = set()
    for y in range(height):
        row = pixels[y * line:y * line + 4 * width]
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        seen.update(zip(rgb[0::3], rgb[1::3], rgb[2::3]))
        rows.append(b"\0" + rgb)
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))
    print(len(seen))


main()
