// The vectors of the family: read from Tests/Vectors/topstep/moyoung.json, or from $HEARTH_VECTORS/topstep. Whatever
// they hold, the runner goes on: what it does not know is named.

import Foundation
import Health
import Testing

@testable import DriverTestSupport
@testable import MoyoungFamily

enum MoyoungVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/topstep").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "topstep")
  }()

  /// A folder without this file has no vectors of the family.
  static func load(_ folder: URL) throws -> [Vector] {
    let file = folder.appending(path: "moyoung.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let content = try JSONDecoder().decode(VectorFile.self, from: Data(contentsOf: file))
    return Attempts.read(content.vectors, "topstep/moyoung").map { entry in
      Vector(
        topic: "moyoung", id: entry.id, kind: entry.kind, characteristic: entry.characteristic ?? "",
        bytes: entry.hex.flatMap { Array(hexadecimal: $0) },
        values: (entry.pdus ?? []).compactMap { Array(hexadecimal: $0) }, expect: entry.expect ?? [:],
        error: entry.error)
    }
  }

  static let all = (try? load(folder)) ?? []
}

/// Payloads and the vectors' fields, for both ways of the wire.
enum MoyoungTopic {
  /// Fields of a message of a band, or of the hub; nil for an unknown command.
  ///
  /// - Parameter isRequest: decodes the hub's message, if both have the same command.
  static func fields(_ command: UInt8, _ payload: [UInt8], isRequest: Bool) -> [String: JSON]? {
    switch command {
    case 46: return payload.first.map { ["value": .integer($0)] } ?? [:]
    case Moyoung.Command.userInfo:
      guard let user = MoyoungUser(payload: payload) else { return nil }
      return [
        "height_cm": .integer(user.height), "weight_kg": .integer(user.weight), "age": .integer(user.age),
        "sex": .string(user.isFemale ? "female" : "male"),
      ]
    // The goal is not the hub's: known here alone. Big-endian.
    case 22 where payload.count == 4: return ["goal_steps": .integer(payload.reduce(0) { $0 << 8 | UInt32($1) })]
    case Moyoung.Command.setInterval, Moyoung.Command.queryInterval:
      guard let code = payload.first, let seconds = MoyoungInterval.seconds(code) else { return nil }
      return ["interval_min": .integer(seconds / 60)]
    case Moyoung.Command.measureRate, Moyoung.Command.measureOxygen:
      if isRequest { return action(payload, MoyoungMeasurement.start, MoyoungMeasurement.stop) }
      let series: Series = command == Moyoung.Command.measureOxygen ? .spo2 : .heartRate
      let value = MoyoungMeasurement.result(payload, series)
      return [series == .spo2 ? "spo2" : "bpm": value.map { .integer($0) } ?? .null]
    // The pressure is an estimate: no code of the driver reads it.
    case 105 where payload.count == 3:
      if isRequest { return action(payload, [0, 0, 0], [0xFF, 0xFF, 0xFF]) }
      return ["systolic": .integer(payload[1]), "diastolic": .integer(payload[2])]
    case Moyoung.Command.rates: return rates(payload)
    case Moyoung.Command.sleepToday: return sleep(payload)
    case Moyoung.Command.pastDays: return past(payload)
    default: return nil
    }
  }

  private static func action(_ payload: [UInt8], _ start: [UInt8], _ stop: [UInt8]) -> [String: JSON]? {
    payload == start ? ["action": .string("start")] : payload == stop ? ["action": .string("stop")] : nil
  }

  private static func rates(_ payload: [UInt8]) -> [String: JSON]? {
    guard let index = payload.first, MoyoungRates.indices.contains(index) else { return nil }
    if payload.count == 1 {
      let request = MoyoungRates(payload: [index] + [UInt8](repeating: 0, count: 72))
      return request.map {
        ["index": .integer(index), "days_ago": .integer($0.daysAgo), "start_hour": .integer($0.startHour)]
      }
    }
    guard let answer = MoyoungRates(payload: payload) else { return nil }
    let samples = answer.rates.indices.filter { MoyoungRates.isRate(answer.rates[$0]) }.map { place in
      JSON.object([
        "minute_of_day": .integer(answer.startHour * 60 + place * 5), "bpm": .integer(answer.rates[place]),
      ])
    }
    return ["index": .integer(index), "days_ago": .integer(answer.daysAgo), "samples": .array(samples)]
  }

  private static func sleep(_ payload: [UInt8]) -> [String: JSON]? {
    func two(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let names: [Int64: String] = [1: "awake", 2: "rem", 3: "light", 4: "deep"]
    let night = SleepNight(payload)
    guard (try? night.seconds()) != nil else { return nil }
    return [
      "segments": .array(
        night.entries.map {
          .object([
            "start": .string("\(two($0.hour)):\(two($0.minute))"), "stage": .string(names[$0.series] ?? "unknown"),
          ])
        })
    ]
  }

  private static func past(_ payload: [UInt8]) -> [String: JSON]? {
    guard let argument = payload.first, (1...4).contains(argument) else { return nil }
    let order = PastDayOrder.observed
    let isSteps = argument < 3
    let daysAgo: Int64 = (isSteps ? order.steps(1) : order.sleep(1)) == argument ? 1 : 2
    if payload.count == 1 { return ["query": .string(isSteps ? "steps" : "sleep"), "days_ago": .integer(daysAgo)] }
    guard isSteps else { return sleep(Array(payload.dropFirst())) }
    guard let totals = DailyTotals(payload.dropFirst()) else { return nil }
    return [
      "days_ago": .integer(daysAgo), "steps": .integer(totals.steps), "distance_m": .integer(totals.metres),
      "calories_kcal": .integer(totals.kilocalories),
    ]
  }
}

@Suite("The vectors of Moyoung's bands")
struct MoyoungVectorTests {
  @Test("are there, each with its own id")
  func present() throws {
    #expect(try MoyoungVectors.load(MoyoungVectors.ownFolder).count == 24)
    #expect(Set(MoyoungVectors.all.map(\.id)).count == MoyoungVectors.all.count)
    print("vectors from \(MoyoungVectors.folder.path): \(MoyoungVectors.all.count) of Moyoung's bands")
  }

  @Test("are what the driver makes of the bytes, and writes", arguments: MoyoungVectors.all)
  func vector(_ vector: Vector) throws {
    switch vector.kind {
    case "valid", "both", "encode": try whole(vector)
    case "reject":
      let bytes = try #require(vector.bytes, "no bytes")
      #expect(throws: MoyoungFrame.Defect.self) { try MoyoungFrame(bytes) }
      if let error = vector.error, let defect = MoyoungFrame.Defect(rawValue: error) {
        #expect(throws: defect) { try MoyoungFrame(bytes) }
      }
    case "incomplete":
      let bytes = try #require(vector.bytes, "no bytes")
      #expect(try MoyoungFrame(bytes) == nil)
      var assembler = MoyoungAssembler()
      #expect(assembler.take(bytes) == .more)
    // Named by `parts()`.
    default: break
    }
  }

  private func frame(_ vector: Vector) throws -> MoyoungFrame? {
    if let bytes = vector.bytes { return try MoyoungFrame(bytes) }
    var assembler = MoyoungAssembler()
    var found: MoyoungFrame?
    for value in vector.values {
      if case .whole(let frame) = assembler.take(value) { found = frame }
    }
    return found
  }

  private func whole(_ vector: Vector) throws {
    let frame = try #require(try frame(vector), "no whole frame")
    let expect = vector.expect
    if let command = expect["cmd"] { #expect(JSON.integer(frame.command).matches(command)) }
    if case .string(let framing)? = expect["framing"] {
      #expect(framing == (frame.framing == .fixed ? "fixed20" : "mtu"))
    }
    if case .string(let payload)? = expect["payload"] { #expect(frame.payload == Array(hexadecimal: payload)) }
    if vector.kind != "valid", let bytes = vector.bytes {
      #expect(MoyoungFrame(frame.framing, frame.command, frame.payload)?.bytes == bytes)
    }
    guard case .object(let message)? = expect["message"] else { return }
    guard let fields = made(frame, message, vector) else { return }
    for (name, stated) in message {
      if let own = fields[name] { #expect(own.matches(stated), "\(name): \(own), stated \(stated)") }
    }
    for name in fields.keys { #expect(message[name] != nil, "\(name) is not in the vector") }
  }

  /// What both send with one command is told by what the vector says.
  private func made(_ frame: MoyoungFrame, _ message: [String: JSON], _ vector: Vector) -> [String: JSON]? {
    let isRequest = message["action"] != nil || vector.kind == "encode"
    return MoyoungTopic.fields(frame.command, frame.payload, isRequest: isRequest)
  }

  @Test("fields and encodings without an independent comparison are named")
  func parts() {
    var coverage = Coverage()
    for vector in MoyoungVectors.all { for part in uncovered(vector) { coverage.miss("moyoung", part) } }
    coverage.tell(isOwn: MoyoungVectors.folder == MoyoungVectors.ownFolder, known: [])
  }

  /// What of a vector `vector(_:)` passes over.
  private func uncovered(_ vector: Vector) -> [String] {
    switch vector.kind {
    case "valid", "both", "encode": break
    case "reject":
      return vector.error.flatMap { MoyoungFrame.Defect(rawValue: $0) } == nil ? ["error \(vector.error ?? "")"] : []
    case "incomplete": return []
    default: return ["kind \(vector.kind)"]
    }
    var parts = vector.expect.keys.filter { !["cmd", "framing", "payload", "message"].contains($0) }.map {
      "field \($0)"
    }
    guard let frame = try? frame(vector) else { return parts }
    if vector.kind != "valid", vector.bytes == nil { parts.append("encoding in pieces") }
    guard case .object(let message)? = vector.expect["message"] else { return parts }
    guard let fields = made(frame, message, vector) else { return parts + ["message of command \(frame.command)"] }
    return parts + message.keys.filter { fields[$0] == nil }.map { "field \($0) of command \(frame.command)" }
  }

  @Test("are written by the driver itself if it writes them")
  func written() throws {
    #expect(MoyoungUser(height: 178, weight: 70, age: 34, isFemale: false).payload == [0xB2, 0x46, 0x22, 0x00])
    #expect(MoyoungInterval.code(600) == 2 && MoyoungInterval.code(900) == nil && MoyoungInterval.code(0) == nil)
    #expect(MoyoungInterval.seconds == [300, 600, 1200, 1800] && MoyoungInterval.seconds(3) == nil)
  }
}
