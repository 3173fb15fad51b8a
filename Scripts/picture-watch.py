#!/usr/bin/env python3
"""Draws Documentation/Images/watch.svg: what `sections watch` shows while somebody else writes.

    make build
    python3 -m venv /tmp/picture && /tmp/picture/bin/pip install pyte==0.8.2
    /tmp/picture/bin/python Scripts/picture-watch.py .build/debug/sections

The tool runs on a demo store of its own in a terminal that exists only here (pyte), other
connections write to the store, and each frame of the picture is what the terminal showed then.
"""

import fcntl
import os
import pty
import re
import select
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time
from html import escape
from pathlib import Path

import pyte

PROJECT = Path(__file__).parent.parent
TARGET = PROJECT / "Documentation/Images/watch.svg"
COLUMNS, LINES = 56, 21
COMMAND = [
    "watch", "demo.sqlite", "cover_list", "--by", "artist", "--sort", "position",
    "--columns", "label,release_year", "--key", "id", "--where", "artist < 'B'",
]  # fmt: skip
PROMPT = "$ sections " + " ".join(COMMAND[:5]) + " …"
# What others write: one transaction each, and what is said below the picture of it.
WRITES = [
    ("UPDATE cover SET position = 'm0' WHERE id = 6", "Another process moves a cover to the top,"),
    ("UPDATE cover SET label = label || ' (Live)' WHERE id = 2", "renames one,"),
    ("INSERT INTO artist(id, name) VALUES (100, 'Arvo Pärt');"
     "INSERT INTO cover(artist_id, label, release_year, small_image_url, large_image_url)"
     " VALUES (100, 'Tabula Rasa', 1984, '', '')", "adds an artist with a cover,"),
    ("DELETE FROM cover WHERE artist_id = 100", "and deletes it again: its section goes too."),
]  # fmt: skip
SECONDS = 2.4  # that a frame is shown
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.4, 19, 14, 16


def main() -> None:
    tool = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "demo.sqlite")
        subprocess.run([tool, "demo", store], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
        frames = watch(tool, folder)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(picture(frames), encoding="utf-8")
    print(f"{TARGET}: {len(frames)} frames, {TARGET.stat().st_size} bytes")


def watch(tool: str, folder: str) -> list[tuple[list, str]]:
    """Runs the tool in a terminal, and returns what that showed after each write."""
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.environ["TERM"] = "xterm-256color"
        os.execv(tool, [tool, *COMMAND])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    try:
        frames = [(shown(screen, stream, terminal, 0), "The covers of a record collection.")]
        for number, (sql, caption) in enumerate(WRITES, start=1):
            connection = sqlite3.connect(Path(folder) / "demo.sqlite")
            connection.executescript(f"PRAGMA foreign_keys = ON; BEGIN; {sql}; COMMIT;")
            connection.close()
            frames.append((shown(screen, stream, terminal, number), caption))
        return frames
    finally:
        os.write(terminal, b"\x03")
        os.waitpid(process, 0)
        os.close(terminal)


def shown(screen, stream, terminal: int, change_count: int) -> list:
    """Reads what the tool draws until it says that so many changes have come."""
    expected = f" {change_count} change{'' if change_count == 1 else 's'} "
    deadline = time.monotonic() + 20
    while not any(expected in line for line in screen.display):
        if time.monotonic() > deadline:
            sys.exit("the tool showed nothing new for 20 seconds:\n" + "\n".join(screen.display))
        if select.select([terminal], [], [], 0.1)[0]:
            # pyte draws nothing differently for the other screen, but for clearing it.
            stream.feed(os.read(terminal, 65536))
    return [[screen.buffer[line][column] for column in range(COLUMNS)] for line in range(LINES)]


# --- Drawing

COLORS = {
    "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "yellow": "#e3b341",
    "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#f0f6fc",
}  # fmt: skip
INK, DIM, PAPER = "#e6edf3", "#8b949e", "#0d1117"


def picture(frames: list[tuple[list, str]]) -> str:
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = (LINES + 3) * CELL_HEIGHT + 2 * MARGIN
    total = SECONDS * len(frames)
    share = 100 / len(frames)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        "<title>sections watch: rows in sections, which follow what another process writes</title>",
        "<style>",
        f"text {{ font: {FONT_SIZE}px ui-monospace, Menlo, Consolas, monospace; fill: {INK}; }}",
        f".d {{ fill: {DIM}; }} .b {{ font-weight: bold; }}",
        f".f {{ opacity: 0; animation: show {total:.1f}s infinite; }}",
        f"@keyframes show {{ 0%, {share - 0.01:.2f}% {{ opacity: 1; }} "
        f"{share:.2f}%, 100% {{ opacity: 0; }} }}",
        # Without motion: the frame after the first change.
        "@media (prefers-reduced-motion: reduce) { .f { animation: none; } #f1 { opacity: 1; } }",
        "</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        f'<text class="d" x="{MARGIN}" y="{MARGIN + CELL_HEIGHT - 4}">{escape(PROMPT)}</text>',
    ]
    for number, (lines, caption) in enumerate(frames):
        delay = number * SECONDS
        parts.append(f'<g class="f" id="f{number}" style="animation-delay: {delay:.1f}s">')
        for row, cells in enumerate(lines):
            parts += draw(cells, MARGIN + (row + 2) * CELL_HEIGHT)
        y = MARGIN + (LINES + 2.5) * CELL_HEIGHT
        parts.append(f'<text class="d" x="{MARGIN}" y="{y:.0f}">{escape(caption)}</text>')
        parts.append("</g>")
    return "\n".join(parts + ["</svg>", ""])


def draw(cells: list, y: float) -> list[str]:
    """A line of the terminal: a text for each run of cells that look the same."""
    parts, start = [], 0
    while start < len(cells):
        end = start
        while end < len(cells) and look(cells[end]) == look(cells[start]):
            end += 1
        text = "".join(cell.data for cell in cells[start:end])
        color, is_bold, is_reverse = look(cells[start])
        x = MARGIN + start * CELL_WIDTH
        length = (end - start) * CELL_WIDTH
        if is_reverse:
            parts.append(
                f'<rect x="{x:.1f}" y="{y - CELL_HEIGHT + 5:.0f}" width="{length:.1f}" '
                f'height="{CELL_HEIGHT}" fill="{color}"/>'
            )
        fill = PAPER if is_reverse else color
        style = "" if fill == INK else f' style="fill: {fill}"'
        bold = ' class="b"' if is_bold else ""
        # Each word where it was: fonts differ, and spaces in a row would be one.
        for word in re.finditer(r"\S+(?: \S+)*", text):
            x = MARGIN + (start + word.start()) * CELL_WIDTH
            length = len(word.group()) * CELL_WIDTH
            parts.append(
                f'<text{bold}{style} x="{x:.1f}" y="{y:.0f}" textLength="{length:.1f}">'
                f"{escape(word.group())}</text>"
            )
        start = end
    return parts


def look(cell) -> tuple[str, bool, bool]:
    color = INK if cell.fg == "default" else COLORS.get(cell.fg, "#" + cell.fg)
    return (color, cell.bold, cell.reverse)


if __name__ == "__main__":
    main()
