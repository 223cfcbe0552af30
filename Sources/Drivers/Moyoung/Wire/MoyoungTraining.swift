// Trainings: the last three as a table, and the rates of one, which a band begins to send after it ended. Pure.

import Bluetooth

/// Place of answer 55, which has three.
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
  /// Seconds on the band's clock.
  let begin, end: Int64
  let seconds: UInt16
  let index, type: UInt8
  let steps, metres: UInt32
  let kilocalories: UInt16

  static let size = 24

  /// nil for too few bytes, or an empty place.
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

  /// Whether the training is valid and was over when it was read: it did not end before it began, and lasted a day at
  /// most.
  ///
  /// - Parameter back: seconds by which the clock was set back while the training may have gone on.
  func isOver(at readAt: Int64, back: Int64 = 0) -> Bool {
    let length = end - begin + (end < begin ? back : 0)
    return (0...MoyoungTime.day).contains(length) && end <= readAt + MoyoungTime.tolerance
  }
}

/// Parts of command 52, in order of arrival.
///
///     0      0 first, 1 further, 2 end
///     1-4    first: begin of the training, `MoyoungTime`
///     then   rates, one per minute, bpm; 0: no rate
///
/// The host answers each part but the last with the empty command, and gets the next one.
struct TrainingRatesParts: Sendable {
  /// Begin in both byte orders, if its bytes do not show which one is right. At reading, one of them makes sense.
  private(set) var begins: [Int64] = []
  private(set) var rates: [UInt8] = []

  /// Minutes of one training: a day.
  static let limit = 1440
  /// Parts of one training: the number for a day, with 20 bytes each, 14 of them rates.
  static let partLimit = 104

  enum Outcome: Sendable, Hashable {
    /// The host has to request more.
    case more
    case end
    /// A part that is not possible now.
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

  /// Begin on the band's clock: the candidate within the month before now. Both match only by chance; then the first
  /// counts.
  ///
  /// - Parameter until: time that the clock showed before it was set back, if the training may have begun before that.
  /// - Returns: nil if neither matches.
  func begin(readAt: Int64, until: Int64? = nil) -> Int64? {
    let latest = max(readAt + MoyoungTime.tolerance, until ?? 0)
    return begins.first { $0 > readAt - 31 * MoyoungTime.day && $0 <= latest }
  }
}
