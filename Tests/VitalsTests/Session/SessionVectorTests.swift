// The machine against the vectors, and the runner of the vectors against spoiled ones.

import Foundation
import Testing
import Vitals

@Suite("The vectors of measurement sessions")
struct SessionVectorTests {
  @Test("are there, each with its own id")
  func present() {
    let own = SessionVectors.load(SessionVectors.ownFolder)
    #expect(own.vectors.count == 18)
    #expect(own.faults == [])
    for fault in SessionVectors.loaded.faults { Issue.record("\(fault)") }
    let all = SessionVectors.loaded.vectors
    #expect(Set(all.map(\.id)).count == all.count)
    print("vectors from \(SessionVectors.folder.path): \(all.count) of measurement sessions")
  }

  @Test("are what the machine does", arguments: SessionVectors.loaded.vectors)
  func vector(_ vector: SessionVector) {
    let (faults, remarks) = SessionScript.run(vector)
    for fault in faults { Issue.record("\(fault)") }
    for remark in remarks { print("not compared: \(remark)") }
  }

  private func faults(_ steps: String, kind: String = "valid", more: String = "") throws -> [String] {
    let text = #"{"id": "own", "kind": "\#(kind)", \#(more) "steps": \#(steps)}"#
    let content = try JSONDecoder().decode(SessionJSON.self, from: Data(text.utf8))
    return SessionScript.run(SessionVector(id: "own", content: content, defaultDuration: .number(60))).faults
  }

  @Test("with unknown words fail here, each with a sentence")
  func unknown() throws {
    let ready = #"{"do": "device_ready", "expect": {"states": ["ready"], "state": "ready"}}"#
    #expect(try faults("[\(ready)]") == [])
    #expect(
      try faults("[\(ready)]", more: #""colour": 1,"#) == ["own: of the vector: nobody knows here what colour is"])
    #expect(try faults("[\(ready)]", kind: "reject") == ["own: a kind of vector that nobody knows here"])
    #expect(
      try faults(#"[{"do": "sing", "expect": {"state": "initializing"}}]"#)
        == ["own: step 0: nobody knows here how to do sing"])
    #expect(
      try faults(#"[{"do": "stop", "loud": true, "expect": {"refused": 6005, "state": "initializing"}}]"#)
        == ["own: step 0: nobody knows here what loud is"])
    #expect(
      try faults(#"[{"do": "stop", "expect": {"refused": 6005, "state": "initializing", "mood": "good"}}]"#)
        == ["own: step 0, stop, expected: nobody knows here what mood is"])
    #expect(
      try faults(#"[{"do": "fault", "code": 1, "expect": {"state": "initializing"}}]"#)
        == ["own: step 0: no code that is known here"])
    #expect(try faults("[]") == ["own: no steps"])
    #expect(try faults("[7]") == ["own: step 0: no object"])
  }

  @Test("that expect something else fail: each part of an expectation is compared")
  func compared() throws {
    for expect in [
      #"{"state": "ready"}"#, #"{"states": ["ready"], "state": "starting"}"#, #"{"states": ["ready"]}"#,
      #"{"states": ["ready"], "state": "ready", "refused": 6004}"#, #"{"states": [], "state": "ready"}"#,
      #"{"states": ["ready"], "state": "ready", "error": 8007}"#, #"{"states": [7], "state": "ready"}"#,
      #"{"states": ["ready"], "state": "ready", "deferred": true}"#,
      #"{"states": ["ready"], "state": "ready", "results": "final"}"#,
      #"{"states": ["ready", "ready"], "state": "ready"}"#, "null", "[]",
    ] {
      #expect(try faults(#"[{"do": "device_ready", "expect": \#(expect)}]"#) != [], "\(expect)")
    }
  }

  /// The value with what is at one place exchanged, for every place in it.
  private func spoiled(_ value: SessionJSON, _ odd: SessionJSON) -> [SessionJSON] {
    switch value {
    case .object(let fields):
      fields.keys.sorted().flatMap { key in
        [odd].map { .object(fields.merging([key: $0]) { $1 }) } + [.object(fields.filter { $0.key != key })]
          + spoiled(fields[key] ?? .null, odd).map { .object(fields.merging([key: $0]) { $1 }) }
      }
    case .array(let entries):
      [.array(entries.reversed())]
        + entries.indices.flatMap { place in
          ([odd] + spoiled(entries[place], odd)).map { other in
            var changed = entries
            changed[place] = other
            return .array(changed)
          }
        }
    default: []
    }
  }

  @Test("that are spoiled in any one place are read to their end")
  func spoiled() {
    let odd: [SessionJSON] = [
      .number(-1), .number(0), .number(999), .number(65_536), .number(0x1p63), .number(-0x1p63), .number(0x1p64),
      .number(1e300), .number(-1e300), .number(0.5), .string(""), .string("zz"), .null, .bool(true), .array([]),
      .object([:]),
    ]
    var run = 0
    var caught = 0
    for vector in SessionVectors.load(SessionVectors.ownFolder).vectors {
      for other in odd {
        for content in spoiled(vector.content, other) {
          run += 1
          let changed = SessionVector(id: vector.id, content: content, defaultDuration: vector.defaultDuration)
          if SessionScript.run(changed).faults != [] { caught += 1 }
        }
      }
    }
    // Undetected changes are a note, a duration or a time without an effect.
    #expect(Double(caught) > 0.8 * Double(run), "\(caught) of \(run)")
  }
}
