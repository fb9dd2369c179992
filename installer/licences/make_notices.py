#!/usr/bin/env python3
"""Writes the licences of everything in a folder that is about to be shipped.

    make_notices.py [--debian] [--ours PATTERN]... FOLDER OUT

Each file in FOLDER is one of Hearth's own (OURS below, and --ours) or belongs to an installed Debian package: libraries
are recognised by their build id, which survives stripping and a changed RUNPATH, other files by their bytes. OUT gets a
table of the packages, what the LGPL asks to be said, and the copyright file of each package. What is compiled into the
programs from headers comes from third_party/packages.txt. With --debian the licences that every Debian system has in
/usr/share/common-licenses are not repeated, as its policy asks.

libraries.txt beside this file names libraries under another licence than their source package.

Exit status 1, with a line for each fault and OUT left as it was: a file nobody owns, a package without a licence, one
under the GPL alone, a module of Qt that is GPL only. The same folder on the same system gives the same bytes.
"""

import argparse
import collections
import fnmatch
import hashlib
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DPKG_LISTS = "/var/lib/dpkg/info"
DOCS = "/usr/share/doc"
COMMON = "/usr/share/common-licenses"
WIDTH = 78  # of a line: the window shows this text in its dialogs too, and would wrap longer ones again
RULE = "=" * WIDTH

# What `cmake --install` writes, by its path in FOLDER. `*` also matches `/`.
OURS = [
    "bin/hearth", "bin/hearth-cli", "share/hearth/starter-model/*", "share/applications/hearth.desktop",
    "share/metainfo/*.hearth.Hearth.metainfo.xml", "share/mime/packages/hearth-gguf.xml",
    "share/icons/hicolor/*/apps/hearth.png", "share/icons/hicolor/scalable/apps/hearth.svg",
    "share/doc/hearth/*",
]

# Modules of Qt 6 that come under the GPL or for money, by the names of their libraries, plugins and QML folders.
GPL_QT = re.compile(
    r"libQt6(Charts|DataVisualization|Graphs|VirtualKeyboard|HunspellInputMethod|Quick3D|QuickTimeline|Bodymovin|Lottie"
    r"|NetworkAuth|ShaderTools|HttpServer|Mqtt|Coap|OpcUa|WaylandCompositor|WaylandEglCompositor|QuickEffects|Vnc"
    r"|InsightTracker|Grpc|Protobuf)"
    r"|(^|/)qml/(QtCharts|QtDataVisualization|QtGraphs|QtQuick3D|QtQuick/(VirtualKeyboard|Timeline|Effects)|QtWayland"
    r"|Qt/labs/lottieqt)(/|$)"
    r"|qtvirtualkeyboardplugin")

Package = collections.namedtuple("Package", "name version source source_version licence text")


def build_id(path):
    """The GNU build id of an ELF file as bytes; None: it is no ELF file, or has none."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF" or data[4] != 2 or data[5] != 1:  # 64 bits, little endian
        return None

    def number(at, size):
        return int.from_bytes(data[at:at + size], "little")

    offset, size, count = number(32, 8), number(54, 2), number(56, 2)  # of the program headers
    for header in range(offset, offset + size * count, size):
        if number(header, 4) != 4:  # PT_NOTE
            continue
        at = number(header + 8, 8)
        end = at + number(header + 32, 8)
        while at + 12 <= end:
            names, words, kind = number(at, 4), number(at + 4, 4), number(at + 8, 4)
            name_at = at + 12
            words_at = name_at + (names + 3) // 4 * 4
            if kind == 3 and data[name_at:name_at + names] == b"GNU\0":
                return data[words_at:words_at + words]
            at = words_at + (words + 3) // 4 * 4
    return None


def identity(path):
    """What two copies of one file have in common."""
    found = build_id(path)
    if found:
        return "build id " + found.hex()
    with open(path, "rb") as file:
        return "sha256 " + hashlib.sha256(file.read()).hexdigest()


def installed_files(names):
    """{file name: [(package, path)]} of the installed packages, for these names only."""
    found = collections.defaultdict(list)
    for entry in sorted(os.listdir(DPKG_LISTS)):
        if not entry.endswith(".list"):
            continue
        package = entry[:-len(".list")].split(":")[0]
        with open(os.path.join(DPKG_LISTS, entry), encoding="utf-8") as lines:
            for line in lines:
                path = line.rstrip("\n")
                name = os.path.basename(path)
                if name in names:
                    found[name].append((package, path))
    return found


def licence_of(text):
    """The licence of most of a package, as a machine-readable copyright file gives it; empty: it is none."""
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.M):
            licence = re.search(r"^License:[ \t]*(\S.*)$", paragraph, re.M)
            return licence.group(1).strip() if licence else ""
    return ""


def gpl_alone(licence):
    return bool(re.match(r"A?GPL", licence)) and not re.search(r"\bor\b|exception|\bLGPL", licence, re.I)


def read_libraries():
    """{package: (licence, text)} of libraries.txt."""
    libraries = {}
    name = ""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libraries.txt"), encoding="utf-8") as lines:
        for line in lines:
            found = re.match(r"([a-z0-9][a-z0-9.+-]+): (\S.*)$", line)
            if found:
                name = found.group(1)
                libraries[name] = (found.group(2), "")
            elif name and not line.startswith("#"):
                licence, text = libraries[name]
                libraries[name] = (licence, text + line.strip() + "\n")
    return libraries


def read_package(name, libraries, faults):
    path = os.path.join(DOCS, name, "copyright")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read().strip("\n")
    except OSError:
        faults.append(f"{name}: the package has no licence: there is no {path}")
        return None
    words = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}\t${source:Version}\n", name],
        check=True, capture_output=True, text=True).stdout.splitlines()[0].split("\t")
    licence, said = libraries.get(name, (licence_of(text), ""))
    if said:
        text = f"Of the library: {licence}\n\n{said.strip()}\n\nOf its source package:\n\n{text}"
    if gpl_alone(licence):
        faults.append(f"{name}: its licence is {licence}, which the programs cannot be shipped with")
    return Package(*words, licence, text)


def compiled_in():
    """The packages whose headers or sources become part of the programs."""
    names = []
    with open(os.path.join(ROOT, "third_party", "packages.txt"), encoding="utf-8") as lines:
        for line in lines:
            found = re.match(r"([a-z0-9][a-z0-9.+-]+)\s+#.*(headers only|one source file|headers of)", line, re.I)
            if found:
                names.append(found.group(1))
    return names


def owners_of(folder, ours, faults):
    """{package: [path in folder]} of what is not ours."""
    files = []
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(top, name)
            inside = os.path.relpath(path, folder)
            if GPL_QT.search(inside):
                faults.append(f"{inside}: this module of Qt is under the GPL alone")
            if os.path.islink(path):
                target = os.path.realpath(path)
                if not target.startswith(os.path.realpath(folder) + os.sep) or not os.path.exists(target):
                    faults.append(f"{inside}: a link to nothing in the folder ({os.readlink(path)})")
            elif not any(fnmatch.fnmatch(inside, pattern) for pattern in ours):
                files.append(inside)
    known = installed_files({os.path.basename(path) for path in files})
    packages = collections.defaultdict(list)
    identities = {}
    for path in files:
        mine = identity(os.path.join(folder, path))
        for package, place in known[os.path.basename(path)]:
            if place not in identities:
                identities[place] = identity(place) if os.path.isfile(place) else ""
            if identities[place] == mine:
                packages[package].append(path)
                break
        else:
            faults.append(f"{path}: nobody owns it: it is neither ours nor as an installed package has it ({mine})")
    return packages


def qt_folders(owners):
    """Where the libraries, plug-ins and QML modules of Qt lie in the folder."""
    paths = [path for files in owners.values() for path in files]
    folders = {"libraries": {os.path.dirname(path) for path in paths if re.search(r"libQt6Core\.so", path)}}
    for kind, part in (("plug-ins", "plugins"), ("QML modules", "qml")):
        folders[kind] = {path[:path.index(f"/{part}/") + len(part) + 1] for path in paths if f"/{part}/" in path}
    return [f"the {kind} in {'/, '.join(sorted(places))}/" for kind, places in folders.items() if places]


def wrapped(*sentences):
    return textwrap.wrap(" ".join(sentences), WIDTH, break_long_words=False, break_on_hyphens=False)


def qt_section(packages, owners):
    qt = [package for package in packages if package.source.startswith("qt6-")]
    if not qt:
        return ["Qt", "", *wrapped("Qt is not part of this package: the programs use that of the system.")]
    sources = sorted({f"{package.source} {package.source_version}" for package in qt})
    releases = sorted({re.split(r"[+~-]", package.version)[0] for package in qt})
    return [
        "Qt, and how to use another one", "",
        *wrapped("Hearth uses the Qt libraries under the GNU Lesser General Public License, version 3. They are Debian's,",
                 "unchanged but for the path where they look for one another."), "",
        *wrapped("Their source: Debian's source packages of exactly these versions, which every Debian mirror and Debian's",
                 "archive of old versions hold (`apt-get source NAME=VERSION`):"), "",
        *[f"    {source}" for source in sources], "",
        *wrapped("To use another Qt 6, put its files in the place of these, in the folder where Hearth is installed:",
                 ", ".join(qt_folders(owners)) + "."), "",
        *wrapped(f"A file that replaces one of them has to be of the same release, {', '.join(releases)}: Qt's libraries, plugins",
                 "and QML modules use each other's private parts. All of them together may also be of a newer 6.x.",
                 "The programs load what lies there, and check nothing. Libraries that do not find one another can be told",
                 "where they lie:"), "",
        "    patchelf --set-rpath '$ORIGIN' FILE",
    ]


def common_licences(texts):
    names = sorted({name.rstrip(".") for text in texts
                    for name in re.findall(re.escape(COMMON) + r"/([A-Za-z0-9.+-]+)", text)})
    for name in names:
        path = os.path.join(COMMON, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                yield name, file.read().strip("\n")


def read_ours(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read().strip("\n")


def brief(paths):
    """The files, and where many lie in one folder only how many."""
    folders = collections.defaultdict(list)
    for path in paths:
        folders[os.path.dirname(path)].append(path)
    for folder, files in folders.items():
        yield from files if len(files) <= 8 else [f"{folder}/ ({len(files)} files)"]


def notices(folder, ours, debian, faults):
    owners = owners_of(folder, ours, faults)
    built = compiled_in()
    libraries = read_libraries()
    packages = [package for package in (read_package(name, libraries, faults) for name in sorted(set(owners) | set(built)))
                if package]
    lines = ["Hearth: licences and notices", "", "Hearth itself is under the MIT licence:", "", read_ours("LICENSE"), "",
             *wrapped("The starter model is under CC BY-SA 4.0; its card, MODEL_CARD.md, lies beside it."), "",
             RULE, *qt_section(packages, owners), "",
             RULE, "What is in this package, and under which licence", "",
             *wrapped("Packages are Debian's, and their source is the source package named beneath. The licence is that of",
                      "most of a package; parts may have another, which its text below says."), ""]
    for package in packages:
        lines.append(f"{package.name} {package.version}: {package.licence or 'see its text'}")
        lines.append(f"    source: {package.source} {package.source_version}")
        if package.name in built:
            lines.append("    compiled into the programs")
        lines += [f"    {line}" for line in brief(owners.get(package.name, []))]
    texts = collections.defaultdict(list)
    for package in packages:
        texts[package.text].append(package.name)
    for text, names in texts.items():
        lines += ["", RULE, ", ".join(names), "", text]
    for name, text in common_licences([] if debian else texts):
        lines += ["", RULE, f"{COMMON}/{name}, which texts above refer to", "", text]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n")) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Writes the licences of everything in a folder.")
    parser.add_argument("--ours", action="append", default=[], metavar="PATTERN",
                        help="further files that are Hearth's own, by their path in FOLDER")
    parser.add_argument("--debian", action="store_true", help="leave out what /usr/share/common-licenses has")
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("out", metavar="OUT")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.folder):
        print(f"{arguments.folder}: there is no such folder", file=sys.stderr)
        return 1
    faults = []
    text = notices(arguments.folder, OURS + arguments.ours, arguments.debian, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    with open(arguments.out + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(arguments.out + ".part", arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
