// Reconnection Configuration (2B1D, 2B1E): what a wearable lets the hub configure about links, and whether this link
// has no more data to send.

import Bluetooth
import Wearable

/// RC Feature (2B1D; Reconnection Configuration Service 1.0), little-endian.
///
///     0-1   check value, FFFF if the wearable has none
///     2-4   features
struct ReconnectionFeatures: Sendable, Hashable {
  struct Supported: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// The wearable can end the link by itself if it is allowed to.
    static let enableDisconnect = Self(rawValue: 1 << 0)
    /// The wearable reports when it has no more data to send.
    static let readyForDisconnect = Self(rawValue: 1 << 1)
    static let reconnectionTimeout = Self(rawValue: 1 << 2)
  }

  /// nil if the wearable does not use it.
  let check: UInt16?
  let supported: Supported
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below five.
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
///     …     further bytes by the length
struct ReconnectionSettings: Sendable, Hashable {
  /// True if all data were sent, so the link can be ended without a loss.
  let isReady: Bool
  /// 0 to 3.
  let advertising: UInt8

  /// - Throws: `empty` without bytes, `truncated` below three. The length is ignored, as implementations disagree
  ///   whether it counts itself.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard reader.u8() != nil, let settings = reader.u16() else { throw .truncated }
    isReady = settings & 1 << 4 != 0
    advertising = UInt8(settings >> 8 & 3)
  }
}
