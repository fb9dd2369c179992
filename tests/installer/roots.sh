#!/usr/bin/env bash
# The real installer on systems that have nothing of ours: roots.sh [FILE.run [PART...]], else one that installer/build.sh makes, and all parts.
# Debian 12 and 13 with the libraries of every desktop and no Qt, a minimal Debian 12, and Debian 11, which is too old. An ordinary user, a network
# without a route. The roots are made once, in build-roots/ or the folder HEARTH_INSTALLER_ROOTS, from the mirror that this machine's own apt uses;
# pictures of the windows are left there.
# Exit status: 0; 1 with what is wrong; 77 where a root cannot be made, with the reason in the last line.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

source tests/installer/roots/common.sh
source tests/installer/roots/window.sh
source tests/installer/roots/desktop.sh
source tests/installer/roots/upgrade.sh
source tests/installer/roots/other_qt.sh
source tests/installer/roots/for_all.sh
source tests/installer/roots/wayland.sh

((EUID == 0)) || not_here "it needs root"
for tool in debootstrap Xvfb setpriv xdotool weston wl-copy python3; do
    command -v $tool >/dev/null || not_here "$tool is not installed"
done
unshare --mount --net true 2>/dev/null || not_here "this system allows no mounts or networks of its own"

# debian11 is too old: a sentence, and nothing written.
refused() {
    local words status
    fresh_home debian11
    listing debian11 >"$WORK/before"
    words=$(in_root debian11 sh "$file" --text 2>&1)
    status=$?
    listing debian11 >"$WORK/after"
    ((status == 1)) && [[ $words == *"glibc 2.31, and glibc 2.35 is needed"* ]] || wrong "Debian 11: $status: $words"
    cmp "$WORK/before" "$WORK/after" || wrong "Debian 11: something was written"
    echo "ok: debian11: $words"
}

# Without the libraries of a desktop: hearth-cli.
minimal() {
    local words answer
    fresh_home minimal
    words=$(in_root minimal sh "$file" --text 2>&1) || wrong "minimal: $words"
    [[ $words == *"only hearth-cli will run"* && $words == *libX11.so.6* ]] || wrong "minimal: it does not say what the window lacks: $words"
    answer=$(in_root minimal hearth-cli run -p "What is rain?" 2>/dev/null) && [[ -n $answer ]] || wrong "minimal: no answer"
    in_root minimal hearth-cli devices >"$WORK/devices" 2>&1
    ! grep -q "no Vulkan loader" "$WORK/devices" || wrong "minimal: the bundle's Vulkan loader is not found: $(cat "$WORK/devices")"
    in_root minimal hearth-cli plan --solver paper --assume-gpu 1G,900,20 >/dev/null 2>"$WORK/plan" || echo "note: plan: $(tail -n 1 "$WORK/plan")"
    echo "ok: minimal: \"$answer\""
}

if (($# > 0)); then
    RUN=$(readlink -f "$1")
    shift
else
    installer/build.sh || exit 1
    RUN=$(ls "$PWD"/dist/hearth-*-linux-x86_64.run) || exit 1
fi
readonly RUN
(($# > 0)) || set -- refused minimal "desktop debian12" "desktop debian13" "wayland debian12" "wayland debian13" "other_qt debian12" "for_all debian12" "upgrades debian12"
mkdir -p "$WORK" || exit 1
make_root minimal bookworm
make_root debian12 bookworm "$DESKTOP,libglib2.0-0,libpng16-16"
make_root debian13 trixie "$DESKTOP,libglib2.0-0t64,libpng16-16t64"
make_root debian11 bullseye
make_next
start_display
for part in "$@"; do
    $part
done
echo "All of it went well."
