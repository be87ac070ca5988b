"""The lab's stand-in for ssh: connects over the lab's network to a host and carries the streams of one command."""

import json
import os
import secrets
import selectors
import socket
import sys

from host import PORT

CONNECT_TIMEOUT_S = 5


def run_remotely(address, host, command, secret):
    """Exit code 0 when the command has ended, whatever its own code; 255 if the host cannot be reached."""
    number = secrets.token_hex(8)
    try:
        error = open_stream(address, {"secret": secret, "id": number, "stream": "error"})
        main = open_stream(address, {"secret": secret, "id": number, "command": command})
    except OSError as failure:
        print(f"lab: cannot reach host {host}: {failure.strerror or failure}", file=sys.stderr)
        return 255
    relay(main, error)
    return 0


def open_stream(address, request):
    connection = socket.create_connection((address, PORT), CONNECT_TIMEOUT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(json.dumps(request).encode() + b"\n")
    connection.settimeout(None)
    return connection


def relay(main, error):
    """Copies until the command has closed both of its outputs."""
    streams = selectors.DefaultSelector()
    streams.register(main, selectors.EVENT_READ, 1)
    streams.register(error, selectors.EVENT_READ, 2)
    try:
        streams.register(0, selectors.EVENT_READ, 0)
    except PermissionError:  # a file: it cannot be waited for, and need not be
        while piece := os.read(0, 65536):
            main.sendall(piece)
        main.shutdown(socket.SHUT_WR)
    outputs = 2
    while outputs:
        for key, _ in streams.select():
            try:
                piece = os.read(key.fd, 65536)
            except OSError:
                piece = b""
            if not piece:
                streams.unregister(key.fileobj)
                outputs -= key.data != 0
            try:
                if key.data == 0 and piece:
                    main.sendall(piece)
                elif key.data == 0:
                    main.shutdown(socket.SHUT_WR)
                else:
                    write_all(key.data, piece)
            except OSError:
                return


def write_all(descriptor, piece):
    while piece:
        piece = piece[os.write(descriptor, piece):]
