// Era of a band's clock: a period with one offset, and how far transfers reached in it.

import Bluetooth
import Health

/// Period in which a band's clock had one offset. All times in µs.
struct ClockEra: Sendable, Hashable {
  /// Earliest possible begin, by the hub's clock; `.min`: unknown.
  var from: Int64
  /// Latest possible end; `.max`: it may continue.
  var until: Int64
  /// Offset of the band's clock from UTC.
  var ahead: Int64
  /// Whether this hub set the clock so. False: before the first setting, or derived from records.
  var isSure: Bool
  /// Derived from records of one kind: the offset is known to within `HistoryPlacing.guess`.
  var isGuess = false
  /// First reach of each kind's transfers in this era, by code.
  var reached: [UInt8: HistoryReach] = [:]
  /// Last reach of each kind, if the band kept records.
  var newest: [UInt8: HistoryReach] = [:]
  /// Newest item of each kind that was dated in this era and that the band then erased: time on the band's clock, µs.
  var forgotten: [UInt8: Int64] = [:]

  /// Whether this era is before the hub's first setting.
  var isOfBefore: Bool { from == .min && !isSure }
}

/// Reach of a transfer of one kind: records that follow its end were recorded later.
struct HistoryReach: Sendable, Hashable {
  /// Time of the transfer, µs by the hub's clock.
  var at: Int64
  /// Digest of its last items (`HistoryTail`); nil: the band kept no records of the kind.
  var tail: UInt64?
}

extension HistoryReach {
  /// Code, moment and tail, little-endian; a tail of 0 means "no tail".
  private static let size = 17
  /// Limit of twice as many as there are kinds.
  static let sizeLimit = 32 * size

  static func bytes(_ all: [UInt8: HistoryReach]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (code, reach) in all.sorted(by: { $0.key < $1.key }).prefix(sizeLimit / size) {
      bytes.append(code)
      bytes.append(littleEndian: reach.at)
      bytes.append(littleEndian: reach.tail ?? 0)
    }
    return bytes
  }

  /// A truncated entry is left out.
  static func read(_ bytes: [UInt8]) -> [UInt8: HistoryReach] {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      var all: [UInt8: HistoryReach] = [:]
      while let code = reader.u8(), let at = reader.u64(), let tail = reader.u64() {
        all[code] = HistoryReach(at: Int64(bitPattern: at), tail: tail == 0 ? nil : tail)
      }
      return all
    }
  }
}
