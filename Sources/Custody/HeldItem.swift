// Items as a wearable lists them, and as the hub knows them from earlier visits.

/// Item on a wearable: a file, a recording, a day.
public struct HeldItem: Sendable, Hashable {
  /// Place on the wearable: at most 120 bytes of printable ASCII without spaces. The same place may hold other content
  /// later.
  public let id: String
  /// Mark that distinguishes this content from another at the same place: at most 40 bytes of printable ASCII without
  /// spaces; empty while unknown.
  public var mark: String
  /// Bytes; nil if the size is only known at the end.
  public var size: Int?
  /// Whether it is still being written: fetched only if the driver lists it anyway, never removed.
  public var isOpen: Bool
  /// Start of its content, on the wearable's clock, microseconds since 1970; nil if unknown. The scheduler uses the
  /// oldest.
  public var begins: Int64?

  /// Longest identity in bytes.
  public static let idLimit = ItemID.placeLimit
  /// Longest mark in bytes.
  public static let markLimit = ItemID.markLimit

  /// An item of a listing. `size` in bytes; nil: unknown.
  public init(id: String, mark: String = "", size: Int? = nil, isOpen: Bool = false, begins: Int64? = nil) {
    self.id = id
    self.mark = mark
    self.size = size
    self.isOpen = isOpen
    self.begins = begins
  }

  /// Identity of the item; nil if the place or mark that the wearable reports is invalid.
  public var identity: ItemID? { ItemID(place: id, mark: mark) }

  /// Returns one part of it, counted from 1; nil if there is no such part, or the item has no identity.
  public func part(_ number: Int, of count: Int) -> ItemPart? {
    identity.flatMap { ItemPart(number, of: count, item: $0) }
  }
}

/// State of an item from earlier visits.
public struct KnownItem: Sendable, Hashable {
  public let id: String
  /// Mark of its content at the last listing.
  public let mark: String
  /// Size in bytes at the last listing; nil: unknown.
  public let size: Int?
  /// Bytes stored of it.
  public let fetched: Int
  /// Whether all of it is in the store, with receipts.
  public let isDurable: Bool
  /// Whether it was removed on the wearable.
  public let isErased: Bool
  /// Last state that `verify` returned for the durable part: how to continue a growing item. At most `progressLimit`
  /// bytes.
  public let progress: [UInt8]

  /// Longest progress in bytes.
  public static let progressLimit = 2048

  /// State of an item; `size` and `fetched` in bytes.
  public init(
    id: String, mark: String, size: Int?, fetched: Int, isDurable: Bool, isErased: Bool, progress: [UInt8] = []
  ) {
    self.progress = progress
    self.id = id
    self.mark = mark
    self.size = size
    self.fetched = fetched
    self.isDurable = isDurable
    self.isErased = isErased
  }
}
