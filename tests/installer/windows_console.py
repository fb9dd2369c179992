#!/usr/bin/env python3
"""Types at a Windows console: windows_console.py SCREEN LINE... -- PROGRAM ARGUMENT...

The program's standard input and error are a console, which Wine makes of a terminal; its standard output is this
script's. A line is typed whenever the program asks with "> ". "^C" is that key. SCREEN gets what the terminal
showed, without its control sequences. Exit status: the program's; 124 where it waits for good.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

LONGEST_WAIT_S = 60


def text_of(shown):
    """What a terminal shows of these bytes; Wine moves the cursor over blanks instead of writing them."""
    text = re.sub(r"\x1b\[\d*C", " ", shown.decode("utf-8", "replace"))
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)


def main():
    screen_path, *words = sys.argv[1:]
    lines, command = words[: words.index("--")], words[words.index("--") + 1 :]
    output = os.dup(1)
    pid, terminal = pty.fork()
    if pid == 0:
        os.dup2(output, 1)
        os.execvp(command[0], command)
    # As Wine has it for as long as somebody reads: Return typed before would be another key.
    attributes = termios.tcgetattr(terminal)
    attributes[0] &= ~termios.ICRNL
    attributes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 200, 0, 0))
    shown, asked, typed_at = b"", 0, time.monotonic()
    while time.monotonic() - typed_at < LONGEST_WAIT_S:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            break
        shown += piece
        prompts = len(re.findall(r"^>", text_of(shown), re.M))
        if prompts > asked and asked < len(lines):
            line = lines[asked]
            asked += 1
            typed_at = time.monotonic()
            os.write(terminal, b"\x03" if line == "^C" else line.encode() + b"\r")
    else:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        print("the program waits for good; it showed:", text_of(shown), file=sys.stderr)
        return 124
    with open(screen_path, "w", encoding="utf-8") as file:
        file.write(text_of(shown))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


sys.exit(main())
