"""Databases for the tests, and `sections serve` on them."""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
TOOL = Path(os.environ.get("SECTIONS", PROJECT / ".build/debug/sections"))
SECONDS = 60  # that the tool may take to begin


class Store:
    """A database in a folder of its own. Each write is a commit of this process."""

    def __init__(self, script: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sections-page-"))
        self.path = self.folder / "demo.sqlite"
        if script:
            self.write("PRAGMA journal_mode = WAL;" + script)

    @staticmethod
    def demo() -> "Store":
        store = Store()
        subprocess.run(
            [TOOL, "demo", store.path], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL
        )
        return store

    def write(self, script: str) -> None:
        connection = sqlite3.connect(self.path, timeout=30)
        connection.executescript(script)
        connection.close()

    def rows(self, query: str) -> list[tuple]:
        connection = sqlite3.connect(self.path, timeout=30)
        rows = connection.execute(query).fetchall()
        connection.close()
        return rows

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """A `sections serve` of a store, at a free port unless one is given."""

    def __init__(self, store: Store, *options: str, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [TOOL, "serve", store.path, "--port", str(port), *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        guard = threading.Timer(SECONDS, self.process.kill)
        guard.start()
        output = ""
        self.address = ""
        for line in self.process.stdout:
            output += line
            if found := re.search(r"http://[^\s/]+:(\d+)", line):
                self.address, self.port = found[0], int(found[1])
                break
        guard.cancel()
        if not self.address:
            raise RuntimeError(f"sections serve did not begin:\n{output}")
        # What else it prints is read, so that it never waits for a reader.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
