# shellcheck shell=bash
# Sourced by roots.sh. An upgrade beside an open window, killed at moments all over it, with what a user has: chats, a draft in the message
# field, a chosen model and a setting. After each kill the old or the new version runs and goes on with all of them.

readonly MOMENTS=${HEARTH_INSTALLER_KILLS:-30}
readonly ALL_CHATS="SELECT id, title, created_at, active_leaf FROM conversations ORDER BY id"
readonly ALL_MESSAGES="SELECT id, conversation_id, parent_id, role, state, content, created_at FROM messages ORDER BY id"

current_of() {
    readlink "$WORK/$1/srv/ann/.local/lib/hearth/current"
}

# The log of the window that was opened after mark_log.
mark_log() {
    log_before=$(stat -c %s "$WORK/$1/srv/ann/.local/share/Hearth/hearth.log" 2>/dev/null || echo 0)
}

log_of_this_start() {
    tail -c +$((log_before + 1)) "$WORK/$1/srv/ann/.local/share/Hearth/hearth.log"
}

log_has() {
    log_of_this_start "$1" 2>/dev/null | grep -qF "$2"
}

# Types into the field of a new chat and waits until it is on the disk.
write_draft() {
    keys ctrl+n
    type_text "$2"
    wait_until 20 has_row "$1" "SELECT 1 FROM drafts WHERE conversation_id = 0 AND text = '$2'" || wrong "$1: the draft '$2' is not stored"
}

# Sends what stands in the field of the window that was just opened, and waits for the answer.
send_draft() {
    keys Return
    wait_until 60 has_row "$1" "SELECT 1 FROM messages a JOIN messages q ON a.parent_id = q.id WHERE q.content = '$2' AND a.state = 'complete'" ||
        wrong "$1: the draft '$2' was not in the field, or has no answer: $(query "$1" "SELECT role, state, content FROM messages ORDER BY id DESC LIMIT 2")"
}

# upgrades NAME
upgrades() {
    local name=$1 home=$WORK/$1/srv/ann old took began i moment draft now late olds=0 news=0 ended=0
    fresh_home "$name"
    in_root "$name" sh "$file" --text >/dev/null 2>&1 || wrong "$name: not installed"
    old=$(current_of "$name")
    mkdir "$home/My models" && cp "$home/.local/lib/hearth/current/share/hearth/starter-model/"*.gguf "$home/My models/chosen.gguf" &&
        chroot "$WORK/$name" chown -R ann:ann "/srv/ann/My models" || exit 1

    mark_log "$name"
    open_window "$name" "/srv/ann/My models/chosen.gguf"
    wait_until 60 log_has "$name" "model ready: /srv/ann/My models/chosen.gguf "
    type_text "What is rain?"
    keys Return
    wait_until 60 has_row "$name" "SELECT 1 FROM messages WHERE role = 'assistant' AND state = 'complete'" || wrong "$name: no answer"
    keys ctrl+plus # a setting: larger text
    wait_until 20 grep -q . "$home/.config/Hearth/hearth.ini"
    write_draft "$name" "draft 1"
    look_at "$name" before-upgrade

    # How long it takes here, with the window open.
    began=$(date +%s%N)
    in_root "$name" sh "$next" --text >/dev/null 2>&1 && window_is_open || wrong "$name: an upgrade beside an open window failed"
    took=$((($(date +%s%N) - began) / 1000000))
    late=$took
    in_root "$name" sh "$file" --text >/dev/null 2>&1 || wrong "$name: no way back to the old version"

    # An upgrade that was over before its kill counts as none, and the next ones are killed earlier.
    for ((i = 1; i <= MOMENTS + ended && ended < MOMENTS; ++i)); do
        draft="draft $i"
        query "$name" "$ALL_CHATS" >"$WORK/chats-before" && query "$name" "$ALL_MESSAGES" >"$WORK/messages-before"
        grep -v '^\[\|^$' "$home/.config/Hearth/hearth.ini" | sort >"$WORK/settings-before"
        # Half of them all over it, half where the renames are: later than what left the old version, earlier than what was over.
        moment=$((took * i / (MOMENTS + ended + 1)))
        ((i % 2)) || moment=$late
        if in_root "$name" setsid --wait timeout --signal KILL "$(awk "BEGIN { print $moment / 1000 }")" sh "$next" --text >/dev/null 2>&1; then
            ((++ended, took = moment, late = moment - moment / 25))
        elif [[ $(current_of "$name") == "$old" ]]; then
            ((i % 2)) || ((late += took / 20))
        fi
        window_is_open || wrong "$name: a kill at $moment ms ended the open window"
        if ((i % 4 < 2)); then close_window; else kill_window; fi

        now=$(current_of "$name")
        if [[ $now == "$old" ]]; then ((++olds)); else ((++news)); fi
        in_root "$name" hearth-cli --version >/dev/null || wrong "$name: no hearth-cli after a kill at $moment ms"
        mark_log "$name"
        open_window "$name"
        [[ $(readlink "/proc/$window_pid/exe") == */lib/hearth/$now/bin/hearth ]] || wrong "$name: another program than the version $now runs"
        wait_until 60 log_has "$name" "model ready: /srv/ann/My models/chosen.gguf " ||
            wrong "$name: after a kill at $moment ms another model is loaded: $(log_of_this_start "$name")"
        diff "$WORK/chats-before" <(query "$name" "$ALL_CHATS") && diff "$WORK/messages-before" <(query "$name" "$ALL_MESSAGES") ||
            wrong "$name: chats differ after a kill at $moment ms"
        grep -v '^\[\|^$' "$home/.config/Hearth/hearth.ini" | sort | diff "$WORK/settings-before" - || wrong "$name: settings differ after a kill at $moment ms"
        ((i > 1)) || look_at "$name" after-kill
        send_draft "$name" "$draft"
        write_draft "$name" "draft $((i + 1))"
        # Back to the old one, beside the window.
        words=$(in_root "$name" sh "$file" --text 2>&1) || wrong "$name: cannot be installed after a kill at $moment ms: $words"
        [[ $(current_of "$name") == "$old" ]] || wrong "$name: $(current_of "$name") runs instead of $old"
    done
    ((olds > 0 && news > ended)) || echo "note: $name: no kill fell between the switch and the end, or none before"
    look_at "$name" after-upgrades
    close_window
    in_root "$name" hearth-uninstall --purge >/dev/null 2>&1 || wrong "$name: not removed after the kills"
    rest=$(find "$home" -mindepth 1 ! -name '*.run' ! -path '*/My models*')
    [[ -z $rest ]] || wrong "$name: left after the kills: $rest"
    echo "ok: $name: $((i - 1 - ended)) kills of upgrades that take $took ms; $ended came to their end before; the old version ran after $olds, the new one after $news;" \
        "chats, draft, model and settings were there each time"
}
