// Upper layer (L2): a command with items, as the payload of a frame.

/// Message. All numbers are big-endian.
///
///     byte 0   command
///     1        version << 4: 0
///     2        key of an item
///     3-4      low 9 bits: length of its value; the other bits are 0, with no published meaning
///     5-       its value; the next item follows
///
/// A payload has at most 502 bytes.
struct FitCloudMessage: Sendable, Hashable {
  struct Item: Sendable, Hashable {
    let key: UInt8
    let value: [UInt8]

    /// 9 bits.
    static let valueLimit = 511
  }

  let command: UInt8
  /// 4 bits.
  let version: UInt8
  let items: [Item]

  /// nil if the message does not fit a frame.
  init?(_ command: UInt8, version: UInt8 = 0, _ items: [Item]) {
    let size = items.reduce(2) { $0 + 3 + $1.value.count }
    guard version < 16, size <= FitCloudFrame.payloadLimit,
      items.allSatisfy({ $0.value.count <= Item.valueLimit })
    else { return nil }
    (self.command, self.version, self.items) = (command, version, items)
  }

  init(_ payload: some RandomAccessCollection<UInt8>) throws(FitCloudDefect) {
    var rest = payload[...]
    guard let command = rest.popFirst(), let version = rest.popFirst() else { throw .tooShort }
    self.command = command
    self.version = version >> 4
    var items: [Item] = []
    while let key = rest.popFirst() {
      guard let high = rest.popFirst(), let low = rest.popFirst() else { throw .itemLength }
      let length = Int(high & 1) << 8 | Int(low)
      guard rest.count >= length else { throw .itemLength }
      items.append(Item(key: key, value: Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    self.items = items
  }

  var payload: [UInt8] {
    [command, version << 4]
      + items.flatMap { [$0.key, UInt8($0.value.count >> 8), UInt8($0.value.count & 0xFF)] + $0.value }
  }
}

/// Item with its command: one request or one reply.
struct FitCloudItem: Sendable, Hashable {
  let id: FitCloudKey
  let value: [UInt8]

  init(_ id: FitCloudKey, _ value: [UInt8] = []) { (self.id, self.value) = (id, value) }

  /// Serialised as a message with this single item. Values are bounded by their types, and once more here.
  var payload: [UInt8] {
    let value = Array(value.prefix(FitCloudFrame.payloadLimit - 5))
    return [id.command, 0, id.key, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
  }
}

/// Key within its command.
struct FitCloudKey: Sendable, Hashable {
  let command: UInt8
  let key: UInt8

  init(_ command: UInt8, _ key: UInt8) { (self.command, self.key) = (command, key) }
}
