"""Databases for the tests, and `sections serve` on them."""

import asyncio
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
TOOL = Path(os.environ.get("SECTIONS", PROJECT / ".build/debug/sections"))
SECONDS = 60  # that the tool may take to begin


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


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

    @contextmanager
    def writing(self, statement: str, rate: float, count: int) -> Iterator[None]:
        """Commits a statement with the numbers up to a count, so many times a second."""
        ends = threading.Event()

        def write() -> None:
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=30)
            number = 0
            while not ends.wait(1 / rate):
                number += 1
                connection.execute(statement, (number % count + 1,))
            connection.close()

        thread = threading.Thread(target=write)
        thread.start()
        try:
            yield
        finally:
            ends.set()
            thread.join()

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


class Network:
    """A proxy of a server that delays what passes, in each direction, and may keep all of it."""

    def __init__(self, server: Server, trip: float = 0) -> None:
        self.to, self.delay = server.port, trip / 2
        self.holds = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        # No coroutine: asyncio would print that it was cancelled.
        starting = asyncio.start_server(
            lambda *ends: self.loop.create_task(self._connected(*ends)) and None, "127.0.0.1", 0
        )
        self.listener = asyncio.run_coroutine_threadsafe(starting, self.loop).result(SECONDS)
        self.address = f"http://127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.to)
        passing = [self._pass(reader, other_writer), self._pass(other_reader, writer)]
        try:
            await asyncio.gather(*passing, return_exceptions=True)
        finally:
            for end in (writer, other_writer):
                end.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                time, piece = await pieces.get()
                await asyncio.sleep(time - self.loop.time())
                while self.holds:
                    await asyncio.sleep(0.01)
                if not piece:
                    return writer.close()
                writer.write(piece)

        sending = asyncio.create_task(send())
        piece = b"-"
        while piece:
            try:
                piece = await reader.read(65_536)
            except OSError:
                piece = b""
            await pieces.put((self.loop.time() + self.delay, piece))
        await sending

    def stop(self) -> None:
        async def end() -> None:
            self.listener.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result(SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
