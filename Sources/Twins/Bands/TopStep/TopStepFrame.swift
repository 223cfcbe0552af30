// Frames of the new platform: a header of ten bytes before a message, and their assembly from pieces.

public import EventLoop

/// Frame with big-endian fields.
///
///     byte  field
///     0     0xAB
///     1     command
///     2     key
///     3     flags: repeat, fragmented, response; which bit is which is not published
///     4–5   length of the payload
///     6–7   CRC-16/ARC of the payload
///     8–9   sequence number
public struct TopStepWireFrame: Sendable, Hashable {
  /// First byte of a frame.
  public static let magic: UInt8 = 0xAB
  /// Length of the header in bytes.
  public static let headerSize = 10

  /// Number of the topic, a `TopStepCommand`.
  public var command: UInt8
  /// Key within the command.
  public var key: UInt8
  /// Flags: repeat, fragmented, response.
  public var flags: UInt8 = 0
  /// Number that an answer repeats.
  public var sequence: UInt16
  /// Message of the frame.
  public var payload: [UInt8]

  /// A frame with its message.
  public init(_ command: UInt8, _ key: UInt8, flags: UInt8 = 0, sequence: UInt16, _ payload: [UInt8] = []) {
    (self.command, self.key, self.flags, self.sequence) = (command, key, flags, sequence)
    self.payload = payload
  }

  /// The frame on the air, with length and checksum.
  public var bytes: [UInt8] {
    let length = UInt16(truncatingIfNeeded: payload.count)
    let checksum = Self.checksum(payload)
    return [
      Self.magic, command, key, flags, UInt8(length >> 8), UInt8(truncatingIfNeeded: length), UInt8(checksum >> 8),
      UInt8(truncatingIfNeeded: checksum), UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence),
    ] + payload
  }

  /// CRC-16/ARC: polynomial 0x8005 reflected, which is 0xA001, start 0, no final xor.
  static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var remainder: UInt16 = 0
    for byte in bytes {
      remainder ^= UInt16(byte)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xA001 : remainder >> 1 }
    }
    return remainder
  }
}

/// Assembly of frames from the pieces of one link.
public struct TopStepAssembler: Sendable {
  /// Result of a piece.
  public enum Outcome: Sendable, Hashable {
    /// A complete frame with a correct checksum.
    case frame(TopStepWireFrame)
    /// A complete frame with a wrong checksum.
    case corrupt(command: UInt8, key: UInt8)
    /// A piece that belongs to no frame.
    case stray
  }

  /// Pause within a frame after which the sender is assumed to have abandoned it.
  static let patience = Duration.seconds(3)

  private var buffer: [UInt8] = []
  private var lastPiece: Instant?

  /// Creates an assembler without a frame.
  public init() {}

  /// Whether a frame is incomplete.
  public var isWaiting: Bool { !buffer.isEmpty }

  /// Takes a piece; nil: the frame is incomplete.
  public mutating func take(_ piece: [UInt8], at now: Instant) -> Outcome? {
    if let lastPiece, now - lastPiece > Self.patience { buffer = [] }
    lastPiece = now
    if buffer.isEmpty, piece.first != TopStepWireFrame.magic { return .stray }
    buffer += piece
    guard buffer.count >= TopStepWireFrame.headerSize else { return nil }
    let count = Int(buffer[4]) << 8 | Int(buffer[5])
    guard buffer.count >= TopStepWireFrame.headerSize + count else { return nil }
    defer { buffer = [] }
    let payload = Array(buffer[TopStepWireFrame.headerSize..<TopStepWireFrame.headerSize + count])
    guard TopStepWireFrame.checksum(payload) == UInt16(buffer[6]) << 8 | UInt16(buffer[7]) else {
      return .corrupt(command: buffer[1], key: buffer[2])
    }
    return .frame(
      TopStepWireFrame(
        buffer[1], buffer[2], flags: buffer[3], sequence: UInt16(buffer[8]) << 8 | UInt16(buffer[9]), payload))
  }
}
