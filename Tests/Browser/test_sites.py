"""Tests of proxies, of pages of other origins, and of configurations."""

import random
import shutil
import threading
import unittest
from functools import partialmethod
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from case import LETTERS, LIVE, PageCase
from served import PROJECT, Store, free_port

NGINX = PROJECT / "Examples/Serve/nginx.conf"


class ExamplePage(SimpleHTTPRequestHandler):
    """The files of Examples/Serve."""

    __init__ = partialmethod(
        SimpleHTTPRequestHandler.__init__, directory=str(PROJECT / "Examples/Serve")
    )

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class SiteTests(PageCase):
    """The server behind a proxy, beside other pages, and with a configuration."""

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_page_is_live_behind_nginx(self) -> None:
        store = self.store(LETTERS)
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        server = self.serve(store, "--allow-origin", address)
        lines = NGINX.read_text().replace("http://127.0.0.1:8080", server.address)
        self.proxy(store.folder, lines, port)
        tab = self.browser.open(f"{address}/?source=word&sort=text")
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        store.write("UPDATE word SET text = 'word 001!' WHERE id = 1")
        self.assertShows(tab, "word 001!", seconds=3)
        server.kill()
        tab.wait("document.querySelector('#state').dataset.state === 'reconnecting'")
        self.serve(store, "--allow-origin", address, port=server.port)
        tab.wait(LIVE)

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_page_shows_one_version_of_one_of_two_replicas(self) -> None:
        stores = [self.store(LETTERS + "UPDATE word SET size = 0;") for _ in range(2)]
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        servers = [self.serve(store, "--allow-origin", address) for store in stores]
        replicas = "".join(f"server 127.0.0.1:{server.port};" for server in servers)
        lines = NGINX.read_text().replace("http://127.0.0.1:8080", "http://replicas")
        lines = lines.replace("proxy_http_version", "proxy_set_header Host localhost; proxy_http_version")
        self.proxy(stores[0].folder, f"upstream replicas {{ {replicas} }} {lines}", port)
        tab = self.browser.open(f"{address}/?source=word&sort=text")
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        generator = random.Random(7)

        checked = 0

        def check() -> None:
            nonlocal checked
            sizes = {text.rsplit("|", 1)[1] for text in self.texts(tab) if text}
            self.assertLessEqual(len(sizes), 1)
            checked += len(sizes)

        for number in range(1, 31):
            for store in generator.sample(stores, 2):
                # One replica is behind the other for a moment.
                store.write(f"UPDATE word SET size = {number}")
                self.scroll(tab, generator.uniform(0, 9000))
                check()
            if number == 20:
                servers[0].kill()
        self.scroll(tab, 0)
        self.assertShows(tab, "1|B|word 001|30")
        check()
        self.assertGreater(checked, 20)

    def test_page_of_another_origin_follows_a_list(self) -> None:
        with ThreadingHTTPServer(("127.0.0.1", 0), ExamplePage) as site:
            threading.Thread(target=site.serve_forever, daemon=True).start()
            self.addCleanup(site.shutdown)
            origin = f"http://127.0.0.1:{site.server_port}"
            store = Store.demo()
            self.addCleanup(store.remove)
            server = self.serve(store, "--allow-origin", origin)
            tab = self.browser.open(f"{origin}/index.html?server={server.address}")
            self.addCleanup(tab.close)
            text = "document.querySelector('#rows').textContent"
            tab.wait("document.querySelector('#state').textContent === 'live'")
            store.write("UPDATE track SET name = 'AAA first', rating = NULL WHERE id = 7")
            tab.wait(f"{text}.includes('AAA first')")
            server.kill()
            tab.wait("document.querySelector('#state').textContent === 'reconnecting'")
            store.write("UPDATE track SET name = 'AAA second' WHERE id = 7")
            self.serve(store, "--allow-origin", origin, port=server.port)
            tab.wait(f"{text}.includes('AAA second')")
            # No page of another origin reads anything.
            elsewhere = f"http://localhost:{site.server_port}"
            other = self.browser.open(f"{elsewhere}/index.html?server={server.address}")
            self.addCleanup(other.close)
            other.wait("document.querySelector('h1') !== null")
            self.assertEqual(other.run(text), "")

    def test_lists_of_a_configuration_are_at_the_side(self) -> None:
        store = self.store(LETTERS)
        config = store.folder / "lists.yaml"
        config.write_text(
            'all: {source: word}\nby letter:\n  source: SELECT * FROM word WHERE size > 3\n'
            '  by: letter\n  sort: [letter:desc]\n  key: id\n'
        )
        server = self.serve(store, "--config", str(config))
        tab = self.browser.open(server.address)
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        self.assertEqual(tab.run("document.querySelector('#sources h2').textContent"), "Lists")
        tab.click("#sources li:nth-child(2) a")
        tab.wait("document.querySelector('#counts').textContent.includes('sections')")
        self.assertEqual(
            tab.run("location.search"), "?source=by+letter&by=letter&sort=letter%3Adesc"
        )
