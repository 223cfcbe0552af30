// What a hub remembers of a band that it has bound.

public import Bluetooth
public import StateCodec
public import Wearable

/// A band is bound once and logged in to at every later link, as the same user.
public struct BandBinding: RememberedState {
  public static let name = "band-binding"

  /// s since 1970, by the hub's clock.
  public var boundAt: Int64

  public init(_ now: HubTime) { boundAt = now.wall.microseconds / 1_000_000 }

  /// Tag 2 is taken: older stores hold a size of pieces there, which is passed over.
  public func write(to fields: inout FieldWriter) { fields.put(1, boundAt) }

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
  /// The user that a hub is to a band, as a number. Made of the band's own address, and thus the same for every hub: a
  /// band goes on working when its hub was replaced.
  public static func user(of address: BluetoothAddress) -> UInt32 {
    let folded = UInt32(truncatingIfNeeded: address.value ^ address.value >> 32)
    // 0 means nobody.
    return folded == 0 ? 1 : folded
  }

  /// The same as text, for bands whose users have names.
  public static func userName(of address: BluetoothAddress) -> String {
    let digits = String(user(of: address), radix: 16)
    return "hearth-" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
