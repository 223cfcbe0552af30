// Trainings: the last three as a table, and the rates of one, which a band begins to tell after it ended. Pure.

import Bluetooth

/// One of the three places of answer 55.
///
///     0-3     begin, `MoyoungTime`, little-endian; 0: the place is empty
///     4-7     end
///     8-9     seconds that count
///     10      number of the place
///     11      type: 0 walk, 1 run, 2 bike, 3 rope, 4 badminton, 5 basketball, 6 football, 7 swim, 8 climb, 9 tennis,
///             10 rugby, 11 golf
///     12-15   steps
///     16-19   metres
///     20-21   kilocalories
///     22-23   not known
struct TrainingPlace: Sendable, Hashable {
  /// As the clock showed them, seconds.
  let begin, end: Int64
  let seconds: UInt16
  let index, type: UInt8
  let steps, metres: UInt32
  let kilocalories: UInt16

  static let size = 24

  /// nil for fewer bytes, and for an empty place.
  init?(_ bytes: RawBytes) {
    var reader = ByteReader(bytes)
    guard bytes.count >= Self.size, let begin = reader.u32(), let end = reader.u32(), let seconds = reader.u16(),
      let index = reader.u8(), let type = reader.u8(), let steps = reader.u32(), let metres = reader.u32(),
      let kilocalories = reader.u16()
    else { return nil }
    // An empty memory is all zeros, or all ones.
    guard begin != 0, begin != .max else { return nil }
    (self.begin, self.end) = (MoyoungTime.shown(begin), MoyoungTime.shown(end))
    (self.seconds, self.index, self.type) = (seconds, index, type)
    (self.steps, self.metres, self.kilocalories) = (steps, metres, kilocalories)
  }

  init?(_ bytes: some Sequence<UInt8>) {
    let copy = Array(bytes)
    guard let place = copy.withUnsafeBytes({ TrainingPlace($0) }) else { return nil }
    self = place
  }

  /// It ended when it was read, not before it began, and lasted a day at most.
  ///
  /// - Parameter back: by how much the clock was put back while it may have gone on, s.
  func isOver(at readAt: Int64, back: Int64 = 0) -> Bool {
    let length = end - begin + (end < begin ? back : 0)
    return (0...MoyoungTime.day).contains(length) && end <= readAt + MoyoungTime.tolerance
  }
}

/// Parts of command 52, in the order in which they come.
///
///     0      0 first, 1 further, 2 nothing more
///     1-4    first: begin of the training, `MoyoungTime`
///     then   rates, one a minute, bpm; 0 none
///
/// The host answers each but the last with the empty command, and gets the next.
struct TrainingRatesParts: Sendable {
  /// Of a begin that is not to be told from its bytes both orders are kept: where it is read one of them makes sense.
  private(set) var begins: [Int64] = []
  private(set) var rates: [UInt8] = []

  /// Minutes of one training: a day.
  static let limit = 1440
  /// Parts of one training: as many as a day has with 20 bytes each, 14 of them rates.
  static let partLimit = 104

  enum Outcome: Sendable, Hashable {
    /// The host has to ask for more.
    case more
    case end
    /// No part that can come now.
    case odd
  }

  static func isFirst(_ payload: [UInt8]) -> Bool { payload.first == 0 && payload.count >= 5 }

  mutating func take(_ payload: [UInt8]) -> Outcome {
    switch payload.first {
    case 0 where payload.count >= 5:
      let little = (0..<4).reduce(UInt32(0)) { $0 | UInt32(payload[1 + $1]) << (8 * UInt32($1)) }
      begins = [little, little.byteSwapped].map(MoyoungTime.shown)
      rates = Array(payload[5...].prefix(Self.limit))
      return .more
    case 1 where !begins.isEmpty:
      rates += payload.dropFirst().prefix(Self.limit - rates.count)
      return .more
    case 2: return .end
    default: return .odd
    }
  }

  /// When it began, as the clock showed it: the one of both that lies in the month before now, and not behind it. Only
  /// one of them ever does but by chance; then the first counts.
  ///
  /// - Parameter until: what the clock showed before it was put back, where it may have begun before that.
  /// - Returns: nil where neither does.
  func begin(readAt: Int64, until: Int64? = nil) -> Int64? {
    let latest = max(readAt + MoyoungTime.tolerance, until ?? 0)
    return begins.first { $0 > readAt - 31 * MoyoungTime.day && $0 <= latest }
  }
}
