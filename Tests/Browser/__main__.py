"""Runs the tests of the page of `sections serve` in Chromium, while this process writes the database.

    make test-browser

SECTIONS is the tool to test (.build/debug/sections), CHROMIUM the browser. Arguments name single tests of any file.
`test_pictures.py` writes the pictures of Documentation/Images.
"""

import unittest
from importlib import import_module
from pathlib import Path

from chromium import executable
from served import TOOL

if executable() is None or not TOOL.exists():
    raise SystemExit("Tests/Browser: Chromium or the tool is missing; use make test-browser")
# The tests of all files, which can be named as if they were in this one.
for path in sorted(Path(__file__).parent.glob("test_*.py")):
    for name, value in vars(import_module(path.stem)).items():
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            globals()[name] = value
unittest.main(module="__main__")
