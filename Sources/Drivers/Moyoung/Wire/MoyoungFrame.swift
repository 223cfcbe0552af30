// Frames of the family: a command with its payload, and their assembly from pieces. Pure.

import Bluetooth

/// Form of a frame's length. A band uses the form that belongs to its manufacturer's name.
enum MoyoungFraming: Sendable, Hashable, CaseIterable {
  /// `MOYOUNG`: pieces of 20 bytes, length in one byte.
  case fixed
  /// `MOYOUNG-V2`: pieces up to the MTU, length in twelve bits.
  case wide
}

/// Frame of the family.
///
///     0-1   FE EA
///     2     0x10 (fixed), or 0x20 + length / 256 (wide)
///     3     length mod 256
///     4     command
///     5…    payload
///
/// The length counts from the first byte. There is no checksum and no sequence number: the answer to a command is a
/// frame with the same command.
struct MoyoungFrame: Sendable, Hashable {
  let framing: MoyoungFraming
  let command: UInt8
  let payload: [UInt8]

  static let marker: [UInt8] = [0xFE, 0xEA]
  /// Marker, length, command.
  static let head = 5
  /// Longest frame, bytes: its length has one byte, or twelve bits.
  static func limit(_ framing: MoyoungFraming) -> Int { framing == .fixed ? 0xFF : 0xFFF }

  /// nil if the payload is too long for the framing.
  init?(_ framing: MoyoungFraming, _ command: UInt8, _ payload: [UInt8] = []) {
    guard payload.count <= Self.limit(framing) - Self.head else { return nil }
    (self.framing, self.command, self.payload) = (framing, command, payload)
  }

  var bytes: [UInt8] {
    let length = Self.head + payload.count
    let form: UInt8 = framing == .fixed ? 0x10 : 0x20 + UInt8(truncatingIfNeeded: length >> 8)
    return Self.marker + [form, UInt8(truncatingIfNeeded: length), command] + payload
  }

  /// Reason why bytes are no frame.
  enum Defect: String, Error, Sendable {
    /// The bytes do not begin with FE EA.
    case marker
    /// A form that neither framing has, or a length below that of the head.
    case length
  }

  /// Framing and length from the first four bytes; nil if there are fewer.
  static func announced(_ bytes: some Collection<UInt8>) throws(Defect) -> (framing: MoyoungFraming, length: Int)? {
    let head = Array(bytes.prefix(4))
    guard zip(head, marker).allSatisfy({ $0 == $1 }) else { throw .marker }
    guard head.count == 4 else { return nil }
    let found: (MoyoungFraming, Int)
    switch head[2] {
    case 0x10: found = (.fixed, Int(head[3]))
    case 0x20...0x2F: found = (.wide, Int(head[2] & 0x0F) << 8 | Int(head[3]))
    default: throw .length
    }
    guard found.1 >= Self.head else { throw .length }
    return found
  }

  /// Parses exactly one complete frame; nil while bytes are missing.
  init?(_ bytes: [UInt8]) throws(Defect) {
    guard let (framing, length) = try Self.announced(bytes), bytes.count >= length else { return nil }
    guard bytes.count == length else { throw .length }
    (self.framing, command, payload) = (framing, bytes[4], Array(bytes[5...]))
  }
}

/// Assembles frames from notifications. Buffers one frame at most, 4095 bytes.
struct MoyoungAssembler: Sendable {
  private var collected: [UInt8] = []

  enum Outcome: Sendable, Hashable {
    case more
    case whole(MoyoungFrame)
    /// Unusable bytes; the buffer is cleared.
    case defective(MoyoungFrame.Defect)
  }

  var isEmpty: Bool { collected.isEmpty }

  /// Discards an incomplete frame, because a new request is sent.
  mutating func reset() { collected = [] }

  mutating func take(_ value: [UInt8]) -> Outcome {
    if value.isEmpty { return .more }
    // If the last pieces of a frame were lost, the next frame must not be appended. The head reveals a new frame: by
    // chance, a piece of payload begins with those three bytes once in 2 to the 24.
    if collected.isEmpty || ((try? MoyoungFrame.announced(value)) ?? nil) != nil { return begin(value) }
    switch put(collected + value) {
    case .defective:
      // The rest of the incomplete frame was lost, and this is another frame.
      collected = []
      return begin(value)
    case let outcome: return outcome
    }
  }

  /// A single notification may have padding after its frame. Several that are too long mean that a piece was lost.
  private mutating func begin(_ value: [UInt8]) -> Outcome {
    do throws(MoyoungFrame.Defect) {
      guard let (_, length) = try MoyoungFrame.announced(value) else { return put(value) }
      return put(Array(value.prefix(length)))
    } catch { return .defective(error) }
  }

  private mutating func put(_ bytes: [UInt8]) -> Outcome {
    do throws(MoyoungFrame.Defect) {
      if let frame = try MoyoungFrame(bytes) {
        collected = []
        return .whole(frame)
      }
      collected = bytes
      return .more
    } catch { return .defective(error) }
  }
}
