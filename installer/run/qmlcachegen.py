#!/usr/bin/env python3
"""Qt's QML compiler, with the same output for the same input.

    qmlcachegen.py ARGUMENT... -o FILE ...

qmlcachegen 6.4 declares a function's variables in the order of a hash over addresses: two runs differ, and two folders do
even with a fixed seed and fixed addresses. This runs it, then sorts each run of declarations in FILE; the compiler sees
the same program."""
import pathlib
import re
import subprocess
import sys

# A variable that stands for a register: "QString r2_1;", also with a value.
DECLARATION = re.compile(r"(?!return )[A-Za-z_][\w:<>,* ]*[ *]r\d+(_\d+)+(\{[^}]*\}| = [^;]*)?;\n?")


def in_order(lines):
    result, run = [], []
    for line in lines:
        if DECLARATION.fullmatch(line):
            run.append(line)
        else:
            result += sorted(run) + [line]
            run = []
    return result + sorted(run)


def main():
    folder = subprocess.run(["qtpaths6", "--query", "QT_INSTALL_LIBEXECS"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    status = subprocess.run([f"{folder}/qmlcachegen", *sys.argv[1:]]).returncode
    if status == 0 and "-o" in sys.argv:
        file = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(in_order(lines)), encoding="utf-8")
    sys.exit(status)


main()
