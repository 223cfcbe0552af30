import Bluetooth
import CLinux
import EventLoop
import Foundation
import Logging
import Metrics
import ProgramSupport
import Reasons
import Synchronization
import Testing

@testable import Daemon
@testable import Hub
@testable import RingStore

/// A folder that goes away with the test.
private final class Folder: Sendable {
  let path: String
  var file: String { path + "/metrics.prom" }
  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString)").path
    mkdir(path, 0o700)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

private func contents(_ path: String) -> String? {
  FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

/// Reads a file again and again on a thread of its own.
private final class Reader: Sendable {
  private struct State {
    var isOver = false
    var reads = 0
    /// Bytes of reads that were not one of the texts.
    var torn: [Int] = []
  }
  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)
  var reads: Int { state.withLock { $0.reads } }

  init(_ path: String, _ texts: [String]) {
    Thread { [self] in
      while !state.withLock({ $0.isOver }) {
        let found = contents(path)
        state.withLock { state in
          state.reads += 1
          if found != texts[0], found != texts[1] { state.torn.append(found?.utf8.count ?? -1) }
        }
      }
      ended.signal()
    }.start()
  }

  func end() -> [Int] {
    state.withLock { $0.isOver = true }
    ended.wait()
    return state.withLock { $0.torn }
  }
}

@Suite("The file for a collector")
struct MetricsFileTests {
  private let folder = Folder()

  @Test("a reader at any moment finds a whole text, the old or the new one")
  func whole() throws {
    let texts = ["short\n# EOF\n", String(repeating: "hearth_x{device=\"a\"} 1\n", count: 20_000) + "# EOF\n"]
    try WholeFile.write([UInt8](texts[0].utf8), to: folder.file)
    let reader = Reader(folder.file, texts)
    var written = 0
    while written < 200 || reader.reads < 50 {
      written += 1
      try WholeFile.write([UInt8](texts[written % 2].utf8), to: folder.file)
    }
    #expect(reader.end() == [])
    #expect(folder.names == ["metrics.prom"])
  }

  @Test("every user can read it whatever the umask, and no link in its way is followed")
  func careful() throws {
    let victim = folder.path + "/victim"
    #expect(FileManager.default.createFile(atPath: victim, contents: Data("mine".utf8)))
    let old = umask(0o077)
    defer { umask(old) }
    try WholeFile.write([1, 2, 3], to: folder.file)
    var status = stat()
    #expect(stat(folder.file, &status) == 0 && status.st_mode & 0o777 == 0o644)
    symlink(victim, folder.file + WholeFile.temporarySuffix)
    #expect(throws: WholeFile.Failure.self) { try WholeFile.write([4], to: folder.file) }
    #expect(contents(victim) == "mine")
    #expect(FileManager.default.contents(atPath: folder.file) == Data([1, 2, 3]))
  }

  @Test("a refused file leaves no trace and says why")
  func refused() {
    func why(_ path: String) -> String? {
      do {
        try WholeFile.write([1], to: path)
        return nil
      } catch { return error.clause }
    }
    #expect(why("/nowhere/at/all.prom") == "/nowhere/at/all.prom cannot be written: its folder is not there")
    mkdir(folder.file, 0o700)
    #expect(why(folder.file)?.contains("a folder is in its place") == true)
    #expect(folder.names == ["metrics.prom"])
  }

  @LoopActor
  private func moment(_ loop: any Loop, _ visits: UInt64) -> MetricsSnapshot {
    var hub = HubSnapshot(
      name: "gym", phase: .serving, startedAt: VirtualLoop.morning, uptime: .zero, radioState: .ready,
      radio: RadioFacts(adapter: "hci0", bus: "UART", slots: 5))
    hub.tally.visits[.done] = visits
    return MetricsSnapshot(
      hub: hub, wearables: [], store: StoreStatus(path: "/s", sizeBytes: 1_000_000), process: nil, wall: loop.wall,
      now: loop.now)
  }

  @Test("it is written at once and every 15 s, goes with its path, and is gone when it is not wanted")
  func period() throws {
    let folder = folder
    try VirtualLoop.run { loop in
      let visits = Count()
      let file = MetricsFile(loop: loop, disk: InlineDiskLane(), logger: Logger(label: "test")) {
        visits.value += 1
        return self.moment(loop, visits.value)
      } note: { _ in
        Issue.record("nothing was refused")
      }
      func shown(_ path: String) -> String? {
        contents(path)?.split(separator: "\n").first { $0.hasPrefix(#"hearth_visits_total{outcome="done"}"#) }
          .map { String($0.suffix(1)) }
      }
      file.apply(nil)
      try await loop.sleep(for: .seconds(60))
      #expect(visits.value == 0)
      file.apply(MetricsOptions(path: folder.file, form: .prometheus))
      try await loop.sleep(for: .seconds(1))
      #expect(shown(folder.file) == "1")
      try await loop.sleep(for: .seconds(45))
      #expect(shown(folder.file) == "4")
      let other = folder.path + "/other.prom"
      file.apply(MetricsOptions(path: other, form: .openMetrics))
      try await loop.sleep(for: .seconds(1))
      #expect(folder.names == ["other.prom"] && shown(other) == "5")
      #expect(contents(other)?.contains("# TYPE hearth_visits counter") == true)
      await file.stop()
      #expect(folder.names == [])
      try await loop.sleep(for: .seconds(60))
      #expect(visits.value == 5 && folder.names == [])
    }
  }

  @Test("a failed write is reported once, and again only after a successful one")
  func told() throws {
    let folder = folder
    try VirtualLoop.run { loop in
      let notes = Notes()
      let file = MetricsFile(loop: loop, disk: InlineDiskLane(), logger: Logger(label: "test")) {
        self.moment(loop, 0)
      } note: {
        notes.list.append($0)
      }
      let path = folder.path + "/later/metrics.prom"
      file.apply(MetricsOptions(path: path, form: .prometheus))
      try await loop.sleep(for: .seconds(60))
      #expect(
        notes.list == [HearthError(.metricsUnwritable, "\(path) cannot be written: its folder is not there")])
      mkdir(folder.path + "/later", 0o700)
      try await loop.sleep(for: .seconds(15))
      #expect(contents(path) != nil && file.trouble == nil)
      try FileManager.default.removeItem(atPath: folder.path + "/later")
      try await loop.sleep(for: .seconds(60))
      #expect(notes.list.count == 2)
      await file.stop()
    }
  }

  @Test("H8050: a missing folder is reported once; with another path, and after a reload, the file is there")
  func unwritable() throws {
    let daemon = try RunningDaemon(extra: "metrics: {file: \(folder.path)/nowhere/metrics.prom}")
    try daemon.start()
    try waitUntil(daemon, "events", says: "H8050")
    daemon.forget("READY=1")
    try daemon.write(configuration: "metrics: {file: \(folder.file)}")
    kill(daemon.process.processIdentifier, SIGHUP)
    try daemon.wait(for: "READY=1")
    try waitUntil("the file is there", saw: { try daemon.hearth("events").output }) { contents(folder.file) != nil }
    let text = contents(folder.file) ?? ""
    #expect(text.contains("hearth_hub_serving 1\n"))
    #expect(text.contains(#"hearth_events_total{code="H8050",area="hub"} 1"#))
    #expect(text.hasSuffix("\n# EOF\n"))
    #expect(daemon.end(SIGTERM) == 0)
    #expect(folder.names == [], "a hub that has stopped has no figures")
  }
}

@LoopActor
private final class Count { var value: UInt64 = 0 }

@LoopActor
private final class Notes { var list: [HearthError] = [] }
