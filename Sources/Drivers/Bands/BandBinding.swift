// The record that a hub keeps of a band that it has bound.

public import Bluetooth
public import StateCodec
public import Wearable

/// Binding of a band. The hub binds a band once, and logs in with the same user id at every later link.
public struct BandBinding: RememberedState {
  /// Name in the store.
  public static let name = "band-binding"

  /// s since 1970, by the hub's clock.
  public var boundAt: Int64

  /// A binding made now.
  public init(_ now: HubTime) { boundAt = now.wall.microseconds / 1_000_000 }

  /// Tag 2 is reserved: older stores hold the size of a piece there, which is ignored.
  public func write(to fields: inout FieldWriter) { fields.put(1, boundAt) }

  /// Decodes the stored fields; nil: invalid.
  public init?(_ fields: inout FieldReader, version: UInt16) {
    var boundAt: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&boundAt)
      default: break
      }
    }
    guard let boundAt else { return nil }
    self.boundAt = boundAt
  }
}

extension BandBinding {
  /// User id, as a number, with which a hub binds a band. The id is derived from the band's own address. Every hub thus
  /// has the same id, and a band keeps working after its hub was replaced.
  public static func user(of address: BluetoothAddress) -> UInt32 {
    let folded = UInt32(truncatingIfNeeded: address.value ^ address.value >> 32)
    // 0 means "no user".
    return folded == 0 ? 1 : folded
  }

  /// User id as text, for bands with named users.
  public static func userName(of address: BluetoothAddress) -> String {
    let digits = String(user(of: address), radix: 16)
    return "hearth-" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
