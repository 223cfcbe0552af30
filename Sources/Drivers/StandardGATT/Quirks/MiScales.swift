// Values of Xiaomi's scales under the numbers of the Weight Scale and the Body Composition Service. A scale sends every
// weight while a person stands on it, and the last one several times.

import Bluetooth
import Wearable

/// Bits in the flags of a Mi Scale's Weight Measurement, which the service reserves. Bit 4 is the unit catty: the step
/// of 0.01 catty is that of a kilogram, 5 g.
enum MiWeightFlags {
  static let settled: UInt8 = 1 << 5
  static let steppedOff: UInt8 = 1 << 7
  static let own: UInt8 = 0xF0
}

/// A value of 2A9C of a Mi Body Composition Scale; all is little-endian.
///
///     0        bit 0 pounds; others unknown
///     1        bit 1 the impedance is measured, 5 settled, 6 catty, 7 stepped off; others unknown
///     2-8      Date Time, without a zone
///     9-10     impedance, Ω
///     11-12    weight, 0.005 kg, 0.01 lb or 0.01 catty (5 g)
struct MiComposition: Sendable, Hashable {
  let isImperial, isSettled: Bool
  let time: DateTime
  /// Ω; nil until it is measured.
  let impedance: UInt16?
  let weight: ScaleNumber
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below thirteen.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let unit = reader.u8() else { throw .empty }
    guard let state = reader.u8() else { throw .truncated }
    isImperial = unit & 1 != 0
    isSettled = state & 1 << 5 != 0
    time = try DateTime(&reader)
    guard let ohms = reader.u16() else { throw .truncated }
    impedance = state & 1 << 1 != 0 ? ohms : nil
    weight = try ScaleNumber(&reader)
    trailingBytes = reader.remaining
  }
}

/// Deduplication of a weighing that the scale sends repeatedly: what was already stored over this link.
struct StreamedWeighing: Sendable {
  private var weight: ScaleNumber?
  private(set) var hasImpedance = false

  /// A person steps on or off.
  mutating func unsettled() { (weight, hasImpedance) = (nil, false) }

  /// - Returns: whether the weight differs from the last one that was stored.
  mutating func isNew(_ weight: ScaleNumber) -> Bool {
    if weight == self.weight { return false }
    (self.weight, hasImpedance) = (weight, false)
    return true
  }

  mutating func tellsImpedance() { hasImpedance = true }
}
