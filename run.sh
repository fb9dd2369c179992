#!/usr/bin/env bash
# Hearth from a clean checkout to a conversation: installs what is missing, builds, starts.
#
#   ./run.sh                  the desktop app; without a display a chat in the terminal
#   ./run.sh "What is rain?"  prints one answer and ends
#   ./run.sh --chat           a chat in the terminal
set -u -o pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1

case ${1-} in
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' run.sh
        exit 0
        ;;
    --chat)
        if (($# > 1)); then
            printf 'run.sh: --chat takes nothing after it; ./run.sh --help lists what there is\n' >&2
            exit 2
        fi
        ;;
    "") ;;
    -*)
        printf 'run.sh: unknown option %s; ./run.sh --help lists what there is\n' "$1" >&2
        exit 2
        ;;
esac

source .ci/steps.sh

install_packages build run
configure
build hearth hearth-cli

# Text is UTF-8 everywhere; a bare system may have no locale at all.
if [[ $(locale charmap 2>/dev/null) != UTF-8 ]]; then
    export LC_ALL=C.UTF-8
fi

# Not exec: the command line tells how long its own process took, and a shell turned into it would count the build.
if [[ ${1-} == --chat ]]; then
    "$HEARTH_BUILD/bin/hearth-cli" run --chat
    exit
fi
if (($# > 0)) && [[ -n $* ]]; then
    "$HEARTH_BUILD/bin/hearth-cli" run -p "$*"
    exit
fi
if [[ $(uname) == Linux && -z ${DISPLAY-} && -z ${WAYLAND_DISPLAY-} ]]; then
    say "There is no display here, so this is the chat in the terminal. /quit ends it."
    "$HEARTH_BUILD/bin/hearth-cli" run --chat
    exit
fi
"$HEARTH_BUILD/bin/hearth"
status=$?
# 128 + a signal that the user or the session sent is no failure to explain.
if ((status != 0 && status != 130 && status != 143)); then
    fail "run the desktop app (exit status $status)" \
        "Its last messages are above. If the display (DISPLAY=${DISPLAY-} WAYLAND_DISPLAY=${WAYLAND_DISPLAY-})" \
        "is not usable from here, chat in the terminal: ./run.sh --chat"
fi
