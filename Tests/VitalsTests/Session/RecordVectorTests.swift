// Records of measurements as bytes and as values, in a file that the second reader (Tests/Formats) reads, too: what
// Swift writes, Python reads. `HEARTH_WRITE_RECORDS=FILE` writes the file again.

import Foundation
import Testing

@testable import Vitals

/// An entry: bytes, and their meaning or the reason of a refusal.
private struct RecordVector: @unchecked Sendable, CustomTestStringConvertible {
  /// Values of JSON, never changed.
  let fields: [String: Any]

  var testDescription: String { fields["id"] as? String ?? "without id" }
  var bytes: [UInt8]? { (fields["bytes"] as? String).flatMap(Self.bytes(hex:)) }
  var record: [String: Any]? { fields["record"] as? [String: Any] }
  var defect: String? { fields["defect"] as? String }

  static let file = URL(filePath: #filePath).appending(path: "../../../Vectors/measurement/records.json").standardized

  static let all: [RecordVector] = {
    guard let data = try? Data(contentsOf: file),
      let whole = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any],
      let vectors = whole["vectors"] as? [[String: Any]]
    else { return [] }
    return vectors.map(RecordVector.init)
  }()

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension MeasurementRecord {
  /// As the file has it.
  fileprivate var values: [String: Any] {
    var values: [String: Any] = [
      "session": session, "number": number, "basis": basis.name, "person": person, "device": device,
      "start_us": start, "end_us": end, "requested_us": requested, "actual_us": actual,
      "artefact_share": artefactShare, "coverage": coverage, "left_out": leftOut,
    ]
    values["intervals"] = intervals.map { [Int($0.microseconds), Int($0.flags.rawValue)] }
    values["gaps"] = gaps.map { [$0.start, $0.length] }
    values["not_reported"] = notReported.map { ["name": $0.name, "reason": $0.reason] }
    values["results"] = results.map { result -> [String: Any] in
      [
        "name": result.name, "value": result.value, "text": result.text, "unit": result.unit,
        "confidence": result.confidence.name, "window_s": result.windowSeconds, "method": result.method,
        "flags": result.flags.rawValue,
      ]
    }
    switch endReason {
    case .duration: values["end"] = "duration"
    case .stop: values["end"] = "stop"
    case .terminated: values["end"] = "terminated"
    case .error(let code):
      values["end"] = "error"
      values["code"] = code.rawValue
    }
    return values
  }

  /// From what the file has.
  fileprivate init(values: [String: Any]) throws {
    func number(_ name: String) throws -> NSNumber { try #require(values[name] as? NSNumber, "\(name)") }
    func text(_ name: String) throws -> String { try #require(values[name] as? String, "\(name)") }
    func list(_ name: String) throws -> [[String: Any]] { try #require(values[name] as? [[String: Any]], "\(name)") }
    func pairs(_ name: String) throws -> [[NSNumber]] { try #require(values[name] as? [[NSNumber]], "\(name)") }
    let basis = try #require(try MeasurementBasis.allCases.first { try $0.name == text("basis") })
    let end: MeasurementEnd
    switch try text("end") {
    case "duration": end = .duration
    case "stop": end = .stop
    case "terminated": end = .terminated
    default: end = .error(try #require(SessionCode(rawValue: number("code").uint16Value)))
    }
    self.init(basis: basis, endReason: end)
    (session, self.number) = (try number("session").uint64Value, try number("number").uint32Value)
    (person, device) = (try text("person"), try text("device"))
    (start, self.end) = (try number("start_us").int64Value, try number("end_us").int64Value)
    (requested, actual) = (try number("requested_us").int64Value, try number("actual_us").int64Value)
    (artefactShare, coverage) = (try number("artefact_share").doubleValue, try number("coverage").doubleValue)
    for pair in try pairs("intervals") {
      let flags = RecordedInterval.Flags(rawValue: pair[1].uint16Value)
      append(RecordedInterval(microseconds: pair[0].uint32Value, flags: flags))
    }
    for pair in try pairs("gaps") { append(Gap(start: pair[0].int64Value, length: pair[1].int64Value)) }
    for entry in try list("results") {
      func word(_ name: String) throws -> String { try #require(entry[name] as? String, "\(name)") }
      func number(_ name: String) throws -> NSNumber { try #require(entry[name] as? NSNumber, "\(name)") }
      append(
        VitalResult(
          name: try word("name"), value: try number("value").doubleValue, text: try word("text"),
          unit: try word("unit"),
          confidence: try #require(try Confidence.allCases.first { try $0.name == word("confidence") }),
          windowSeconds: try number("window_s").doubleValue, method: try word("method"),
          flags: VitalResult.Flags(rawValue: try number("flags").uint16Value)))
    }
    for entry in try list("not_reported") {
      let (name, reason) = (entry["name"] as? String, entry["reason"] as? String)
      append(NotReported(name: try #require(name), reason: try #require(reason)))
    }
    leftOut = try number("left_out").uint32Value
  }
}

@Suite("The file of records")
struct RecordVectorTests {
  @Test("has records and defects")
  func isThere() {
    #expect(RecordVector.all.count > 20)
    #expect(RecordVector.all.allSatisfy { $0.bytes != nil && ($0.record == nil) != ($0.defect == nil) })
    let defects = Set(RecordVector.all.compactMap(\.defect))
    #expect(defects == Set(RecordDefect.allCases.map { "\($0)" }))
  }

  @Test("says of bytes what they say, and of values which bytes they are", arguments: RecordVector.all)
  fileprivate func bothWays(_ vector: RecordVector) throws {
    let bytes = try #require(vector.bytes)
    guard let values = vector.record else {
      do throws(RecordDefect) {
        _ = try MeasurementRecord(bytes: bytes)
        Issue.record("\(vector.testDescription) is a record")
      } catch {
        #expect("\(error)" == vector.defect)
      }
      return
    }
    let record = try MeasurementRecord(bytes: bytes)
    #expect(NSDictionary(dictionary: try Self.asJSON(record.values)).isEqual(to: values))
    #expect(try MeasurementRecord(values: values) == record)
    // What a later program added is not written again.
    if vector.fields["later"] == nil { #expect(try MeasurementRecord(values: values).bytes == bytes) }
  }

  private static func asJSON(_ values: [String: Any]) throws -> [String: Any] {
    let data = try JSONSerialization.data(withJSONObject: values)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private static let output = ProcessInfo.processInfo.environment["HEARTH_WRITE_RECORDS"]

  @Test("is written on request", .enabled(if: output != nil))
  func write() throws {
    var entries: [[String: Any]] = []
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    func add(_ id: String, _ record: MeasurementRecord) throws {
      let read = try MeasurementRecord(bytes: record.bytes)
      entries.append(["id": id, "bytes": hex(record.bytes), "record": read.values])
    }
    func add(_ id: String, _ bytes: [UInt8], _ defect: RecordDefect) {
      entries.append(["id": id, "bytes": hex(bytes), "defect": "\(defect)"])
    }
    let example = MeasurementRecord.example
    try add("example", example)
    try add("empty", MeasurementRecord(basis: .rate, endReason: .terminated))
    for code in SessionCode.allCases {
      try add("error \(code.rawValue)", MeasurementRecord(basis: .rr, endReason: .error(code)))
    }
    // Chosen so that the file stays small; each run of the property tests has fresh ones.
    for seed in [3, 5, 8, 13, 21] as [UInt64] {
      var random = SeededRandom(seed)
      try add("random \(seed)", MeasurementRecord.random(&random, isTame: true))
    }
    let later: [UInt8] = example.bytes + [12, 2, 7, 7, 200, 0]
    entries.append([
      "id": "with fields of a later program", "bytes": hex(later), "record": example.values, "later": true,
    ])
    let whole = example.bytes
    add("nothing", [], .truncated)
    add("cut off", Array(whole.dropLast()), .truncated)
    add("later version", [2] + whole.dropFirst(), .version)
    add("field missing", [1, 2, 0], .field)
    add("field twice", whole + [11, 1, 0], .field)
    add("fields out of order behind the last", whole + [13, 0, 12, 0], .field)
    add("unknown basis", [1, 1, 3, 1, 1, 9], .number)
    add("long varint", [1, 1, 4, 0x80, 0, 1, 1], .number)
    add("varint of more than 64 bits", [1, 1, 10] + [UInt8](repeating: 0xFF, count: 9) + [2], .number)
    add("bytes behind a content", [1, 1, 4, 1, 1, 1, 1], .content)
    add("no UTF-8", Array(whole.prefix(7)) + [2, 2, 1, 0xFF], .text)
    add("too long", whole + [12, 0xA0, 0x1D] + [UInt8](repeating: 0, count: 3744), .size)
    let file = try JSONSerialization.data(
      withJSONObject: ["vectors": entries], options: [.sortedKeys, .withoutEscapingSlashes])
    // A vector a line, so that a change of one is a change of one line.
    let text = String(decoding: file, as: UTF8.self).replacing(#"},{"bytes""#, with: "},\n{\"bytes\"")
    try (text + "\n").write(toFile: try #require(Self.output), atomically: true, encoding: .utf8)
  }
}
