#!/usr/bin/env python3
"""Checks a folder that payload.py made; prints what is wrong and fails.

    check_payload.py --tree FOLDER [--forbid PATH]... [--baseline PREFIX=VERSION]...

No file needs newer symbols than baseline.txt, or a library that is neither in the folder nor in
host_libraries.txt; libraries are looked for relative to each file alone; no file holds a forbidden path."""
import argparse
import pathlib
import re
import sys

from baseline import baseline, numbers
from elf import Elf, is_elf
from lists import names_in

# Versions of these libraries' symbols are the host's to have; those of bundled ones come with them.
VERSION = re.compile(r"([A-Z]+)_([0-9.]+)$")


def problems_of(path, tree, limits, host):
    elf = Elf(path)
    name = path.relative_to(tree).as_posix()
    libraries = (tree / "lib").resolve()
    for library, version in sorted(elf.versions):
        if library not in host:
            continue
        match = VERSION.match(version)
        if match and match.group(1) in limits and numbers(match.group(2)) > numbers(limits[match.group(1)]):
            yield f"{name}: needs {version} of {library}, newer than {limits[match.group(1)]}"
    for library in elf.needed:
        if library not in host and not (libraries / library).is_file():
            yield f"{name}: needs {library}, which is neither here nor the host's"
    if elf.rpath is not None:
        yield f"{name}: has an RPATH ({elf.rpath}), which goes before the user's own LD_LIBRARY_PATH"
    places = (elf.runpath or "").split(":")
    if not all(place == "$ORIGIN" or place.startswith("$ORIGIN/") for place in places):
        yield f"{name}: looks for libraries in {elf.runpath}"
    elif not any((path.parent / place.replace("$ORIGIN", ".")).resolve() == libraries for place in places):
        yield f"{name}: its RUNPATH {elf.runpath} is not lib/"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", required=True, type=pathlib.Path)
    parser.add_argument("--forbid", action="append", default=[])
    parser.add_argument("--baseline", action="append", default=[])
    args = parser.parse_args()
    limits = baseline()
    limits.update(one.split("=") for one in args.baseline)
    host = names_in("host_libraries.txt")
    problems = []
    programs = 0
    for path in sorted(args.tree.rglob("*")):
        if path.is_symlink():
            problems.append(f"{path.relative_to(args.tree)}: a link; the manifest knows files only")
        elif path.is_file():
            data = path.read_bytes()
            for forbidden in args.forbid:
                if forbidden.encode() in data:
                    problems.append(f"{path.relative_to(args.tree)}: holds the path {forbidden}")
            if is_elf(path):
                programs += 1
                problems += problems_of(path, args.tree, limits, host)
    if programs == 0:
        problems.append(f"{args.tree} holds no program")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
