// Frames of the family: one command with its payload, and how the pieces in which it comes are put together. Pure.

import Bluetooth

/// How a band writes the length of a frame. It answers as its manufacturer name says.
enum MoyoungFraming: Sendable, Hashable, CaseIterable {
  /// `MOYOUNG`: pieces of 20 bytes, and one byte of length.
  case fixed
  /// `MOYOUNG-V2`: pieces as long as the MTU lets them be, and twelve bits of length.
  case wide
}

/// One frame.
///
///     0-1   FE EA
///     2     0x10 (fixed), or 0x20 + length / 256 (wide)
///     3     length mod 256
///     4     command
///     5…    payload
///
/// The length counts from the first byte. There is no checksum and no sequence number: a command is answered by a frame
/// of the same command.
struct MoyoungFrame: Sendable, Hashable {
  let framing: MoyoungFraming
  let command: UInt8
  let payload: [UInt8]

  static let marker: [UInt8] = [0xFE, 0xEA]
  /// Marker, length, command.
  static let head = 5
  /// Bytes of the longest frame: a byte, or twelve bits, of length.
  static func limit(_ framing: MoyoungFraming) -> Int { framing == .fixed ? 0xFF : 0xFFF }

  /// nil where the payload is too long for the framing.
  init?(_ framing: MoyoungFraming, _ command: UInt8, _ payload: [UInt8] = []) {
    guard payload.count <= Self.limit(framing) - Self.head else { return nil }
    (self.framing, self.command, self.payload) = (framing, command, payload)
  }

  var bytes: [UInt8] {
    let length = Self.head + payload.count
    let form: UInt8 = framing == .fixed ? 0x10 : 0x20 + UInt8(truncatingIfNeeded: length >> 8)
    return Self.marker + [form, UInt8(truncatingIfNeeded: length), command] + payload
  }

  /// Why bytes are no frame.
  enum Defect: String, Error, Sendable {
    /// They do not begin with FE EA.
    case marker
    /// A form that neither framing has, or a length below that of the head.
    case length
  }

  /// What the first four bytes say. nil where there are fewer.
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

  /// One whole frame and nothing else. nil while bytes are missing.
  init?(_ bytes: [UInt8]) throws(Defect) {
    guard let (framing, length) = try Self.announced(bytes), bytes.count >= length else { return nil }
    guard bytes.count == length else { throw .length }
    (self.framing, command, payload) = (framing, bytes[4], Array(bytes[5...]))
  }
}

/// Puts notifications together. It keeps one frame at most, 4095 bytes.
struct MoyoungAssembler: Sendable {
  private var collected: [UInt8] = []

  enum Outcome: Sendable, Hashable {
    case more
    case whole(MoyoungFrame)
    /// Of no use; what was collected is given up.
    case defective(MoyoungFrame.Defect)
  }

  var isEmpty: Bool { collected.isEmpty }

  /// What was begun is given up: a new request goes out.
  mutating func reset() { collected = [] }

  mutating func take(_ value: [UInt8]) -> Outcome {
    if value.isEmpty { return .more }
    // Of a frame whose last pieces were lost the next one is no part: its head tells, since within a payload three
    // bytes of it at the begin of a piece are as rare as 1 in 2 to the 24.
    if collected.isEmpty || ((try? MoyoungFrame.announced(value)) ?? nil) != nil { return begin(value) }
    switch put(collected + value) {
    case .defective:
      // The rest of what was begun was lost, and this is something else.
      collected = []
      return begin(value)
    case let outcome: return outcome
    }
  }

  /// A single notification may be filled up behind its frame; of several that are too long something was lost.
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
