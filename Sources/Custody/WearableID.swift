// Identity of an enrolment, and the key that a wearable and the hub share.

/// Number of an enrolment, permanent. Numbers start at 1 and are never reused, so a stored sample never changes its
/// owner.
public struct WearableID: Hashable, Sendable, Comparable {
  /// Number from 1 on.
  public let number: UInt32

  /// The identity with this number.
  public init(number: UInt32) { self.number = number }

  public static func < (a: WearableID, b: WearableID) -> Bool { a.number < b.number }
}

/// Shared AES-128 key of a wearable and the hub; its description does not contain the key.
public struct WearableSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The 16 bytes of the key.
  public let bytes: [UInt8]
  /// Size of a key in bytes.
  public static let size = 16

  /// nil for another size.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  public var description: String { "a key of \(bytes.count) bytes" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
