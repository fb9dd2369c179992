#!/usr/bin/env python3
"""Writes unicode_tables.inc: what Python's str methods know of characters (Unicode 14).

Usage: python3 make_unicode_tables.py > unicode_tables.inc
"""
import sys
import unicodedata

LAST = 0x10FFFF


def ranges(holds):
    found = []
    start = None
    for code in range(LAST + 2):
        yes = code <= LAST and holds(chr(code))
        if yes and start is None:
            start = code
        if not yes and start is not None:
            found.append((start, code - 1))
            start = None
    return found


def mappings(change):
    """Runs (first, last, step, delta) of characters that map to one other character."""
    runs = []
    for code in range(0x80, LAST + 1):
        to = change(chr(code))
        if len(to) != 1 or ord(to) == code:
            continue
        delta = ord(to) - code
        if runs and runs[-1][3] == delta:
            first, last, step, _ = runs[-1]
            gap = code - last
            if (first == last and gap <= 2) or gap == step:
                runs[-1] = (first, code, gap, delta)
                continue
        runs.append((code, code, 1, delta))
    return runs


def specials(change):
    return [(code, change(chr(code))) for code in range(0x80, LAST + 1)
            if len(change(chr(code))) > 1]


def table(name, kind, rows):
    print(f"constexpr {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        if len(line) + len(row) + 1 > 100:
            print(line)
            line = "   "
        line += " " + row
    print(line)
    print("};")


def escaped(text):
    return '"' + "".join(f"\\x{byte:02X}" for byte in text.encode()) + '"'


assert unicodedata.unidata_version == "14.0.0", unicodedata.unidata_version
print("// Written by make_unicode_tables.py from Unicode 14. Do not edit.")
for title, holds in (("kAlpha", str.isalpha), ("kPrintable", str.isprintable),
                     ("kDigit", str.isdigit), ("kDecimal", str.isdecimal),
                     ("kNumeric", str.isnumeric)):
    table(title, "ClassRange", [f"{{0x{a:X}, 0x{b:X}}}," for a, b in ranges(holds)])
for title, change in (("kUpper", str.upper), ("kLower", str.lower), ("kTitle", str.title)):
    table(title, "CaseRun",
          [f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}," for a, b, s, d in mappings(change)])
for title, change in (("kUpperSpecial", str.upper), ("kLowerSpecial", str.lower),
                      ("kTitleSpecial", str.title)):
    table(title, "CaseSpecial",
          [f"{{0x{code:X}, {escaped(text)}}}," for code, text in specials(change)])
