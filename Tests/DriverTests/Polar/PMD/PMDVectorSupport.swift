// Which vectors of the measurement service are ours, and what they are held against.

import Bluetooth
import Foundation
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

typealias PMDFact = PolarVectors.Value

/// Vectors of one topic that say what this program does.
enum PMDVectors {
  /// If the vendor's two programs differ, a vector names the program it follows. The dossier's "Choose" lines decide
  /// ours: Android's reading, with one exception. After a clock that was set back, times of frames follow from the
  /// rate.
  static func isOurs(_ vector: PolarVectors.Vector) -> Bool {
    guard let platform = vector.platform?.lowercased() else { return true }
    if vector.topic == "pmd_timestamps", let previous = vector.input["previousTimeStamp"]?.uint,
      let last = vector.input["frameTimeStamp"]?.uint
    {
      return (platform == "ios") == (previous > last)
    }
    if vector.topic == "offline_listing", vector.input["text"]?.text?.contains("MAGNETOMETER") == true {
      return platform == "ios"
    }
    return platform != "ios"
  }

  static func of(_ topics: String...) -> [PolarVectors.Vector] {
    PolarVectors.chosen(topics.flatMap { topic in (try? PolarVectors.load(topic)) ?? [] }, isOurs)
  }
}

extension PolarVectors.Vector {
  var isRefusal: Bool { expected["error"]?.bool == true }

  func require(_ key: String) throws -> PolarVectors.Value { try #require(input[key], "\(testDescription): \(key)") }
  func octets(_ key: String) throws -> [UInt8] { try #require(try require(key).bytes, "\(testDescription): \(key)") }

  /// Everything that is stated.
  func check(_ made: [String: PMDFact], location: SourceLocation = #_sourceLocation) {
    for miss in PolarVectors.misses(made, self) { Issue.record("\(miss)", sourceLocation: location) }
  }
}

extension PolarVectors.Value {
  static func whole(_ value: some BinaryInteger) -> Self { Self(value) }
  static func real(_ value: some BinaryFloatingPoint) -> Self { .number(Double(value)) }
  static func octets(_ bytes: some Sequence<UInt8>) -> Self { Self(bytes: bytes) }
}

/// As a value: the testing library takes a backtrace of each error that is thrown.
func outcome<T, E: Error>(_ body: () throws(E) -> T) -> Result<T, E> {
  do throws(E) { return .success(try body()) } catch { return .failure(error) }
}

func outcome<T, E: Error>(_ bytes: [UInt8], _ body: (RawBytes) throws(E) -> T) -> Result<T, E> {
  bytes.withUnsafeBytes { raw in
    do throws(E) { return .success(try body(raw)) } catch { return .failure(error) }
  }
}
