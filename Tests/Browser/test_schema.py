"""Tests of the page of the schema, of long lists of tables, and of a page below a path."""

import shutil
import unittest

from case import LETTERS, LIVE, PageCase
from served import free_port
from test_design import axe


class SchemaTests(PageCase):
    """What leads to the schema and back."""

    def test_schema_is_there_without_scripts(self) -> None:
        store = self.store(LETTERS + "CREATE TABLE other(id INTEGER PRIMARY KEY, word REFERENCES word);")
        server = self.serve(store)
        tab = self.open(server, [("source", "word")], scripts=False)
        tab.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(tab.run("document.querySelector('#sources li:last-child a').href"), f"{server.address}/schema")
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        tab.go(f"{server.address}/schema")
        tab.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertIn("CREATE TABLE word", tab.run("document.querySelector('#t-word pre').textContent"))
        if axe() is not None:
            for settings in [{}, {"dark": True}, {"width": 390}]:
                page = self.browser.open(f"{server.address}/schema", **settings)
                self.addCleanup(page.close)
                page.run(axe())
                report = page.run("""axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
                  violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))""")
                self.assertEqual(report, [])

    def test_page_leads_to_its_table_in_the_schema_and_back(self) -> None:
        store = self.store('CREATE TABLE "a (b)\'s é"(x); CREATE TABLE t(x);' + LETTERS)
        tab = self.open(self.serve(store), [("source", "a (b)'s é")])
        tab.run("document.querySelector('#theme').click()")
        theme = tab.run("document.documentElement.dataset.theme")
        loads = tab.loads
        tab.run("document.querySelector('#sources [data-name=Schema]').click()")
        tab.poll(lambda: tab.loads > loads, "the schema is loaded")
        self.assertEqual(tab.run("document.querySelector(':target h2').firstChild.textContent.trim()"), "a (b)'s é")
        self.assertEqual(tab.run("document.documentElement.dataset.theme"), theme)
        loads = tab.loads
        tab.run("document.querySelector(':target h2 a').click()")
        tab.poll(lambda: tab.loads > loads, "the rows are loaded")
        tab.wait(LIVE)
        self.assertEqual(tab.run("document.querySelector('#title').textContent"), "a (b)'s é")
        self.assertEqual(tab.problems, [])

    def test_tables_are_found_in_a_long_list(self) -> None:
        store = self.store("".join(f"CREATE TABLE t{number}(x);" for number in range(40)) + LETTERS)
        tab = self.open(self.serve(store), [("source", "word")])
        names = "[...document.querySelectorAll('#sources ul .name')].map((one) => one.textContent)"
        tab.run("document.querySelector('#sources input').focus()")
        tab.send("Input.insertText", text="T1")
        tab.wait(f"{names}.length === 11")
        store.write("CREATE TABLE t111(x)")
        tab.wait(f"{names}.length === 12")
        self.assertEqual(tab.run("document.activeElement.value"), "T1")
        tab.send("Input.insertText", text="2")
        tab.wait(f"{names}.length === 1")
        tab.press("Enter")
        tab.wait("document.querySelector('#title').textContent === 't12'")
        tab.run("document.querySelector('#sources input').focus()")
        tab.send("Input.insertText", text="x")
        tab.wait("document.querySelector('#sources .none') !== null")
        tab.press("Escape")
        tab.wait(f"{names}.length === 42")
        few, _, other = self.words()
        self.assertTrue(other.run("document.querySelector('#sources input').hidden"))
        self.assertEqual(tab.problems, [])

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_page_is_live_below_a_path(self) -> None:
        store = self.store(LETTERS + "CREATE TABLE other(x);")
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        token = "0123456789abcdef"
        kept = self.serve(store, "--allow-origin", address, "--base-path", "/team/db", "--token", token)
        cut = self.serve(store, "--allow-origin", address)
        lines = "server { listen 80; server_name lists.example.org; %s }" % " ".join(
            f"location {path} {{ proxy_pass {to}; proxy_http_version 1.1; proxy_set_header Connection ''; }}"
            for path, to in [("/team/db", kept.address), ("/cut/", cut.address + "/")]
        )
        self.proxy(store.folder, lines, port)
        for path in ["/team/db", "/cut"]:
            with self.subTest(path=path):
                tab = self.browser.open(f"{address}{path}/?source=word&sort=text&facet=letter&token={token}")
                self.addCleanup(tab.close)
                tab.wait(LIVE)
                tab.wait("document.querySelectorAll('#facets .value').length === 6")
                store.write("UPDATE word SET text = text || '!' WHERE id = 1")
                self.assertShows(tab, "word 001!", seconds=3)
                tab.run("document.querySelector('#track .cell').click()")
                tab.wait("!document.querySelector('#detail').hidden")
                tab.run("document.querySelector('#sources [data-name=other]').click()")
                tab.wait("document.querySelector('#counts').textContent === '0 rows'")
                self.assertEqual(tab.run("location.pathname"), f"{path}/")
                loads = tab.loads
                tab.run("document.querySelector('#sources [data-name=Schema]').click()")
                tab.poll(lambda: tab.loads > loads, "the schema is loaded")
                self.assertEqual(tab.run("location.pathname"), f"{path}/schema")
                self.assertEqual(tab.problems, [])
