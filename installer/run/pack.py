#!/usr/bin/env python3
"""Packs a folder into one self-extracting file. The same folder gives the same bytes.

    pack.py --tree FOLDER --version VERSION --out FILE

Writes `uninstall`, `manifest` and `folders` into the folder first. SOURCE_DATE_EPOCH is the time of all files in
it. The scripts beside this file know nothing of what they carry, but that bin/ has programs and share/ has what the
desktop reads."""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

from baseline import baseline

# Folders of share/ that the desktop reads.
SHARED = ("applications", "icons", "man", "metainfo", "mime")
HERE = pathlib.Path(__file__).resolve().parent


def fail(text):
    sys.exit(f"pack.py: {text}")


def script(*names):
    return "".join((HERE / name).read_text() for name in names)


def write_uninstaller(tree, version):
    path = tree / "uninstall"
    path.write_text(f"#!/bin/sh\n# Removes Hearth. --help says what goes and what stays.\nVERSION='{version}'\n"
                    + script("common.sh", "remove.sh") + 'uninstall_main "$@"\n')
    path.chmod(0o755)


def write_lists(tree):
    """`manifest` (as sha256sum prints it) and `folders`, deepest first: what the uninstaller may remove."""
    for name in ("manifest", "folders"):
        (tree / name).unlink(missing_ok=True)
    links = [path for path in tree.rglob("*") if path.is_symlink()]
    if links:
        fail(f"{links[0]} is a link; the manifest knows files only")
    files = [path for path in tree.rglob("*") if path.is_file()]
    lines = sorted(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)
    folders = sorted((path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_dir()),
                     key=lambda name: (-name.count("/"), name))
    for name in [line[66:-1] for line in lines] + folders:
        if any(ord(letter) <= 32 or ord(letter) >= 127 or letter in "\\\"'`$" for letter in name):
            fail(f"{name!r}: a shell would have to be careful with this name")
    (tree / "manifest").write_text("".join(lines))
    (tree / "folders").write_text("".join(f"{name}\n" for name in folders))


def set_modes(tree):
    for path in [tree, *tree.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def archive_of(tree, level):
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch.isdigit():
        fail("SOURCE_DATE_EPOCH must be set to the seconds that all files are dated with")
    tar = subprocess.Popen(["tar", "--sort=name", f"--mtime=@{epoch}", "--owner=0", "--group=0", "--numeric-owner",
                            "--format=ustar", "-cf", "-", "-C", str(tree), "."], stdout=subprocess.PIPE)
    packed = subprocess.run(["gzip", "-n", f"-{level}"], stdin=tar.stdout, stdout=subprocess.PIPE, check=True).stdout
    if tar.wait() != 0:
        fail("tar failed")
    return packed


def head_of(version, body, archive):
    """head.sh with its values. It states its own length, and in its first three lines the sum of its other ones."""
    head = script("head.sh").replace("@VERSION@", version).replace("@SCRIPT_BYTES@", str(len(body)))
    head = head.replace("@SUM@", hashlib.sha256(body + archive).hexdigest()).replace("@HEAD_SUM@", 64 * "0")
    head_bytes = len(head.encode())
    # Numbers are as wide as their names here, so that the length stays.
    for name, number in (("@HEAD_BYTES@", head_bytes), ("@FILE_BYTES@", head_bytes + len(body) + len(archive))):
        head = head.replace(name, f"{number:<{len(name)}}")
    lines = head.splitlines(keepends=True)
    rest = "".join(lines[3:])
    head = "".join(lines[:3]).replace(64 * "0", hashlib.sha256(rest.encode()).hexdigest()) + rest
    if len(head.encode()) != head_bytes:
        fail("the head's length is not what it says")
    return head.encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--level", default=9, type=int, help="of gzip")
    args = parser.parse_args()
    if not all(letter.isalnum() or letter in ".+~-" for letter in args.version):
        fail(f"{args.version!r} is no version")
    write_uninstaller(args.tree, args.version)
    set_modes(args.tree)
    write_lists(args.tree)
    set_modes(args.tree)
    sizes = [path.stat().st_size for path in args.tree.rglob("*") if path.is_file()]
    unpacked_kb = sum(-(-size // 4096) * 4 for size in sizes)
    shared = [path.relative_to(args.tree / "share").as_posix() for path in sorted((args.tree / "share").rglob("*"))
              if path.is_file()]
    shared = [name for name in shared if name.partition("/")[0] in SHARED]
    limits = baseline()
    body = (f"VERSION='{args.version}'\nunpacked_kb={unpacked_kb}\nneed_glibc={limits['GLIBC']}\nneed_cxx=GLIBCXX_{limits['GLIBCXX']}\n"
            f"shared_files='{chr(10).join(shared)}'\n"
            + script("common.sh", "remove.sh", "install.sh") + 'main "$@"\n').encode()
    archive = archive_of(args.tree, args.level)
    head = head_of(args.version, body, archive)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    partial = args.out.with_name(args.out.name + ".partial")
    partial.write_bytes(head + body + archive)
    partial.chmod(0o755)
    partial.rename(args.out)


main()
