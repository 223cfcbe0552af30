// Receiver as a pure state machine: frames, their acknowledgements, and repetitions.

import StateCodec

/// Turns pieces into messages, acknowledgements and answers. Has neither link nor clock.
///
/// A sound data frame is acknowledged with its own number, and a damaged one with the error form. Acknowledgements are
/// never acknowledged. If its acknowledgement was lost, a band repeats the frame. The repetition is acknowledged again,
/// but not delivered again.
struct FitCloudReceiver: Sendable {
  enum Event: Sendable, Hashable {
    /// Bytes to write to the band.
    case answer([UInt8])
    case message(FitCloudMessage)
    /// A frame of this hub with this number arrived, or arrived damaged.
    case acknowledged(UInt16, isError: Bool)
    /// A repetition of the same frame.
    case repeated(UInt16)
    case odd(FitCloudDefect)
  }

  private var assembly = FitCloudAssembly()
  /// The last data frame that was delivered.
  private var last: FitCloudFrame?
  /// Bytes before the first frame, as far as they may be a frame of the new platform.
  private var opening: [UInt8]? = []
  /// Whether the band's first frame is one of the new platform.
  private(set) var isNextPlatform = false

  init() {}

  var skipped: Int { assembly.skipped }
  /// Whether an incomplete frame is buffered.
  var isWithinFrame: Bool { !assembly.isEmpty }

  /// Discards an incomplete frame after its timeout.
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
      // The frame arrived as it was sent, so a repetition would not help.
      do throws(FitCloudDefect) { return [answer, .message(try FitCloudMessage(payload))] } catch {
        return [answer, .odd(error)]
      }
    }
  }

  private mutating func look(at piece: some Collection<UInt8>, _ parts: [FitCloudAssembly.Part]) {
    guard var seen = opening else { return }
    // Only `seen` holds the buffer now, so that appending does not copy it.
    opening = nil
    if parts.contains(where: { if case .frame = $0 { true } else { false } }) { return }
    seen += piece.prefix(FitCloudAssembly.pieceLimit)
    switch TopStepPlatformFrame.stands(at: seen) {
    case true?: isNextPlatform = true
    case false?: break
    case nil: opening = seen
    }
  }
}

/// Recognition of a frame of the new platform, as far as needed to distinguish it from others.
///
///     byte 0   0xAB
///     1        command, 1-6
///     2        key
///     3        flags
///     4-5      length of the payload, big-endian
///     6-7      CRC-16/ARC of the payload
///     8-9      sequence number
///     10-      payload
enum TopStepPlatformFrame {
  private static let headerSize = 10
  /// Maximum number of bytes of a payload: 960 of a file, and the fields around them.
  private static let payloadLimit = 1024

  /// nil: more bytes are needed.
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
