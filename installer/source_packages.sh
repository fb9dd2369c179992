# shellcheck shell=bash
# Sourced by what builds from Debian's source packages.

# source_apt FOLDER TOOL ARGUMENT...: apt-get or apt-cache as TOOL, with the system's sources turned into those of source
# packages. Its configuration, lists and cache are in FOLDER, so it needs no root and changes no system. The signatures of
# the mirror are checked with the system's keys, as ever.
source_apt() {
    local folder=$1 tool=$2 list
    shift 2
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/sources.d" && : >"$folder/sources.list" || return 1
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -f $list ]] || sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$list" >>"$folder/sources.list"
    done
    for list in /etc/apt/sources.list.d/*.sources; do
        [[ ! -f $list ]] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/sources.d/${list##*/}"
    done
    "$tool" -q -o Dir::State="$folder" -o Dir::State::lists="$folder/lists" -o Dir::State::status=/var/lib/dpkg/status \
        -o Dir::Cache="$folder/cache" -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts="$folder/sources.d" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@"
}
