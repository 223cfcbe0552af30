// Device Information (180A): the two identifiers with a fixed layout, which name the manufacturer. All other values are
// UTF-8 texts.

public import Bluetooth
public import Wearable

/// PnP ID (2A50), Device Information Service 1.2, section 3.9.
///
///     byte 0   assigner of the vendor: 1 Bluetooth SIG, 2 USB Implementers Forum; others reserved
///     1-2      vendor
///     3-4      product, numbered by the vendor
///     5-6      version, binary-coded decimal by custom: 0x0213 is 2.1.3
public struct PnPID: Sendable, Hashable {
  /// Registry of the vendor number.
  public enum VendorSource: Sendable, Hashable {
    case bluetoothSIG
    case usbImplementersForum
    case reserved(UInt8)
  }

  /// Registry that assigned `vendor`.
  public let vendorSource: VendorSource
  /// Number of the vendor in the registry `vendorSource`.
  public let vendor: UInt16
  /// Product number of the vendor.
  public let product: UInt16
  /// Version, binary-coded decimal: 0x0213 is 2.1.3.
  public let version: UInt16
  /// Bytes after the last field.
  public let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below seven.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let source = reader.u8() else { throw .empty }
    guard let vendor = reader.u16(), let product = reader.u16(), let version = reader.u16() else { throw .truncated }
    vendorSource = source == 1 ? .bluetoothSIG : source == 2 ? .usbImplementersForum : .reserved(source)
    self.vendor = vendor
    self.product = product
    self.version = version
    trailingBytes = reader.remaining
  }

  /// Text for people: `Bluetooth 0x0059, product 0x1234, version 1.0.0`.
  public var text: String {
    let source =
      switch vendorSource {
      case .bluetoothSIG: "Bluetooth "
      case .usbImplementersForum: "USB "
      case .reserved(let code): "source \(code), vendor "
      }
    let parts = [version >> 8, version >> 4 & 15, version & 15].map { String($0, radix: 16) }
    return source + Self.hexadecimal(vendor) + ", product " + Self.hexadecimal(product) + ", version "
      + parts.joined(separator: ".")
  }

  private static func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// System ID (2A23), Device Information Service 1.2, section 3.8.
///
///     byte 0-4   identifier given by the manufacturer, 40 bits
///     5-7        organizationally unique identifier of the manufacturer, 24 bits
///
/// If it is derived from a public device address, the two highest bytes of the manufacturer's identifier are FF FE.
public struct SystemID: Sendable, Hashable {
  /// Identifier given by the manufacturer, 40 bits.
  public let manufacturerIdentifier: UInt64
  /// Organizationally unique identifier of the manufacturer, 24 bits.
  public let organization: UInt32
  /// Bytes after the last field.
  public let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below eight.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let lowest = reader.u8() else { throw .empty }
    guard let rest = reader.u32(), let organization = reader.u24() else { throw .truncated }
    manufacturerIdentifier = UInt64(lowest) | UInt64(rest) << 8
    self.organization = organization
    trailingBytes = reader.remaining
  }

  /// Text for people: all 64 bits as one number, the organization first: `123456FFFE9ABCDE`.
  public var text: String {
    let digits = String(UInt64(organization) << 40 | manufacturerIdentifier, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
