// What comes from a band, as a pure machine: frames, what each is answered with, and what was said twice.

import Bands

/// Pieces in; messages, acknowledgements and answers out. It has no link and no clock.
///
/// A sound data frame is acknowledged with its own number, a damaged one with the error form; an acknowledgement is
/// never acknowledged. A band whose acknowledgement was lost says the same frame again: that is acknowledged once more,
/// and not taken twice.
struct FitCloudReceiver: Sendable {
  enum Event: Sendable, Hashable {
    /// To be written to the band.
    case answer([UInt8])
    case message(FitCloudMessage)
    /// What this hub sent under the number arrived, or arrived damaged.
    case acknowledged(UInt16, isError: Bool)
    /// The same frame once more.
    case repeated(UInt16)
    case odd(FitCloudDefect)
  }

  private var assembly = FitCloudAssembly()
  /// The last data frame that was taken.
  private var last: FitCloudFrame?
  /// What came before the first frame, as far as it may be one of the new platform.
  private var opening: [UInt8]? = []
  /// The first thing that it said is a frame of the new platform.
  private(set) var isNextPlatform = false

  init() {}

  var skipped: Int { assembly.skipped }
  /// A frame has begun and is not whole.
  var isWithinFrame: Bool { !assembly.isEmpty }

  /// The rest of a frame that was begun did not come in time.
  mutating func drop() { assembly.drop() }

  mutating func take(_ piece: some Collection<UInt8>) -> [Event] {
    let parts = assembly.take(piece)
    look(at: piece, parts)
    var events: [Event] = []
    for part in parts {
      switch part {
      case .damaged(let sequence):
        let answer = FitCloudFrame(sequence, .acknowledgement(isError: true))
        events += [.odd(.checksum), .answer(answer.bytes)]
      case .frame(let frame): events += self.events(of: frame)
      }
    }
    return events
  }

  private mutating func events(of frame: FitCloudFrame) -> [Event] {
    switch frame.content {
    case .acknowledgement(let isError): return [.acknowledged(frame.sequence, isError: isError)]
    case .data(let payload):
      let answer = Event.answer(FitCloudFrame(frame.sequence, .acknowledgement(isError: false)).bytes)
      if frame == last { return [answer, .repeated(frame.sequence)] }
      last = frame
      // It came as it was sent: repeating it would change nothing.
      do throws(FitCloudDefect) { return [answer, .message(try FitCloudMessage(payload))] } catch {
        return [answer, .odd(error)]
      }
    }
  }

  private mutating func look(at piece: some Collection<UInt8>, _ parts: [FitCloudAssembly.Part]) {
    guard var seen = opening else { return }
    // Held by `seen` alone, so that a piece is added to it without a copy of what came before.
    opening = nil
    if parts.contains(where: { if case .frame = $0 { true } else { false } }) { return }
    seen += piece.prefix(FitCloudAssembly.pieceLimit)
    switch NextPlatformFrame.stands(at: seen) {
    case true?: isNextPlatform = true
    case false?: break
    case nil: opening = seen
    }
  }
}

/// A frame of the new platform, as far as it takes to tell it from others.
///
///     byte 0   0xAB
///     1        command, 1-6
///     2        key
///     3        flags
///     4-5      length of the payload, big-endian
///     6-7      CRC-16/ARC of the payload
///     8-9      sequence number
///     10-      payload
enum NextPlatformFrame {
  private static let headerSize = 10
  /// Bytes of payload: 960 of a file with what stands around them.
  private static let payloadLimit = 1024

  /// nil: more bytes are needed to say so.
  static func stands(at bytes: [UInt8]) -> Bool? {
    guard bytes.count >= headerSize else { return bytes.first == FitCloudFrame.marker ? nil : false }
    func word(_ place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
    let length = Int(word(4))
    guard bytes[0] == FitCloudFrame.marker, (1...6).contains(bytes[1]), bytes[2] != 0, length <= payloadLimit else {
      return false
    }
    guard bytes.count >= headerSize + length else { return nil }
    return word(6) == CRC16ARC.of(bytes[headerSize..<(headerSize + length)])
  }
}
