"""Drives Chromium by its DevTools protocol, through pipes: Python's standard library is enough."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
# A folder whose files replace those in the tool: to work on the page without a build.
PAGE = os.environ.get("SECTIONS_PAGE")
SECONDS = 15  # that an answer or a state may take

KEYS = {
    "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "PageDown": 34, "PageUp": 33,
    "Home": 36, "End": 35, "Enter": 13, "Escape": 27,
}  # fmt: skip


def executable() -> str | None:
    """The path of Chromium: that of CHROMIUM, or the first one in PATH."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


class Refused(RuntimeError):
    """Chromium has refused a command."""


class Browser:
    """A Chromium without a window, with a profile of its own."""

    def __init__(self) -> None:
        self.profile = tempfile.mkdtemp(prefix="sections-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        arguments = [
            executable(), "--headless=new", "--remote-debugging-pipe", "--no-first-run",
            "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage",
            "--force-color-profile=srgb", "--hide-scrollbars", "--window-size=1400,1000",
            "--font-render-hinting=none",
            f"--user-data-dir={self.profile}",
        ]  # fmt: skip
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # The sandbox does not work for root.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *arguments],
            pass_fds=[to_browser, from_browser],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.last_id = 0
        self.answers: dict[int, dict] = {}
        self.tabs: dict[str, Tab] = {}
        self.arrived = threading.Condition()
        self.writing = threading.Lock()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        pending = b""
        while piece := os.read(self.input, 1 << 20):
            *messages, pending = (pending + piece).split(b"\0")
            for message in map(json.loads, messages):
                with self.arrived:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    elif tab := self.tabs.get(message.get("sessionId", "")):
                        tab.receive(message["method"], message["params"])
                    self.arrived.notify_all()

    def send(self, method: str, session: str | None = None, **parameters) -> dict:
        """Calls a method of the protocol and returns its result."""
        with self.arrived:
            self.last_id += 1
            number = self.last_id
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        with self.writing:
            while data:
                data = data[os.write(self.output, data) :]
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers, SECONDS * 2):
                raise TimeoutError(f"Chromium did not answer {method}.")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise Refused(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address: str, **settings) -> "Tab":
        return Tab(self, **settings).go(address)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(SECONDS)
        self.reader.join(SECONDS)
        # A shell takes only descriptors below 10, and the next browser needs some.
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)


class Tab:
    """A page of the browser. `problems` lists its errors and all that its policy refused."""

    def __init__(
        self, browser: Browser, width=1280, height=800, dark=False, still=False, scripts=True
    ):
        self.browser = browser
        self.problems: list[str] = []
        self.loads = 0
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        browser.tabs[self.session] = self
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.send(f"{domain}.enable")
        self.resize(width, height)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.patterns: list[dict] = []
        if PAGE:
            self._intercept("*/assets/*")

    def send(self, method: str, **parameters) -> dict:
        return self.browser.send(method, self.session, **parameters)

    def receive(self, method: str, parameters: dict) -> None:
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            exception = details.get("exception", {})
            self.problems.append(exception.get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            entry = parameters["entry"]
            self.problems.append(f"{entry['text']} {entry.get('url', '')}")
        elif method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Fetch.requestPaused":
            # Another thread answers: this one receives what Chromium says to that.
            threading.Thread(target=self._answer, args=[parameters], daemon=True).start()

    def answer(
        self, pattern: str, status: int, times: int = 1, headers: dict[str, str] | None = None
    ) -> list[str]:
        """Refuses the next requests for an address in place of the server. Returns a list that gets
        their addresses."""
        self.refused: list[str] = []
        self.refusal = (status, headers or {})
        self.refusals = times
        self._intercept(pattern)
        return self.refused

    def _intercept(self, *patterns: str) -> None:
        self.patterns += [{"urlPattern": pattern} for pattern in patterns]
        self.send("Fetch.enable", patterns=self.patterns)

    def _answer(self, request: dict) -> None:
        address = urlsplit(request["request"]["url"])
        if PAGE and address.path.startswith("/assets/"):
            path = Path(PAGE) / Path(address.path).name
            types = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
            # The page of another origin may have them too.
            headers = {"Content-Type": types[path.suffix], "Access-Control-Allow-Origin": "*"}
            self._fulfill(request, 200, headers, path.read_bytes())
        elif "/api/" in address.path and len(self.refused) < self.refusals:
            self.refused.append(address.geturl())
            body = {"error": {"message": "A test refused this.", "nextStep": ""}}
            self._fulfill(request, *self.refusal, json.dumps(body).encode())
        else:
            self.send("Fetch.continueRequest", requestId=request["requestId"])

    def _fulfill(self, request: dict, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send(
            "Fetch.fulfillRequest",
            requestId=request["requestId"],
            responseCode=status,
            responseHeaders=[{"name": name, "value": value} for name, value in headers.items()],
            body=base64.b64encode(body).decode(),
        )

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=False,
        )  # fmt: skip

    def go(self, address: str) -> "Tab":
        loads = self.loads
        self.send("Page.navigate", url=address)
        # The empty page of a new tab may be loaded late.
        self.poll(
            lambda: self.loads > loads and self.run("location.href") != "about:blank",
            f"{address} is loaded",
        )
        return self

    def run(self, script: str):
        """The value of an expression in the page."""
        result = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def poll(self, condition, description: str, seconds: float = SECONDS):
        """Waits until a condition returns something true, and returns that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := condition():
                return value
            time.sleep(0.02)
        raise AssertionError(f"Not within {seconds} seconds: {description}")

    def wait(self, script: str, seconds: float = SECONDS):
        """Waits until an expression is true in the page."""

        def value():
            try:
                return self.run(script)
            except Refused:
                # The page is being left for another one.
                return None

        return self.poll(value, script, seconds)

    def press(self, key: str, commands: list[str] = []) -> None:
        """Presses a key. Chromium's own shortcuts are commands, such as `copy` for Ctrl+C."""
        code = KEYS.get(key, ord(key[0].upper()))
        text = key if len(key) == 1 else "\r" if key == "Enter" else None
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        if commands:
            event |= {"modifiers": 2, "commands": commands}
            text = None
        down = {**event, "text": text} if text else event
        self.send("Input.dispatchKeyEvent", type="keyDown", **down)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, selector: str) -> None:
        """Presses the mouse in the middle of an element."""
        x, y = self.run(
            f"(() => {{ const element = document.querySelector({json.dumps(selector)});"
            " element.scrollIntoView({ block: 'nearest' });"
            " const box = element.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ["mousePressed", "mouseReleased"]:
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path: Path) -> None:
        picture = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(picture))

    def close(self) -> None:
        self.browser.tabs.pop(self.session)
        self.browser.send("Target.closeTarget", targetId=self.target)
