#!/usr/bin/env bash
# Draws the PNG icons from the two drawings: make_icons.sh [FOLDER]; here if no folder is named.
# They are checked in, so that a build needs no program that draws (rsvg-convert, Debian package librsvg2-bin).
set -e -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
folder=${1-.}

for size in 16 22 24 32 48 64 128 256 512; do
    drawing=hearth.svg
    ((size >= 32)) || drawing=hearth-small.svg
    rsvg-convert --width "$size" --height "$size" "$drawing" --output "$folder/hearth-$size.png"
done
