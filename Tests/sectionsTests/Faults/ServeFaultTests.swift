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
}
