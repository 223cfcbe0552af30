// Frame of the new platform as bytes, and the defects that make a frame unusable.

import StateCodec

/// Frame: a big-endian header, then a message of proto3.
///
///     byte 0   0xAB
///     1        command
///     2        key
///     3        flags: response (not used any more), repeat, fragmented; which bit is which is not published
///     4-5      bytes of the payload
///     6-7      CRC-16/ARC of the payload; 0 of an empty one
///     8-9      sequence
///     10…      payload; of a fragmented frame first how many fragments there are, u32, and which one it is, u32 from 0
struct TopStepFrame: Sendable, Hashable {
  var topic: TopStepTopic
  var flags: UInt8 = 0
  var sequence: UInt16
  var payload: [UInt8]

  static let headerSize = 10
  /// Largest accepted payload. The largest known message, a day of 200 pressures and 288 pairs, has 3.5 KB.
  static let payloadLimit = 4096
  /// Two numbers in front of a fragment's content.
  static let fragmentHeaderSize = 8
  /// Number of flags that exist.
  static let flagCount = 3

  /// Serialised frame. The hub never sends a payload beyond `payloadLimit`.
  var bytes: [UInt8] {
    let crc = CRC16ARC.of(payload)
    let length = UInt16(clamping: payload.count)
    var bytes: [UInt8] = [TopStep.magic, topic.command, topic.key, flags]
    for number in [length, crc, sequence] {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(number & 0xFF))
    }
    return bytes + payload
  }
}

/// Reason why bytes are no usable frame.
enum TopStepDefect: Error, Sendable, Hashable {
  /// Frame after which more bytes must follow.
  case incomplete
  /// The first byte is not 0xAB.
  case magic
  /// Command that does not exist.
  case command(UInt8)
  /// Longer than `payloadLimit`.
  case length(Int)
  case crc
  /// Flags, more than exist.
  case flags(UInt8)
  /// A fragment of a longer message. Fragments are refused: the flag that marks them is not published, and no capture
  /// of one is known.
  case fragment(number: UInt32, of: UInt32)

  /// Description for display.
  var text: String {
    switch self {
    case .incomplete: "a frame that was cut"
    case .magic: "bytes between frames"
    case .command(let command): "a frame of the unknown command \(command)"
    case .length(let length): "a frame of \(length) bytes"
    case .crc: "a frame with a wrong checksum"
    case .flags(let flags): "a frame with the flags \(flags)"
    case .fragment(let number, let count): "fragment \(number) of \(count), which cannot be read yet"
    }
  }
}

extension TopStepFrame {
  /// Parses the first frame of some bytes, and ignores what follows it.
  init(_ bytes: some Collection<UInt8>) throws(TopStepDefect) {
    let header = Array(bytes.prefix(Self.headerSize))
    let length = try Self.payloadLength(header)
    // Runs for each received piece, so the payload is copied only when it is complete and sound.
    let payload = bytes.dropFirst(Self.headerSize).prefix(length)
    guard payload.count == length else { throw .incomplete }
    guard CRC16ARC.of(payload) == Self.word(header, 6) else { throw .crc }
    topic = TopStepTopic(header[1], header[2])
    flags = header[3]
    sequence = Self.word(header, 8)
    self.payload = Array(payload)
    if let defect = flagDefect { throw defect }
  }

  /// Payload length from a plausible header.
  static func payloadLength(_ header: [UInt8]) throws(TopStepDefect) -> Int {
    guard let first = header.first else { throw .incomplete }
    guard first == TopStep.magic else { throw .magic }
    guard header.count > 1 else { throw .incomplete }
    guard TopStep.commands.contains(header[1]) else { throw .command(header[1]) }
    guard header.count >= headerSize else { throw .incomplete }
    let length = Int(word(header, 4))
    guard length <= payloadLimit else { throw .length(length) }
    return length
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt16 {
    UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
  }

  /// Defect of a frame with flags; nil if it can be used. A flag marks an answer, a repetition or a fragment, but the
  /// vendor has not published which bit means which. The payload decides. A message of proto3 never begins with 0,
  /// since no field has that number. A fragment always does, since there are fewer than 2^24. A repetition is thus read
  /// like its original, and a fragment is refused as such.
  private var flagDefect: TopStepDefect? {
    if flags == 0 { return nil }
    if flags.nonzeroBitCount > Self.flagCount { return .flags(flags) }
    guard payload.first == 0 else { return nil }
    guard payload.count >= Self.fragmentHeaderSize else { return .flags(flags) }
    func number(_ place: Int) -> UInt32 { payload[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    return .fragment(number: number(4), of: number(0))
  }
}
