// Items as a wearable lists them, and as the hub knows them from before.

/// One thing a wearable holds: a file, a recording, a day.
public struct HeldItem: Sendable, Hashable {
  /// Names the place on the wearable: at most 120 bytes of printable ASCII without spaces. The same place may hold
  /// something else later.
  public let id: String
  /// What tells this content from another at the same place: at most 40 bytes of printable ASCII without spaces; empty
  /// while it is not known.
  public var mark: String
  /// Bytes; nil if it is only known at the end.
  public var size: Int?
  /// Still being written: fetched only where the driver lists it all the same, never removed.
  public var isOpen: Bool
  /// When its content begins, on the wearable's clock, microseconds since 1970; nil if unknown. The scheduler asks for
  /// the oldest.
  public var begins: Int64?

  public static let idLimit = ItemID.placeLimit
  public static let markLimit = ItemID.markLimit

  public init(id: String, mark: String = "", size: Int? = nil, isOpen: Bool = false, begins: Int64? = nil) {
    self.id = id
    self.mark = mark
    self.size = size
    self.isOpen = isOpen
    self.begins = begins
  }

  /// What it is; nil where the wearable made up a place or a mark that is none.
  public var identity: ItemID? { ItemID(place: id, mark: mark) }

  /// One part of it, counted from 1; nil where there is no such part, or the item has no identity.
  public func part(_ number: Int, of count: Int) -> ItemPart? {
    identity.flatMap { ItemPart(number, of: count, item: $0) }
  }
}

/// What the hub knows of an item from before.
public struct KnownItem: Sendable, Hashable {
  public let id: String
  public let mark: String
  public let size: Int?
  /// Bytes that are kept of it.
  public let fetched: Int
  /// All of it is in the store, with receipts.
  public let isDurable: Bool
  /// It was removed on the wearable.
  public let isErased: Bool
  /// What `verify` said last of what was durable then: how something that grows goes on. At most `progressLimit` bytes.
  public let progress: [UInt8]

  public static let progressLimit = 2048

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
