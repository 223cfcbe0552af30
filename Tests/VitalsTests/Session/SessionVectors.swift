// The vectors of measurement sessions: read from Tests/Vectors/session, or from $HEARTH_VECTORS/session. What is wrong
// with a vector, or with what the machine makes of it, is a list of sentences: no vector ends the run.

import Foundation
import Testing
import Vitals

/// A JSON value of a vector.
enum SessionJSON: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([SessionJSON])
  case object([String: SessionJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([SessionJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: SessionJSON].self))
    }
  }

  /// For the sentences of a fault.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let fields):
      "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value.text)" }.joined(separator: ", ") + "}"
    }
  }
}

struct SessionVector: Sendable, CustomTestStringConvertible {
  let id: String
  let content: SessionJSON
  let defaultDuration: SessionJSON

  var testDescription: String { id }
}

enum SessionVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/session").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "session")
  }()

  /// The vectors of all files of a folder, and what is wrong with the files themselves.
  static func load(_ folder: URL) -> (vectors: [SessionVector], faults: [String]) {
    var vectors: [SessionVector] = []
    var faults: [String] = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
      do {
        let data = try Data(contentsOf: folder.appending(path: name))
        guard case .object(let document) = try JSONDecoder().decode(SessionJSON.self, from: data) else {
          faults.append("\(name): no object")
          continue
        }
        faults += wrong(document, name)
        guard case .array(let entries)? = document["vectors"] else { continue }
        vectors += entries.enumerated().map { index, entry in
          var id = "\(name), number \(index)"
          if case .object(let fields) = entry, case .string(let own)? = fields["id"] { id = own }
          return SessionVector(
            id: id, content: entry, defaultDuration: document["default_duration_s"] ?? .number(60))
        }
      } catch {
        faults.append("\(name): \(error)")
      }
    }
    return (vectors, faults)
  }

  private static func wrong(_ document: [String: SessionJSON], _ name: String) -> [String] {
    var faults: [String] = []
    if document["schema"] != .string("session-vectors/1") { faults.append("\(name): schema that nobody knows here") }
    if document["initial_state"] ?? .string("initializing") != .string("initializing") {
      faults.append("\(name): a session begins in another state")
    }
    if case .array = document["vectors"] {} else { faults.append("\(name): no vectors") }
    let known = ["schema", "set", "title", "initial_state", "default_duration_s", "vectors"]
    for key in document.keys.sorted() where !known.contains(key) { print("not compared: \(name): \(key)") }
    return faults
  }

  static let loaded = load(folder)
}

/// Runs the steps of one vector on a new session.
struct SessionScript {
  private var session = MeasurementSession(at: moment(0))
  private var faults: [String] = []
  private var remarks: [String] = []
  private let defaultDuration: SessionJSON

  /// - Returns: the faults, empty for a vector that holds; and the parts that were not compared.
  static func run(_ vector: SessionVector) -> (faults: [String], remarks: [String]) {
    var script = SessionScript(defaultDuration: vector.defaultDuration)
    script.run(vector.content)
    func named(_ sentences: [String]) -> [String] { sentences.map { "\(vector.id): \($0)" } }
    return (named(script.faults), named(script.remarks))
  }

  private init(defaultDuration: SessionJSON) { self.defaultDuration = defaultDuration }

  private mutating func run(_ vector: SessionJSON) {
    guard case .object(let fields) = vector else { return faults.append("no object") }
    known(fields, ["id", "kind", "note", "steps"], "of the vector")
    if case .string? = fields["id"] {} else { faults.append("no id") }
    if fields["kind"] != .string("valid") { faults.append("a kind of vector that nobody knows here") }
    if let note = fields["note"], case .string = note {} else if fields["note"] != nil { faults.append("no note") }
    guard case .array(let steps)? = fields["steps"], !steps.isEmpty else { return faults.append("no steps") }
    for (index, step) in steps.enumerated() { take(step, "step \(index)", moment(Double(index + 1))) }
  }

  private mutating func take(_ step: SessionJSON, _ name: String, _ now: SessionMoment) {
    guard case .object(let fields) = step else { return faults.append("\(name): no object") }
    known(fields, ["do", "expect", "duration_s", "t_s", "code", "note"], name)
    guard case .string(let verb)? = fields["do"] else { return faults.append("\(name): nothing to do") }
    guard let event = event(verb, fields, name) else { return }
    let before = session.state
    let outcome = session.handle(event, at: now)
    guard case .object(let expect)? = fields["expect"] else { return faults.append("\(name): nothing expected") }
    compare(outcome, expect, before, "\(name), \(verb)")
  }

  private mutating func event(_ verb: String, _ fields: [String: SessionJSON], _ name: String) -> SessionEvent? {
    let own = ["start": "duration_s", "elapsed": "t_s", "fault": "code"]
    for key in ["duration_s", "t_s", "code"] where fields[key] != nil && own[verb] != key {
      remarks.append("\(name), \(verb): \(key)")
    }
    switch verb {
    case "start": return microseconds(fields["duration_s"] ?? defaultDuration, name).map { .start(duration: $0) }
    case "stop": return .stop
    case "terminate": return .terminate
    case "device_ready": return .sensorReady
    case "device_lost": return .sensorLost
    case "connect_timeout": return .connectionTimedOut
    case "started": return .prepared
    case "elapsed": return microseconds(fields["t_s"], name).map { .elapsed($0) }
    case "fault": return code(fields["code"], name).map { .fault($0) }
    case "computed": return .computed
    case "closed": return .closed
    default:
      faults.append("\(name): nobody knows here how to do \(verb)")
      return nil
    }
  }

  private mutating func compare(
    _ outcome: SessionOutcome, _ expect: [String: SessionJSON], _ before: SessionState, _ name: String
  ) {
    known(expect, ["state", "states", "refused", "error", "deferred", "results"], "\(name), expected")
    func differ(_ what: String, _ ours: SessionJSON?) {
      guard ours != expect[what] else { return }
      faults.append("\(name): \(what) \(ours?.text ?? "absent"), not \(expect[what]?.text ?? "absent")")
    }
    differ("state", .string(session.state.name))
    // Absent is the same as empty, and as false.
    if outcome.states != [] || expect["states"] != .array([]) {
      differ("states", outcome.states.isEmpty ? nil : .array(outcome.states.map { .string($0.name) }))
    }
    if outcome.answer == .deferred || expect["deferred"] != .bool(false) {
      differ("deferred", outcome.answer == .deferred ? .bool(true) : nil)
    }
    if outcome.codes.count > 1 { faults.append("\(name): more than one error announced") }
    differ("error", outcome.codes.first.map { .number(Double($0.rawValue)) })
    var refused: SessionJSON?
    if case .refused(let code) = outcome.answer {
      refused = .number(Double(code.rawValue))
      if session.state != before || !outcome.effects.isEmpty { faults.append("\(name): refused and changed") }
    }
    differ("refused", refused)
    differ("results", results(outcome, name))
  }

  /// `final` or `none`, delivered before the state that follows.
  private mutating func results(_ outcome: SessionOutcome, _ name: String) -> SessionJSON? {
    var found: SessionJSON?
    for (index, effect) in outcome.effects.enumerated() {
      switch effect {
      case .deliver, .discard:
        if found != nil { faults.append("\(name): results twice") }
        if case .deliver = effect { found = .string("final") } else { found = .string("none") }
        let isBefore = outcome.effects[..<index].allSatisfy { if case .state = $0 { false } else { true } }
        if !isBefore { faults.append("\(name): results after a state") }
      default: break
      }
    }
    return found
  }

  private mutating func known(_ fields: [String: SessionJSON], _ names: [String], _ what: String) {
    for key in fields.keys.sorted() where !names.contains(key) {
      faults.append("\(what): nobody knows here what \(key) is")
    }
  }

  /// Seconds as microseconds; what 64 bits do not hold is their end, as far from any limit as the number itself.
  private mutating func microseconds(_ value: SessionJSON?, _ name: String) -> Int64? {
    guard case .number(let seconds)? = value else {
      faults.append("\(name): no seconds")
      return nil
    }
    let exact = (seconds * 1_000_000).rounded()
    return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
  }

  private mutating func code(_ value: SessionJSON?, _ name: String) -> SessionCode? {
    guard case .number(let number)? = value, let raw = UInt16(exactly: number), let code = SessionCode(rawValue: raw)
    else {
      faults.append("\(name): no code that is known here")
      return nil
    }
    return code
  }
}
