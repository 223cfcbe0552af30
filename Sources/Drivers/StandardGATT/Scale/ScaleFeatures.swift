// Optional values of a scale, by its features.

import Bluetooth
import Health

/// Weight Scale Feature (2A9E; Weight Scale Service 1.0.1, section 3.1) and Body Composition Feature (2A9B; Body
/// Composition Service 1.0, section 3.1). Both have four bytes of bits. Resolutions (bits 3 to 9 of 2A9E, 11 to 17 of
/// 2A9B) are not decoded. The bits after them are reserved.
///
///     bit   2A9E               2A9B
///     0     time               time
///     1     multiple users     multiple users
///     2     body mass index    basal metabolism
///     3                        muscle percentage
///     4                        muscle mass
///     5                        fat free mass
///     6                        soft lean mass
///     7                        body water mass
///     8                        impedance
///     9                        weight
struct ScaleFeatures: Sendable, Hashable {
  private let bits: UInt32

  /// Reads the features: all values if the feature could not be read, as the scale may have any of them.
  init(_ bytes: [UInt8]?) {
    let told: UInt32? = bytes.flatMap { bytes in
      bytes.withUnsafeBytes { value in
        var reader = ByteReader(value)
        return reader.u32()
      }
    }
    bits = told ?? .max
  }

  /// Reserved bits of 2A9E and of 2A9B.
  static let reservedOfWeight: UInt32 = 0xFFFF_FC00
  static let reservedOfComposition: UInt32 = 0xFFFC_0000

  private func has(_ bit: UInt32) -> Bool { bits >> bit & 1 == 1 }

  var weightSeries: [Series] {
    let optional: [(UInt32, Series)] = [(2, .bodyMassIndex), (1, .userIndex)]
    return [.weight] + optional.filter { has($0.0) }.map(\.1)
  }

  var compositionSeries: [Series] {
    let optional: [(UInt32, Series)] = [
      (2, .basalMetabolism), (3, .musclePercentage), (4, .muscleMass), (5, .fatFreeMass), (6, .softLeanMass),
      (7, .bodyWaterMass), (8, .bodyImpedance), (9, .weight), (1, .userIndex),
    ]
    return [.bodyFat] + optional.filter { has($0.0) }.map(\.1)
  }
}
