#!/bin/sh
[ "$(wc -c 2>/dev/null <"$0")" -lt @HEAD_BYTES@ ] 2>/dev/null && { echo 'hearth: this file is cut short; get it again. Nothing was changed.' >&2; exit 1; }
case $({ head -c @HEAD_BYTES@ <"$0" | tail -n +4 | sha256sum; } 2>/dev/null) in @HEAD_SUM@* | e3b0c442* | '') ;; *) echo 'hearth: this file is damaged; get it again. Nothing was changed.' >&2; exit 1 ;; esac
# Hearth @VERSION@ for Linux on x86-64. To install it for yourself: sh THIS-FILE. With --help it says what else it can.
# A shell runs a script line by line: line 2 stops where the lines from here on are not whole, line 3 where they have a wrong sum. (A missing
# tool is named below; e3b0c442 is the sum of nothing.) They check the file: a script and an archive follow, and nothing of these runs before their sum is right.
head_bytes=@HEAD_BYTES@
script_bytes=@SCRIPT_BYTES@
file_bytes=@FILE_BYTES@
sum=@SUM@
stop() {
    printf 'hearth: %s\n' "$1" >&2
    [ -t 2 ] || [ -z "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || for show in 'zenity --error --text' 'kdialog --error' xmessage; do
        command -v "${show%% *}" >/dev/null && { $show "Hearth: $1" >/dev/null 2>&1; break; }
    done
    exit 1
}
for tool in sha256sum tail head wc; do
    command -v $tool >/dev/null || stop "this system has no $tool, which the installer needs; nothing was changed."
done
[ -f "$0" ] && [ -r "$0" ] || stop "the installer cannot read itself; start it as: sh THE-FILE. Nothing was changed."
found=$(wc -c <"$0")
[ "$found" -eq $file_bytes ] || stop "this file has $((found)) bytes and should have $file_bytes; get it again. Nothing was changed."
found=$(tail -c +$((head_bytes + 1)) <"$0" | sha256sum)
[ "${found%% *}" = $sum ] || stop "this file is damaged: its SHA-256 is wrong; get it again. Nothing was changed."
eval "$(tail -c +$((head_bytes + 1)) <"$0" 2>/dev/null | head -c $script_bytes)"
exit 1
