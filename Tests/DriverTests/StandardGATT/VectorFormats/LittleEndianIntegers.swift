// Little-endian integers of fewer bytes than their type has.

public import Bluetooth

extension FixedWidthInteger {
  /// The bytes as one little-endian integer, extended to this type: with the sign if the type has one. No bytes are 0;
  /// nil for more bytes than the type has.
  public init?(littleEndianBytes bytes: RawBytes) {
    let width = Self.bitWidth / 8
    guard bytes.count <= width else { return nil }
    var value: Self = 0
    for (place, byte) in bytes.enumerated() { value |= Self(truncatingIfNeeded: byte) << Self(8 * place) }
    let missing = Self(8 * (width - bytes.count))
    // Up and down again: the second shift brings the sign. A shift by the whole width gives 0, as no bytes should.
    self = Self.isSigned ? (value << missing) >> missing : value
  }
}
