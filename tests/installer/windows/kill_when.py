#!/usr/bin/env python3
"""Kills a program at a moment that its files tell: kill_when.py MOMENT PATH -- PROGRAM ARGUMENT...

MOMENT: there, PATH is there; gone, it was there and is no more; or a number, it has so many bytes.
Exit status: 0 killed then; 3 the program ended before, or the moment did not come within two minutes.
"""
import os
import subprocess
import sys
import time

LONGEST_WAIT_S = 120


def size(path):
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def main():
    moment, path, dashes, *command = sys.argv[1:]
    assert dashes == "--"
    path = os.path.normpath(path)  # "x/../y" is y, also where there is no x
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + LONGEST_WAIT_S
    came, was_there = False, size(path) is not None
    while not came and time.monotonic() < end:
        for _ in range(100):  # without a pause: a rename takes a fraction of a millisecond
            bytes_now = size(path)
            if moment == "gone":
                came = was_there and bytes_now is None
            else:
                came = bytes_now is not None and (moment == "there" or bytes_now >= int(moment))
            was_there = was_there or bytes_now is not None
            if came:
                break
        if not came and program.poll() is not None:
            break
    program.kill()
    return 0 if program.wait() < 0 and came else 3


sys.exit(main())
