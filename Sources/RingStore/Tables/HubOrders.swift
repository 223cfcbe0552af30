// Orders of operators that concern the hub as a whole.

internal import EventLoop

/// The value of the key `hub-orders` of `meta`: the hub's own bytes, with their own checksum.
enum HubOrdersMark {
  static let key = Array("hub-orders".utf8)
  /// Maximum number of bytes: a page of the store.
  static let limit = 3072
}
