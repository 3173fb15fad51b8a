import CLibrary
import Testing

@testable import SQLiteStorage

/// What is done when hardly any descriptor is free.
struct DescriptorsTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func theLastDescriptorsAreLeftToOthers() async throws {
    let path = try folder.makeStore()
    await #expect(processExitsWith: .success) { [path = path as String] in
      DescriptorsTests.limitDescriptors(64)
      var taken: [Int32] = []
      while Descriptors.isOneFree { taken.append(open("/dev/null", O_RDONLY)) }
      #expect(taken.count > 20 && taken.allSatisfy { $0 >= 0 })
      let error = databaseError { _ = try Database(path: path) }
      #expect(error?.message == "too many files are open in this process: \(path)")
      #expect(error?.resultCode == .cannotOpen)
      // Nothing was taken for a moment either: the next one is free.
      let next = open("/dev/null", O_RDONLY)
      #expect(next >= 0)
      close(next)
      for descriptor in taken.prefix(20) { close(descriptor) }
      let database = try Database(path: path)
      #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    }
  }

  private static func limitDescriptors(_ count: rlim_t) {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(count, limit.rlim_max)
    setrlimit(resource, &limit)
  }
}
