// One stretch of time of a band's clock: what it showed, and how far transfers reached in it.

import Bluetooth
import Health

/// A stretch of time in which a band's clock was ahead by one amount. All times in µs.
struct ClockEra: Sendable, Hashable {
  /// By the hub's clock: it cannot have begun before; `.min`: not known.
  var from: Int64
  /// It cannot have lasted longer; `.max`: it may last.
  var until: Int64
  /// What the band shows beyond Greenwich's time.
  var ahead: Int64
  /// This hub set the clock so. False: of before the first setting, or worked out from the records.
  var isSure: Bool
  /// Worked out from records of one kind: by how much it was ahead is known to `HistoryPlacing.guess`.
  var isGuess = false
  /// How far transfers reached first in it, by the code of their kind.
  var reached: [UInt8: HistoryReach] = [:]
  /// How far they reached last, where something was left on the band.
  var newest: [UInt8: HistoryReach] = [:]
  /// The newest item of each kind that it dated and the band was told to forget: what the band's clock showed, µs.
  var forgotten: [UInt8: Int64] = [:]

  /// This hub had not set the clock yet.
  var isOfBefore: Bool { from == .min && !isSure }
}

/// How far a transfer of one kind reached: what the band tells behind its end was recorded later.
struct HistoryReach: Sendable, Hashable {
  /// µs by the hub's clock.
  var at: Int64
  /// Of its last items (`HistoryTail`); nil: nothing of the kind was left on the band.
  var tail: UInt64?
}

extension HistoryReach {
  /// Code, moment and tail, little-endian; a tail of 0 is none.
  private static let size = 17
  /// Twice as many as there are kinds.
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

  /// What is cut is left out.
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
