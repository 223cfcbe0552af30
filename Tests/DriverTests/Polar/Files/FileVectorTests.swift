import Bluetooth
import CivilTime
import Foundation
import Health
import PolarMessages
import Testing

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("The vectors of Polar's files")
struct FileVectorTests {
  typealias Value = PolarVectors.Value

  static let topics = [
    "activity", "auto_samples", "nightly_recharge", "skin_temperature_file", "sleep", "spo2", "training_session",
    "exercise_v2",
  ]

  static let vectors = topics.flatMap { (try? PolarVectors.load($0)) ?? [] }

  @Test("are there, and every topic can be read", arguments: topics)
  func vectorsAreThere(topic: String) throws { try PolarVectors.expectSome(topic) }

  @Test("are what the files say", arguments: vectors)
  func vector(_ vector: PolarVectors.Vector) { PolarVectors.judge(Result { try Self.make(vector) }, vector) }

  static func make(_ vector: PolarVectors.Vector) throws -> [String: Value]? {
    let input = vector.input
    switch vector.topic {
    case "activity": return try activity(input)
    case "auto_samples": return try automatic(input)
    case "nightly_recharge": return try recharge(input)
    case "skin_temperature_file": return try temperature(input)
    case "sleep": return try sleep(input)
    case "spo2": return try spo2(input)
    case "training_session": return try training(input)
    case "exercise_v2": return try exercise(input)
    default: return nil
    }
  }

  static let nothing: [String: Value] = ["none": .bool(true)]

  static func day(_ input: [String: Value], _ key: String = "date") throws -> LocalDate {
    try #require(LocalDate(text: input[key]?.text ?? ""))
  }

  /// `2025-01-01T20:45:07.001`, with the offset of its zone if it should be told.
  static func text(_ moment: PolarMoment?, zone: Bool = false) -> Value {
    guard let moment else { return .null }
    let offset = zone ? moment.zoneOffset ?? 0 : 0
    let sign = offset < 0 ? "-" : "+"
    let tail = zone ? sign + String(format: "%02d:%02d", abs(offset) / 60, abs(offset) % 60) : ""
    return .text(iso(moment.microseconds) + tail)
  }

  static func utc(_ microseconds: Int64?) -> Value { microseconds.map { .text(iso($0) + "Z") } ?? .null }

  private static func iso(_ microseconds: Int64) -> String {
    let seconds = Int64((Double(microseconds) / 1e6).rounded(.down))
    let day = Int64((Double(seconds) / 86_400).rounded(.down))
    let inDay = Int(seconds - day * 86_400)
    let millis = Int((microseconds - seconds * 1_000_000) / 1000)
    return LocalDate(dayNumber: day).text
      + String(format: "T%02d:%02d:%02d.%03d", inDay / 3600, inDay / 60 % 60, inDay % 60, millis)
  }

  static func text(_ time: PbTime) -> Value {
    .text(String(format: "%02d:%02d:%02d.%03d", Int(time.hour), Int(time.minute), Int(time.seconds), Int(time.millis)))
  }

  static func text(_ day: LocalDate?) -> Value { day.map { .text($0.text) } ?? .null }

  static func parts(_ duration: PbDuration) -> Value {
    .list([Value(duration.hours), Value(duration.minutes), Value(duration.seconds), Value(duration.millis)])
  }

  static func list(_ values: some Sequence<some BinaryInteger>) -> Value { .list(values.map { Value($0) }) }
  static func list(_ values: some Sequence<Float>) -> Value { .list(values.map { Value($0) }) }
  static func list(_ values: some Sequence<Double>) -> Value { .list(values.map { Value($0) }) }

  static func requests(_ device: PocketFiles) -> Value { .list(device.requests.map { Value($0) }) }
}
