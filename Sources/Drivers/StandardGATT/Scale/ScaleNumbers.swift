// The numbers of scales: masses in two units, and the codes for "not measured".

import Bluetooth
import Wearable

/// A field of two bytes of the Weight Scale and Body Composition Services: 0 and 65535 mean that it was not measured.
struct ScaleNumber: Sendable, Hashable {
  let raw: UInt16

  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let raw = reader.u16() else { throw .truncated }
    self.raw = raw
  }

  /// The service's code for an unsuccessful measurement.
  static let unsuccessful: UInt16 = 0xFFFF

  /// Whether the scale tried to measure it. 0 is a scale without a person.
  var hasFailed: Bool { raw == Self.unsuccessful }

  /// nil if it was not measured.
  var value: Int64? { raw == 0 || raw == Self.unsuccessful ? nil : Int64(raw) }

  /// Grams of a mass, rounded once; nil if it was not measured. The steps are 0.005 kg, or 0.01 lb of 453.59237 g.
  func grams(isImperial: Bool) -> Int64? {
    guard let value else { return nil }
    if !isImperial { return value * 5 }
    return (value * 45_359_237 + 5_000_000) / 10_000_000
  }
}
