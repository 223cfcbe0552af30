import Foundation
import Reasons
import Testing

@testable import Configuration

@Suite("Checking a configuration")
struct CheckingTests {
  private func check(_ text: String) throws -> [String] {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", text)
    return Configuration.check(path: path).problems.map { problem in
      #expect(problem.reason == .configUnknownKey || problem.reason == .configBadValue)
      return String(problem.detail.dropFirst(path.utf8.count + 1))
    }
  }

  @Test("all errors of a file are reported, in its order")
  func all() throws {
    let found = try check(
      """
      hub: {nam: gym, preset: spa}
      store:
        size: 10
        rings: {acc: {quota: soon}}
      lights: 5
      log:
        level: debug
      """)
    #expect(found.count == 5, "\(found)")
    #expect(found.contains { $0.contains("unknown key 'nam' (did you mean 'name'?)") })
    #expect(found.contains { $0.contains("hub.preset is 'spa'") })
    #expect(found.contains { $0.contains("store.size is '10'") })
    #expect(found.contains { $0.contains("store.rings.acc.quota is 'soon'") })
    #expect(found.contains { $0.contains("'lights' holds keys") })
    #expect(try check("hub: {name: gym}\n") == [])
    #expect(try check("").isEmpty)
  }

  @Test("a file that is no YAML, and one that is not there, are one error each")
  func unreadable() throws {
    #expect(Configuration.check(path: "/nowhere/hearth.yaml").problems.map(\.reason) == [.configUnreadable])
    let folder = try Scratch()
    let found = Configuration.check(path: try folder.file("hearth.yaml", "hub: {name: [\n"))
    #expect(found.problems.map(\.reason) == [.configSyntax])
  }

  @Test("values that contradict each other are reported, with both")
  func contradictions() throws {
    #expect(
      try check(
        """
        store:
          size: 100MB
          rings:
            acc: {quota: 200MB}
            default: {quota: 150MB}
            heart_rate: {quota: 50MB}
        lane: {slice: 30m, fresh: 20m}
        """) == [
          "5: store.rings.default.quota is 150MB, more than store.size, which is 100MB",
          "4: store.rings.acc.quota is 200MB, more than store.size, which is 100MB",
          "7: lane.slice is 30m, longer than lane.visit_bound, which is 15m",
          "7: lane.fresh is 20m, longer than lane.visit_bound, which is 15m",
        ])
  }

  @Test("configured folders that do not exist are reported; the store makes its own in one that exists")
  func folders() throws {
    let found = try check(
      "store: {path: /nowhere/at/all}\ncontrol: {socket: /nowhere/s}\nlights: {boards: /nowhere/boards}\n")
    #expect(
      found == [
        "1: store.path needs the folder /nowhere/at, which is not there",
        "2: control.socket needs the folder /nowhere, which is not there",
        "3: lights.boards needs the folder /nowhere/boards, which is not there",
      ])
    #expect(try check("store: {path: data}\ncontrol: {socket: s}\n") == [])
  }

  @Test("what the daemon takes is checked alike")
  func alike() throws {
    let folder = try Scratch()
    for text in ["", "hub: {name: a}\n", "hub: {name: a, preset: ward}\nstore: {size: 64MiB}\n"] {
      let path = try folder.file("hearth.yaml", text)
      #expect(Configuration.check(path: path).configuration == (try Configuration.load(path: path)))
    }
  }
}
