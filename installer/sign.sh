#!/usr/bin/env bash
# Writes FOLDER/SHA256SUMS over the released files in FOLDER, and with HEARTH_SIGNING_KEY (a file with minisign's secret
# key, without a password or with one that minisign then asks for) also SHA256SUMS.minisig.
#
#   installer/sign.sh FOLDER
#   installer/sign.sh --check FOLDER PUBLIC-KEY-FILE   whether the signature and every sum in FOLDER are right
set -u -o pipefail

if [[ ${1-} == --check ]]; then
    cd "${2:?}" || exit 1
    minisign -V -q -m SHA256SUMS -p "${3:?}" || { echo "SHA256SUMS is not signed by this key; do not use these files" >&2; exit 1; }
    sha256sum --check --strict --quiet SHA256SUMS || { echo "a file is not the one that was signed; get it again" >&2; exit 1; }
    exit 0
fi

[[ -z ${HEARTH_SIGNING_KEY-} ]] || HEARTH_SIGNING_KEY=$(readlink -f "$HEARTH_SIGNING_KEY")
cd "${1:?}" || exit 1
shopt -s nullglob
files=(hearth*.run hearth*.deb hearth*.exe hearth*.zip)
((${#files[@]} > 0)) || { echo "there is nothing to sign in $1" >&2; exit 1; }
rm -f SHA256SUMS SHA256SUMS.minisig
sha256sum "${files[@]}" >SHA256SUMS || exit 1
if [[ -n ${HEARTH_SIGNING_KEY-} ]]; then
    # The comment is part of what is signed; minisign's own would hold the time.
    minisign -S -m SHA256SUMS -s "$HEARTH_SIGNING_KEY" -t "Hearth SHA256SUMS" >/dev/null || exit 1
else
    echo "HEARTH_SIGNING_KEY is not set: SHA256SUMS is not signed" >&2
fi
