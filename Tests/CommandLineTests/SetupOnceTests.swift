import Configuration
import Foundation
import Reasons
import Testing

@testable import hearth

@Suite("hearth-setup.yaml at boot")
struct SetupOnceTests {
  private static let good = "name: north\npreset: ward\nwho_may_ask: [pi, anna]\n# hunter2\n"

  @Test("a request is applied and marked done, with its result beside it; the next start has no work left")
  func done() throws {
    let bench = try SetupBench()
    try bench.write("/boot/hearth-setup.yaml", Self.good)
    guard case .setUp(_, nil) = try bench.boot() else { throw POSIXError(.EINVAL) }
    try expectSetUp(bench)
    let configuration = bench.read("/etc/hearth/hearth.yaml")
    #expect(bench.read("/boot/hearth-setup.done.yaml") == Self.good)
    #expect(
      bench.read("/boot/hearth-setup-result.txt")?.contains(
        "name: north\npreset: ward\nzone: as it was\nlights: as it was\nenrolment: as it was\nwho_may_ask: pi, anna\n")
        == true)
    guard case .nothing = try bench.boot() else { throw POSIXError(.EINVAL) }
    #expect(bench.read("/etc/hearth/hearth.yaml") == configuration)
  }

  @Test("the same file once more is a new wish, and another one is too")
  func anew() throws {
    let bench = try SetupBench()
    for name in ["north", "south", "south"] {
      try bench.write("/etc/hearth/hearth.yaml", "hub: {name: by-hand}\n")
      try bench.write("/boot/hearth-setup.yaml", "name: \(name)\n")
      _ = try bench.boot()
      #expect(try Configuration.load(path: bench.configuration).hub.name == name)
      #expect(bench.names("/boot") == ["hearth-setup-result.txt", "hearth-setup.done.yaml"])
    }
  }

  @Test("the power goes between every two steps, and again in the start after: applied once, never half")
  func cuts() throws {
    var first = 1
    var isOver = false
    while !isOver {
      for second in 1...12 {
        let bench = try SetupBench()
        let old = bench.read("/etc/hearth/hearth.yaml")
        try bench.write("/boot/hearth-setup.yaml", Self.good)
        isOver = try !isCut(bench, first)
        // Whole, whichever it is; and the hub of this start would be the old one or the new one.
        let now = bench.read("/etc/hearth/hearth.yaml")
        let name = try Configuration.load(path: bench.configuration).hub.name
        #expect(now == old || name == "north", "cut \(first)")
        if first == 1 { #expect(now == old && bench.members(of: "hearth") == []) }
        _ = try isCut(bench, second)
        _ = try bench.boot()
        try expectSetUp(bench)
        #expect(bench.read("/etc/hearth/hearth.yaml.before-setup") == old)
        // By hand from now on.
        try bench.write("/etc/hearth/hearth.yaml", "hub: {name: by-hand}\n")
        _ = try bench.boot()
        #expect(try Configuration.load(path: bench.configuration).hub.name == "by-hand", "cuts \(first), \(second)")
      }
      first += 1
    }
    #expect(first > 10, "\(first) steps")
  }

  @Test("the power goes between every two steps of a refusal: the hub is as it was, and the next start says so again")
  func refusedCuts() throws {
    for cut in 1...4 {
      let bench = try SetupBench()
      let old = bench.read("/etc/hearth/hearth.yaml")
      try bench.write("/boot/hearth-setup.yaml", "nam: north\n")
      #expect(try isCut(bench, cut) == (cut < 4))
      if cut < 3 {
        guard case .refused = try bench.boot() else { throw POSIXError(.EINVAL) }
      }
      guard case .nothing = try bench.boot() else { throw POSIXError(.EINVAL) }
      #expect(bench.read("/etc/hearth/hearth.yaml") == old)
      #expect(bench.names("/boot") == ["hearth-setup-result.txt", "hearth-setup.failed.yaml"])
    }
  }

  @Test(
    "H1010 and H1011: a set-up file that does not fit is refused with its line and not its words; mended, it is taken"
  )
  func refused() throws {
    let bench = try SetupBench()
    let old = bench.read("/etc/hearth/hearth.yaml")
    for (text, code) in [
      ("name: north\npasword: hunter2\n", "H1011"), ("zone: hunter2\n", "H1011"), ("", "H1011"),
      ("who_may_ask: [hunter2]\n", "H1016"),
      (String(repeating: "# hunter2\n", count: 7000), "H1010"), ("lights: hunter2\n", "H1014"),
    ] {
      try bench.write("/boot/hearth-setup.yaml", text)
      guard case .refused(let problems) = try bench.boot() else { throw POSIXError(.EINVAL) }
      let result = bench.read("/boot/hearth-setup-result.txt") ?? ""
      #expect(problems.map(\.reason.code) == [code], "\(problems)")
      #expect(
        result.contains("No file was changed.") && result.contains("\(code) config: ") && result.contains("next: "))
      // A name that is looked for is shown; text that may contain a password is not.
      if code == "H1010" || code == "H1011" {
        #expect(!result.contains("hunter2") && !"\(problems)".contains("hunter2"))
      }
      #expect(bench.names("/boot") == ["hearth-setup-result.txt", "hearth-setup.failed.yaml"])
      #expect(
        bench.read("/etc/hearth/hearth.yaml") == old && bench.ran.withLock { $0.isEmpty } && bench.names("/state") == []
      )
      guard case .nothing = try bench.boot() else { throw POSIXError(.EINVAL) }
    }
    try bench.write("/boot/hearth-setup.yaml", "name: north\npaswd: hunter2\n")
    _ = try bench.boot()
    #expect(bench.read("/boot/hearth-setup-result.txt")?.contains("hearth-setup.yaml:2:1: unknown key") == true)
    try bench.write("/boot/hearth-setup.yaml", "name: north\n")
    guard case .setUp = try bench.boot() else { throw POSIXError(.EINVAL) }
    #expect(try Configuration.load(path: bench.configuration).hub.name == "north")
  }

  @Test("what is no file, such as a folder of that name, is refused and called failed")
  func noFile() throws {
    let bench = try SetupBench()
    try FileManager.default.createDirectory(
      atPath: bench.boot + "/hearth-setup.yaml", withIntermediateDirectories: false)
    guard case .refused(let problems) = try bench.boot() else { throw POSIXError(.EINVAL) }
    #expect(problems.map(\.reason) == [.setupFileUnreadable])
    #expect(bench.names("/boot") == ["hearth-setup-result.txt", "hearth-setup.failed.yaml"])
  }

  @Test("H1017: what cannot be set aside is applied once all the same, and gone when it is removed by hand")
  func left() throws {
    let bench = try SetupBench()
    try bench.write("/boot/hearth-setup.yaml", Self.good)
    // A folder in the place of the result: writing fails there, as on a read-only partition.
    try FileManager.default.createDirectory(
      atPath: bench.boot + "/hearth-setup-result.txt", withIntermediateDirectories: false)
    for _ in 0..<3 {
      guard case .setUp(_, let left?) = try bench.boot() else { throw POSIXError(.EINVAL) }
      #expect(left.reason == .setupFileLeft)
      #expect(bench.ran.withLock { $0.count } == 2)
    }
    try bench.write("/etc/hearth/hearth.yaml", "hub: {name: by-hand}\n")
    _ = try bench.boot()
    #expect(try Configuration.load(path: bench.configuration).hub.name == "by-hand")
    try FileManager.default.removeItem(atPath: bench.boot + "/hearth-setup.yaml")
    guard case .nothing = try bench.boot() else { throw POSIXError(.EINVAL) }
    #expect(bench.names("/state") == [])
  }

  @Test("a file that came in the place of one that was begun is a wish of its own")
  func exchanged() throws {
    let bench = try SetupBench()
    try bench.write("/boot/hearth-setup.yaml", Self.good)
    #expect(try isCut(bench, 1))
    try bench.write("/boot/hearth-setup.yaml", "name: south\n")
    _ = try bench.boot()
    let loaded = try Configuration.load(path: bench.configuration)
    #expect(loaded.hub.name == "south" && loaded.hub.preset == .ward)
    #expect(bench.read("/boot/hearth-setup.done.yaml") == "name: south\n" && bench.names("/state") == [])
  }

  /// Whether the power went: there are as many steps.
  private func isCut(_ bench: SetupBench, _ steps: Int) throws -> Bool {
    do {
      _ = try bench.boot(cut: steps)
      return false
    } catch is SetupBench.Cut { return true }
  }

  private func expectSetUp(_ bench: SetupBench) throws {
    let loaded = try Configuration.load(path: bench.configuration)
    #expect(loaded.hub.name == "north" && loaded.hub.preset == .ward)
    #expect(bench.members(of: "hearth") == ["pi", "anna"])
    #expect(bench.ran.withLock { $0.map(\.[0]) } == ["/usr/sbin/usermod", "/usr/sbin/usermod"], "each once")
    #expect(bench.names("/boot") == ["hearth-setup-result.txt", "hearth-setup.done.yaml"])
    #expect(bench.names("/state") == [])
    #expect(bench.names("/etc/hearth") == ["hearth.yaml", "hearth.yaml.before-setup"])
    #expect(bench.read("/boot/hearth-setup-result.txt")?.contains("hunter2") == false)
  }
}
