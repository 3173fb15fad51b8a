import Testing

/// The server when the system refuses what it needs.
@Suite(.timeLimit(.minutes(20)), .enabled(if: OtherProcess.python != nil, "needs python3"))
struct ServeFaultTests {
  @Test func aLackOfDescriptorsEndsConnectionsAndNotTheServer() async throws {
    let folder = try TestFolder()
    try folder.makeDatabase()
    try folder.write(
      """
      import os, resource, socket, subprocess, time, urllib.request
      def few(): resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
      server = subprocess.Popen([os.environ["sections"], "serve", "a.db", "--port", "0"],
          stdout=subprocess.PIPE, text=True, preexec_fn=few)
      try:
          page = server.stdout.readline().strip()
          port = int(page.rstrip("/").rsplit(":", 1)[1])
          connections = []
          for _ in range(100):
              # The server listens anew if it has no descriptor for a connection.
              try: connections.append(socket.create_connection(("127.0.0.1", port)))
              except OSError: pass
          time.sleep(1)
          for connection in connections: connection.close()
          end = time.monotonic() + 60
          while True:
              try:
                  print(urllib.request.urlopen(page + "api/sources", timeout=10).status)
                  break
              except OSError:
                  if time.monotonic() > end: raise
                  time.sleep(0.1)
          print(server.poll())
      finally:
          server.kill()
      """, to: "connect.py")
    let result = try await Tool.shell("exec python3 connect.py", in: folder)
    #expect(result.stdout == "200\nNone\n", "\(result.stderr)")
  }

  @Test(arguments: ["file", "variable"]) func aTokenNeedsNoArgument(_ place: String) async throws {
    let folder = try TestFolder()
    try folder.makeDatabase()
    try folder.write("0123456789abcdef\n", to: "token")
    try folder.write(
      """
      import os, subprocess, urllib.error, urllib.request
      command = [os.environ["sections"], "serve", "a.db", "--port", "0"]
      if "\(place)" == "file": command += ["--token-file", "token"]
      else: os.environ["SECTIONS_TOKEN"] = open("token").read()
      server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
      try:
          page = server.stdout.readline().strip().split("?")[0]
          for token in "0123456789abcdef", "another":
              request = urllib.request.Request(
                  page + "api/sources", headers={"Authorization": "Bearer " + token})
              try: print(urllib.request.urlopen(request).status)
              except urllib.error.HTTPError as error: print(error.code)
          print("0123456789" in open(f"/proc/{server.pid}/cmdline").read())
      finally:
          server.kill()
      """, to: "ask.py")
    let result = try await Tool.shell("exec python3 ask.py", in: folder)
    #expect(result.stdout == "200\n401\nFalse\n", "\(result.stderr)")
  }

  /// The versions that the lists hold keep the removed log open, and must be released before the new one is
  /// opened.
  @Test func aLogThatIsTakenAwayIsFollowedByTheNewOne() async throws {
    let folder = try TestFolder()
    try folder.makeDatabase(journalMode: "WAL")
    try folder.write(
      """
      import os, sqlite3, subprocess, time, urllib.request
      server = subprocess.Popen([os.environ["sections"], "serve", "a.db", "--port", "0"],
          stdout=subprocess.PIPE, text=True)
      try:
          page = server.stdout.readline().strip()
          urllib.request.urlopen(page + "api/sources").read()
          events = urllib.request.urlopen(page + "api/events?source=t&from=0&count=9", timeout=60)
          while b"three" not in events.readline(): pass
          file = urllib.request.urlopen(page + "api/events?file=all", timeout=60)
          while b'"sources":' not in file.readline(): pass
          for suffix in "-wal", "-shm": os.remove("a.db" + suffix)
          sqlite3.connect("a.db", isolation_level=None).execute("UPDATE t SET name = 'new'")
          while b"new" not in events.readline(): pass
          sqlite3.connect("a.db", isolation_level=None).execute("CREATE TABLE made(x)")
          while b'"made"' not in file.readline(): pass
          print("followed")
      finally:
          server.kill()
      """, to: "take.py")
    let result = try await Tool.shell("exec python3 take.py", in: folder)
    #expect(result.stdout == "followed\n", "\(result.stderr)")
  }

  @Test(arguments: [
    ("", true), ("--no-sql", false), ("--allow-origin http://a.example", false),
    ("--allow-origin http://a.example --sql", true),
  ])
  func sqlIsTypedAsLongAsNobodyElseReachesThePage(_ options: String, _ isAllowed: Bool) async throws
  {
    let folder = try TestFolder()
    try folder.makeDatabase()
    try folder.write(
      """
      import json, os, subprocess, urllib.request
      command = [os.environ["sections"], "serve", "a.db", "--port", "0"] + "\(options)".split()
      server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
      try:
          page = server.stdout.readline().strip()
          print(json.load(urllib.request.urlopen(page + "api/sources"))["sql"])
      finally:
          server.kill()
      """, to: "ask.py")
    let result = try await Tool.shell("exec python3 ask.py", in: folder)
    #expect(result.stdout == (isAllowed ? "True\n" : "False\n"), "\(result.stderr)")
  }
}
