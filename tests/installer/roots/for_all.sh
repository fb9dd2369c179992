# shellcheck shell=bash
# Sourced by roots.sh: root installs for all users, one of them chats, root removes it.

# for_all NAME
for_all() {
    local name=$1 words rest
    fresh_home "$name"
    listing "$name" >"$WORK/before"
    words=$(in_root "$name" sh "$file" --system --text 2>&1) && wrong "$name: an ordinary user installed for all"
    [[ $words == *"no right to write"* ]] || wrong "$name: --system by an ordinary user: $words"
    AS=root in_root "$name" sh "$file" --system --text || wrong "$name: not installed for all users"
    [[ $(in_root "$name" sh -c 'command -v hearth') == /usr/local/bin/hearth ]] || wrong "$name: a user does not find hearth"
    [[ -n $(in_root "$name" hearth-cli run -p "What is rain?" 2>/dev/null) ]] || wrong "$name: hearth-cli gives a user no answer"
    open_window "$name" --say "What is rain?"
    wait_until 60 has_row "$name" "SELECT 1 FROM messages WHERE role = 'assistant' AND state = 'complete'" || wrong "$name: the window gives a user no answer"
    qt_is_from /usr/local
    look_at "$name" for-all
    # Where the window is: what runs elsewhere has other mounts and sees no path of it.
    words=$(nsenter --target "$window_pid" --mount --root --wd=/ /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root sh /usr/local/bin/hearth-uninstall 2>&1) &&
        wrong "$name: removed under a window that is open"
    [[ $words == *"Hearth is running"* ]] || wrong "$name: removing under an open window: $words"
    close_window
    words=$(in_root "$name" hearth-uninstall 2>&1) && wrong "$name: an ordinary user removed what is root's"
    [[ $words == *"belongs to another user"* ]] || wrong "$name: removing by an ordinary user: $words"
    AS=root in_root "$name" hearth-uninstall || wrong "$name: root cannot remove it"
    listing "$name" >"$WORK/after"
    # A user's conversations, settings and caches are that user's.
    rest=$(diff "$WORK/before" "$WORK/after" | grep '^[<>]' | grep -vE '[ /]srv/ann(/\.(local|config|cache)(/.*)?)?( |$)')
    [[ -z $rest ]] || wrong "$name: left after root removed it: $rest"
    echo "ok: $name: root installed for all users, a user chatted, root removed it without a trace"
}
