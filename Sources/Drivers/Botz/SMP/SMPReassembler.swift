// Assembly of frames from notifications.

import Bluetooth

/// Takes the notifications of one characteristic in order. A frame ends with a notification; if it does not, a
/// notification was lost or doubled.
public struct SMPReassembler {
  private var bytes: [UInt8] = []
  private var expected = 0
  /// Length of the frame's first notification, which all but the last equal.
  private var piece = 0
  /// A notification shorter than the first has come before the end of the frame: the rest is lost.
  public private(set) var isBroken = false

  /// Creates a reassembler without a frame.
  public init() {}

  /// True if no frame is begun.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Result of a notification.
  public enum Outcome: Sendable, Hashable {
    case more
    case whole([UInt8])
    /// The buffered bytes are discarded.
    case defective(String)
  }

  /// Takes one notification; any defect discards the bytes so far.
  public mutating func take(_ notification: [UInt8]) -> Outcome {
    if bytes.isEmpty {
      // An empty notification has no effect.
      if notification.isEmpty { return .more }
      guard let header = notification.withUnsafeBytes({ SMPHeader($0) }) else {
        return drop("a frame without a header")
      }
      guard Int(header.length) <= SMPFrame.payloadLimit else {
        return drop("a frame that claims \(header.length) bytes")
      }
      expected = SMPHeader.size + Int(header.length)
      piece = notification.count
    }
    if bytes.count + notification.count > expected { return drop("more bytes than the frame has") }
    bytes += notification
    if bytes.count == expected {
      let frame = bytes
      reset()
      return .whole(frame)
    }
    if notification.count < piece { isBroken = true }
    return .more
  }

  /// Drops a frame that is begun.
  public mutating func reset() {
    bytes = []
    (expected, piece, isBroken) = (0, 0, false)
  }

  private mutating func drop(_ why: String) -> Outcome {
    reset()
    return .defective(why)
  }
}
