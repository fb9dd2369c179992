#!/usr/bin/env python3
"""Makes the folder that the Linux installer carries: what `cmake --install` placed, and everything it needs of
Qt and other libraries, so that it runs on a system without them.

    payload.py --stage PREFIX --qml FOLDER --out FOLDER

PREFIX is where `cmake --install --prefix` wrote; FOLDER of --qml is scanned for imports. OUT must not exist.
The lists beside this file say what is brought, what is the host's, and why. Fails rather than leave
something out."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

from elf import Elf, is_elf
from lists import names_in

PLUGINS = "lib/qt6/plugins"
MODULES = "lib/qt6/qml"
FALLBACK = "lib/hearth-fallback"
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"]


def fail(text):
    sys.exit(f"payload.py: {text}")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def copy(source, target):
    """The file's bytes; its mode by what it is, not by who built. Links become what they lead to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        fail(f"{target} would be written twice")
    shutil.copyfile(source, target)
    runs = os.access(source, os.X_OK) and "bin" in target.parts[-2:]
    target.chmod(0o755 if runs else 0o644)


def copy_tree(source, target):
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy(path, target / path.relative_to(source))


def copy_modules(qml_sources, out):
    """The modules that the sources import, and what those import, without what only tools read."""
    qt_qml = pathlib.Path(output_of("qtpaths6", "--query", "QT_INSTALL_QML").strip())
    scanner = pathlib.Path(output_of("qtpaths6", "--query", "QT_INSTALL_LIBEXECS").strip()) / "qmlimportscanner"
    found = json.loads(output_of(str(scanner), "-rootPath", str(qml_sources), "-importPath", str(qt_qml)))
    folders = {pathlib.Path(one["path"]) for one in found if one.get("path") and one["type"] == "module"}
    if not folders:
        fail(f"the import scanner found no module in {qml_sources}")
    for folder in sorted(folders):
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.suffix != ".qmltypes":
                copy(path, out / MODULES / folder.relative_to(qt_qml) / path.name)


def find_library(name):
    for folder in output_of("ld", "--verbose").split('SEARCH_DIR("=')[1:]:
        path = pathlib.Path(folder.split('"')[0]) / name
        if path.is_file():
            return path
    return None


def elf_files(out):
    return [path for path in sorted(out.rglob("*")) if path.is_file() and is_elf(path)]


def copy_libraries(out):
    """What is needed by what is there, and so on, but for the host's."""
    host = names_in("host_libraries.txt")
    used = set()
    waiting = [(name, "loaded_by_name.txt") for name in names_in("loaded_by_name.txt")]
    for path in elf_files(out):
        waiting += [(name, path.name) for name in Elf(path).needed]
    done = set()
    while waiting:
        name, needed_by = waiting.pop()
        if name in host:
            used.add(name)
        if name in host or name in done:
            continue
        done.add(name)
        library = find_library(name)
        if library is None:
            fail(f"{needed_by} needs {name}, which this system does not have")
        copy(library, out / "lib" / name)
        waiting += [(needed, name) for needed in Elf(library).needed]
    unused = [name for name in host if name not in used]
    if unused:
        fail(f"host_libraries.txt: needed by nothing: {' '.join(unused)}")


def finish_elf(out):
    """Without symbols that only debuggers read, and with the place of the libraries, relative to each file."""
    for path in elf_files(out):
        path.chmod(0o755)  # strip and patchelf write anew
        strip = "--strip-all" if path.parent.name == "bin" else "--strip-unneeded"
        subprocess.run(["strip", strip, "--remove-section=.comment", str(path)], check=True)
        up = os.path.relpath(out / "lib", path.parent)
        place = "$ORIGIN" if up == "." else f"$ORIGIN/{up}"
        subprocess.run(["patchelf", "--set-rpath", place, str(path)], check=True)
        path.chmod(0o755 if path.parent.name == "bin" else 0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", required=True, type=pathlib.Path)
    parser.add_argument("--qml", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()
    if args.out.exists():
        fail(f"{args.out} is there already")
    for program in ("bin/hearth", "bin/hearth-cli"):
        if not (args.stage / program).is_file():
            fail(f"{args.stage} has no {program}")
    for folder in ("bin", "share"):
        copy_tree(args.stage / folder, args.out / folder)
    (args.out / "bin/qt.conf").write_text(
        f"[Paths]\nPrefix = ..\nPlugins = {PLUGINS}\nQmlImports = {MODULES}\n")
    plugins = pathlib.Path(output_of("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
    for name in names_in("plugins.txt"):
        if not (plugins / name).is_file():
            fail(f"the plugin {name} is not installed")
        copy(plugins / name, args.out / PLUGINS / name)
    copy_modules(args.qml, args.out)
    loader = find_library("libvulkan.so.1")
    if loader is None:
        fail("libvulkan.so.1 is not installed")
    copy(loader, args.out / FALLBACK / "libvulkan.so.1")
    for font in FONTS:
        path = pathlib.Path("/usr/share/fonts/truetype/dejavu") / font
        if not path.is_file():
            fail(f"{path} is missing: install fonts-dejavu-core")
        copy(path, args.out / "share/hearth/fonts" / font)
    copy_libraries(args.out)
    finish_elf(args.out)


main()
