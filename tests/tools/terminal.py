#!/usr/bin/env python3
"""Run a command on a terminal of its own: terminal.py COLUMNS COMMAND...

What it prints goes to stdout, with '\\r\\n' as '\\n'; its exit status is ours. Keys to type come
from $KEYS. Standard error is the terminal too, unless $STDERR names a file."""
import fcntl
import os
import pty
import struct
import sys
import termios

columns = int(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    if "STDERR" in os.environ:
        os.dup2(os.open(os.environ["STDERR"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.execvp(sys.argv[2], sys.argv[2:])
keys = os.environ.get("KEYS", "").encode()
out = b""
while True:
    if keys:
        os.write(fd, keys)
        keys = b""
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
sys.stdout.flush()
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
