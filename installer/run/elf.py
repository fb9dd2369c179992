"""What the installer must know of a program or library, as readelf tells it."""
import re
import subprocess


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


class Elf:
    """needed: names of libraries; runpath: or None; rpath: the older, stronger form; versions: of symbols,
    as in GLIBC_2.34, by the library that must have them."""

    def __init__(self, path):
        text = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", str(path)], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        self.needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        self.runpath = next(iter(re.findall(r"\(RUNPATH\).*\[(.*)\]", text)), None)
        self.rpath = next(iter(re.findall(r"\(RPATH\).*\[(.*)\]", text)), None)
        self.versions = set()
        # "Version needs section" lists a file and below it the versions wanted of it.
        needs = text.partition("Version needs section")[2]
        library = None
        for line in needs.splitlines():
            if match := re.search(r"File: (\S+)", line):
                library = match.group(1)
            elif match := re.search(r"Name: (\S+)\s+Flags: (\S+)", line):
                if "WEAK" not in match.group(2):
                    self.versions.add((library, match.group(1)))
