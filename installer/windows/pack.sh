#!/usr/bin/env bash
# pack.sh FOLDER VERSION OUTPUT, both from /: an installer of what is in FOLDER, by NSIS. FOLDER has bin/hearth-cli.exe and
# share/hearth/path-entry.exe, and gets the list of its files. The same files are the same bytes.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

fail() {
    printf 'installer/windows/pack.sh: %s\n' "$*" >&2
    exit 1
}

(($# == 3)) || fail "wants a folder, a version and the name of the installer"
readonly PAYLOAD=$1 VERSION=$2 OUTPUT=$3
command -v makensis >/dev/null || fail "makensis is missing; third_party/packages.txt names its package"

# The uninstaller is one of the files, though NSIS writes it.
list=share/hearth/files.txt
: >"$PAYLOAD/$list" || fail "cannot write to $PAYLOAD"
mapfile -t files < <(cd "$PAYLOAD" && find . -type f -printf '%P\n' | LC_ALL=C sort)
printf '%s\r\n' "${files[@]//\//\\}" uninstall-hearth.exe >"$PAYLOAD/$list" || fail "cannot write to $PAYLOAD"

writing=$(mktemp) || exit 1
trap 'rm -f "$writing"' EXIT
{
    printf '!macro InstallFiles folder\n'
    for file in "${files[@]}"; do
        folder=$(dirname "$file")
        printf '    SetOutPath "${folder}\\%s"\n    File "${PAYLOAD}/%s"\n' "${folder//\//\\}" "$file"
    done
    printf '!macroend\n'
} >"$writing"

find "$PAYLOAD" -exec touch -h -d '@0' {} +
SOURCE_DATE_EPOCH=0 makensis -V2 -WX -DVERSION="$VERSION" -DPAYLOAD="$PAYLOAD" -DFILES="$writing" -DOUTPUT="$OUTPUT" \
    -DKILOBYTES="$(du -sk --apparent-size "$PAYLOAD" | cut -f1)" installer/windows/hearth-cli.nsi >&2 || fail "makensis says why above"
