// What an item is, and what a part of it is: identities that are compared field by field.

/// The identity of an item: a place on a wearable, and the content that lies there.
public struct ItemID: Sendable, Hashable, CustomStringConvertible {
  /// Names the place: 1 to `placeLimit` bytes of printable ASCII without spaces.
  public let place: String
  /// Tells this content from another at the same place: at most `markLimit` such bytes; empty while it is not known.
  public let mark: String

  /// Bytes.
  public static let placeLimit = 120
  /// Bytes.
  public static let markLimit = 40

  /// nil for a place or a mark that is none: both may have been made up by a wearable.
  public init?(place: String, mark: String) {
    guard Self.isPlace(place), mark.utf8.count <= Self.markLimit, Self.isPlain(mark) else { return nil }
    self.place = place
    self.mark = mark
  }

  public static func isPlace(_ text: String) -> Bool { (1...placeLimit).contains(text.utf8.count) && isPlain(text) }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// For people.
  public var description: String { mark.isEmpty ? place : "\(place) \(mark)" }
}

/// One part of an item, as large as what becomes durable in one batch.
public struct ItemPart: Sendable, Hashable, CustomStringConvertible {
  public let item: ItemID
  /// Counted from 1, at most `count`.
  public let number: Int
  /// How many parts the item has, at most `limit`.
  public let count: Int

  /// Parts of one item.
  public static let limit = 64

  /// nil for a number that is none of 1 to `count`, and for more than `limit` parts.
  public init?(_ number: Int, of count: Int, item: ItemID) {
    guard (1...Self.limit).contains(count), (1...count).contains(number) else { return nil }
    self.item = item
    self.number = number
    self.count = count
  }

  /// For people.
  public var description: String { "part \(number) of \(count) of \(item)" }
}
