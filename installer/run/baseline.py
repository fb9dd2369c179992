"""Reads baseline.txt: the newest versions of symbols that shipped files may need."""
import pathlib


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def baseline():
    """{"GLIBC": "2.35", ...}"""
    versions = {}
    for line in (pathlib.Path(__file__).resolve().parent / "baseline.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words:
            prefix, version = words
            versions[prefix] = version
    return versions
