"""Serve the built book on this computer.

python -m bookkit.serve [--port 8000] [folder]
"""

import argparse
import errno
import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BOOK = Path(__file__).parents[1] / "_build" / "html"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a line on the terminal for each of them."""

    def log_message(self, *args):
        """Say nothing."""


class LocalServer(ThreadingHTTPServer):
    """Refuses a port that another program has."""

    # On Windows, reuse would let two programs listen at one port.
    allow_reuse_address = sys.platform != "win32"

    def handle_error(self, request, client_address):
        """Say nothing of a reader who leaves before a page has come."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def start_server(folder, port):
    """Return a server of the folder, bound to a port of this computer."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    return LocalServer(("127.0.0.1", port), handler)


def main():
    """Serve until Ctrl-C, or say in one line why not."""
    parser = argparse.ArgumentParser(description="Serve the built book.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("folder", type=Path, nargs="?", default=BOOK)
    arguments = parser.parse_args()
    folder, port = arguments.folder, arguments.port
    if not folder.is_dir():
        sys.exit(f"There is no folder {folder}: run `make book` first.")
    try:
        server = start_server(folder, port)
    except OverflowError:
        sys.exit(f"There is no port {port}: choose one from 1 to 65535.")
    except PermissionError:
        sys.exit(
            f"Port {port} is reserved: choose another,"
            " say with `make serve PORT=8001`."
        )
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        sys.exit(
            f"Port {port} is taken by another program: choose another,"
            f" say with `make serve PORT={port + 1}`."
        )
    address = f"http://localhost:{server.server_port}/"
    print(f"The book is at {address} (Ctrl-C stops it).", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
