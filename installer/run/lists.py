"""Lists beside this file: NAME  # why, one a line."""
import pathlib
import sys


def names_in(file):
    """The names of a list; each line must say why."""
    names = []
    for line in (pathlib.Path(__file__).resolve().parent / file).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, why = (part.strip() for part in line.partition("#"))
        if not name or not why:
            sys.exit(f"{file}: a line without name or reason: {line}")
        names.append(name)
    return names
