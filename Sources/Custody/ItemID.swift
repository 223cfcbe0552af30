// Identities of items and of their parts, compared field by field.

/// Identity of an item: a place on a wearable, and the content at that place.
public struct ItemID: Sendable, Hashable, CustomStringConvertible {
  /// Place: 1 to `placeLimit` bytes of printable ASCII without spaces.
  public let place: String
  /// Distinguishes this content from another at the same place: at most `markLimit` such bytes; empty while unknown.
  public let mark: String

  /// Longest place, bytes.
  public static let placeLimit = 120
  /// Longest mark, bytes.
  public static let markLimit = 40

  /// nil for an invalid place or mark: a wearable may have invented both.
  public init?(place: String, mark: String) {
    guard Self.isPlace(place), mark.utf8.count <= Self.markLimit, Self.isPlain(mark) else { return nil }
    self.place = place
    self.mark = mark
  }

  /// True if a text may be a place: 1 to `placeLimit` bytes of plain text.
  public static func isPlace(_ text: String) -> Bool { (1...placeLimit).contains(text.utf8.count) && isPlain(text) }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// Place and mark, separated by a blank, for logs.
  public var description: String { mark.isEmpty ? place : "\(place) \(mark)" }
}

/// Part of an item, as large as one durable batch.
public struct ItemPart: Sendable, Hashable, CustomStringConvertible {
  /// Item that the part belongs to.
  public let item: ItemID
  /// Counted from 1, at most `count`.
  public let number: Int
  /// Number of parts of the item, at most `limit`.
  public let count: Int

  /// Maximum number of parts of one item.
  public static let limit = 64

  /// nil for a number outside 1 to `count`, and for more than `limit` parts.
  public init?(_ number: Int, of count: Int, item: ItemID) {
    guard (1...Self.limit).contains(count), (1...count).contains(number) else { return nil }
    self.item = item
    self.number = number
    self.count = count
  }

  /// Number, count and item, for logs: `part 1 of 3 of …`.
  public var description: String { "part \(number) of \(count) of \(item)" }
}
