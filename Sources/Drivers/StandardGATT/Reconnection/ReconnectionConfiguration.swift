// Reconnection Configuration (2B1D, 2B1E): what a wearable lets its hub arrange of their links, and whether it has
// anything left to say over this one.

import Bluetooth
import Wearable

/// RC Feature (2B1D; Reconnection Configuration Service 1.0), little-endian.
///
///     0-1   check value, FFFF where the wearable uses none
///     2-4   features
struct ReconnectionFeatures: Sendable, Hashable {
  struct Supported: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// It hangs up by itself where it was allowed to.
    static let enableDisconnect = Self(rawValue: 1 << 0)
    /// It says when it has nothing more to say.
    static let readyForDisconnect = Self(rawValue: 1 << 1)
    static let reconnectionTimeout = Self(rawValue: 1 << 2)
  }

  /// nil where the wearable uses none.
  let check: UInt16?
  let supported: Supported
  let trailingBytes: Int

  /// Throws `empty` without bytes and `truncated` below five.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let check = reader.u16(), let low = reader.u16(), let high = reader.u8() else { throw .truncated }
    self.check = check == 0xFFFF ? nil : check
    supported = Supported(rawValue: UInt32(high) << 16 | UInt32(low))
    trailingBytes = reader.remaining
  }
}

/// RC Settings (2B1E; Reconnection Configuration Service 1.0), little-endian.
///
///     0     length
///     1-2   settings: bit 4 ready for disconnect, bits 8-9 how it advertises
///     …     what the length says beside
struct ReconnectionSettings: Sendable, Hashable {
  /// It was drained: whoever hangs up now misses nothing.
  let isReady: Bool
  /// 0 to 3.
  let advertising: UInt8

  /// Throws `empty` without bytes and `truncated` below three. Whether the length counts itself is not agreed upon, so
  /// nothing is made of it.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard reader.u8() != nil, let settings = reader.u16() else { throw .truncated }
    isReady = settings & 1 << 4 != 0
    advertising = UInt8(settings >> 8 & 3)
  }
}
