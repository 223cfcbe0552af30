// What people order of the hub as a whole, kept beside what it measures.

internal import EventLoop

/// The value of the key `hub-orders` of `meta`: the hub's own bytes, with their own checksum.
enum HubOrdersMark {
  static let key = Array("hub-orders".utf8)
  /// A page of the store and no more.
  static let limit = 3072
}
