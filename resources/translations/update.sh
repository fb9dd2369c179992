#!/usr/bin/env bash
# Brings the translations up to date with the sources: new texts are added without a translation, and texts that are no
# more are removed. Needs lupdate of Qt 6 (Debian: qt6-l10n-tools).
#   update.sh            the files beside this script
#   update.sh FOLDER     those in FOLDER, where they are made if they are missing
set -eu -o pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
to=$(readlink -m "${1:-$here}")
cd "$here/../.."

lupdate=$(command -v lupdate-qt6 /usr/lib/qt6/bin/lupdate lupdate | head -n 1 || true)
if [[ -z $lupdate ]]; then
    echo "There is no lupdate here. On Debian: apt install qt6-l10n-tools" >&2
    exit 1
fi
mkdir -p "$to"
options=(-silent -no-obsolete -locations none -source-language en app/desktop)
"$lupdate" "${options[@]}" -ts "$to/hearth_de.ts" "$to/hearth_zh_CN.ts"
"$lupdate" "${options[@]}" -pluralonly -ts "$to/hearth_en.ts"
