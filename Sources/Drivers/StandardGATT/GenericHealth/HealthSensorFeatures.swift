// Health Sensor Features (2BF3): the types of observations that a generic health sensor has.

import Bluetooth
import Health
import Wearable

/// Generic Health Sensor Service 1.0.
///
///     byte 0   flags: bit 0 specializations follow; others reserved
///     byte 1   number of types
///     then 4   for each its code of the nomenclature; specializations follow, which are not decoded
///
/// Taken from public implementations and not from the service's specification. If the number of bytes does not match,
/// the features count as unknown.
struct HealthSensorFeatures: Sendable, Hashable {
  let types: [UInt32]
  let hasReservedFlags: Bool
  /// Bytes after the last type that no flag announces.
  let trailingBytes: Int

  private static let specializations: UInt8 = 1 << 0

  /// - Throws: `empty` without bytes, `truncated` if a type is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    guard let count = reader.u8() else { throw .truncated }
    var types: [UInt32] = []
    for _ in 0..<count {
      guard let type = reader.u32() else { throw .truncated }
      types.append(type)
    }
    self.types = types
    hasReservedFlags = flags & ~Self.specializations != 0
    trailingBytes = flags & Self.specializations != 0 ? 0 : reader.remaining
  }

  /// Series of the listed types; all series if the features are unknown.
  static func series(_ feature: [UInt8]?) -> [Series] {
    let told = feature.flatMap { bytes in bytes.withUnsafeBytes { try? HealthSensorFeatures($0) } }
    guard let told, !told.types.isEmpty else { return ObservationSeries.series }
    return ObservationSeries.all.filter { told.types.contains($0.code) }.map(\.series)
  }
}
