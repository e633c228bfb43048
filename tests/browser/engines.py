"""Firefox and WebKit, without a window: how the tests drive them.

Both take the same few orders. Firefox takes them over WebDriver BiDi, which
needs no other program; WebKit over WebDriver, on a screen in memory.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import websocket

PATIENCE = 120  # seconds, on a machine with much else to do
# At the start it looks for news, which costs as much as a page.
QUIET = {
    "app.normandy.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.startup.page": 0,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}


def program(*names):
    """Return the path of the first that is there; FileNotFoundError: none."""
    for path in filter(None, map(shutil.which, names)):
        return path
    raise FileNotFoundError(f"There is no {' or '.join(names)} on the PATH.")


def start(stack, *command, **options):
    """Start a program, which ends with the stack."""
    options = {"stdout": subprocess.DEVNULL} | options
    process = stack.enter_context(
        subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)
    )
    stack.callback(process.terminate)
    return process


def free_port():
    """Return the number of a port that no program has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_for(port):
    """Wait until a program listens at a port."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def asked(expression):
    """Return a script that awaits an expression, and says what came."""
    return f"""(async () => {{
        try {{ return JSON.stringify({{value: await ({expression})}}); }}
        catch (error) {{ return JSON.stringify({{error: String(error)}}); }}
    }})()"""


def told(text):
    """Return the value that such a script found, or raise what it met."""
    found = json.loads(text)
    if "error" in found:
        raise RuntimeError(found["error"])
    return found.get("value")


def wait_for_page(engine, address):
    """Wait until the page before has gone.

    On a busy machine engines answer while it is still there.
    """
    end = time.monotonic() + PATIENCE
    while engine.evaluate("window.left"):
        if time.monotonic() > end:
            raise TimeoutError(f"{address} did not come.")
        time.sleep(0.05)


class Firefox:
    """Firefox, by WebDriver BiDi."""

    def __init__(self, stack):
        """Start it, until the stack ends."""
        path = program("firefox-esr", "firefox")
        profile = stack.enter_context(
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        )
        settings = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in QUIET.items()
        ]
        Path(profile, "user.js").write_text("".join(settings))
        port = free_port()
        start(
            stack, path, "--headless", "--profile", profile,
            f"--remote-debugging-port={port}",
        )  # fmt: skip
        wait_for(port)
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/session",
            timeout=PATIENCE, suppress_origin=True,
        )  # fmt: skip
        self.ask("session.new", capabilities={})
        stack.callback(self.ask, "browser.close")
        (tab,) = self.ask("browsingContext.getTree")["contexts"]
        self.tab = tab["context"]

    def ask(self, method, **params):
        """Give an order and return the answer."""
        order = {"id": 1, "method": method, "params": params}
        self.socket.send(json.dumps(order))
        answer = json.loads(self.socket.recv())
        while "id" not in answer:  # something that has happened
            answer = json.loads(self.socket.recv())
        if answer["type"] == "error":
            raise RuntimeError(answer["message"])
        return answer["result"]

    def open(self, address):
        """Go to a page, and wait until it has loaded."""
        self.evaluate("window.left = true")
        self.ask(
            "browsingContext.navigate",
            context=self.tab, url=address, wait="complete",
        )  # fmt: skip
        wait_for_page(self, address)

    def resize(self, width, height):
        """Give the page so many pixels."""
        self.ask(
            "browsingContext.setViewport",
            context=self.tab, viewport={"width": width, "height": height},
        )  # fmt: skip

    def evaluate(self, expression):
        """Return the value of an expression in the page, once it has one."""
        answer = self.ask(
            "script.evaluate",
            expression=asked(expression), awaitPromise=True,
            target={"context": self.tab},
        )  # fmt: skip
        return told(answer["result"]["value"])

    def perform(self, *actions):
        """Press keys or move a pointer, as WebDriver writes it."""
        self.ask("input.performActions", context=self.tab, actions=actions)


class WebKit:
    """WebKitGTK's own small browser, by WebDriver."""

    def __init__(self, stack):
        """Start it, until the stack ends."""
        path, screen = program("WebKitWebDriver"), program("Xvfb")
        screen = start(
            stack, screen, "-displayfd", "1", "-screen", "0", "1400x1000x24",
            stdout=subprocess.PIPE,
        )  # fmt: skip
        display = screen.stdout.readline().decode().strip()
        port = free_port()
        environment = {**os.environ, "DISPLAY": f":{display}"}
        start(stack, path, f"--port={port}", env=environment)
        wait_for(port)
        # With its bars it is wider than a phone.
        options = {"args": ["--automation", "--full-screen"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self.address = f"http://127.0.0.1:{port}/session"
        session = self.ask("", capabilities=wanted)
        self.address += f"/{session['sessionId']}"
        stack.callback(self.ask, "", method="DELETE")

    def ask(self, command, method="POST", **params):
        """Give an order and return the answer."""
        data = json.dumps(params).encode() if method == "POST" else None
        order = urllib.request.Request(
            self.address + command, data, method=method
        )
        try:
            with urllib.request.urlopen(order, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, address):
        """Go to a page, and wait until it has loaded."""
        self.evaluate("window.left = true")
        self.ask("/url", url=address)
        wait_for_page(self, address)

    def resize(self, width, height):
        """Give the page so many pixels."""
        self.ask("/window/rect", x=0, y=0, width=width, height=height)
        while self.evaluate("innerWidth") != width:
            time.sleep(0.05)

    def evaluate(self, expression):
        """Return the value of an expression in the page, once it has one."""
        script = f"{asked(expression)}.then(arguments[0])"
        return told(self.ask("/execute/async", script=script, args=[]))

    def perform(self, *actions):
        """Press keys or move a pointer, as WebDriver writes it."""
        self.ask("/actions", actions=actions)
