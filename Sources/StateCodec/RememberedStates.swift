// All that one owner (the hub, or the drivers) remembers of one wearable: a few records, bounded.

public import Reasons

/// The states of one wearable by their kinds. A value: whoever has it makes it durable.
///
/// Holds at most `countLimit` states of at most `sizeLimit` bytes, and `totalLimit` bytes altogether. What does not fit
/// is refused, never cut.
public struct RememberedStates: Sendable, Hashable {
  /// The hub has 33 kinds and each family of drivers fewer: a wearable may have them all, and some room for later ones.
  public static let countLimit = 40
  /// Bytes of one state's fields.
  public static let sizeLimit = 8192
  /// Bytes of all states' names and fields.
  public static let totalLimit = 16_384
  /// Bytes of a kind's name.
  public static let nameLimit = 32

  /// One state as it is kept: what its fields mean only its kind knows.
  public struct Entry: Sendable, Hashable {
    public let version: UInt16
    /// Fields alone, without layout and checksum.
    public let fields: [UInt8]

    public init(version: UInt16, fields: [UInt8]) {
      self.version = version
      self.fields = fields
    }

    public init<S: RememberedState>(_ state: S) {
      var fields = FieldWriter()
      state.write(to: &fields)
      self.init(version: S.version, fields: fields.fields)
    }
  }

  /// By the names of their kinds.
  public private(set) var entries: [String: Entry] = [:]

  public init() {}

  /// What is remembered of this kind; nil where nothing is, or what a later program wrote.
  public subscript<S: RememberedState>(_: S.Type) -> S? {
    guard let entry = entries[S.name], entry.version >= 1, entry.version <= S.version else { return nil }
    return entry.fields.withUnsafeBytes { bytes in
      var fields = FieldReader(fields: bytes)
      let state = S(&fields, version: entry.version)
      return fields.isWhole ? state : nil
    }
  }

  /// Remembers a state in place of the one before of its kind; forgets that where the new one is empty.
  ///
  /// - Returns: something has changed.
  /// - Throws: `storeTableFull` (H4020) where it does not fit; then nothing has changed.
  @discardableResult
  public mutating func keep<S: RememberedState>(_ state: S) throws(HearthError) -> Bool {
    if state.isEmpty { return forget(S.self) }
    let entry = Entry(state)
    if entries[S.name] == entry { return false }
    if entry.fields.count > Self.sizeLimit {
      throw HearthError(
        .storeTableFull, "\(S.name): \(entry.fields.count) bytes; a state has at most \(Self.sizeLimit)")
    }
    if entries[S.name] == nil, entries.count >= Self.countLimit {
      throw HearthError(.storeTableFull, "\(S.name): \(entries.count) states of this wearable are kept")
    }
    var total = S.name.utf8.count + entry.fields.count
    for (name, other) in entries where name != S.name { total += name.utf8.count + other.fields.count }
    if total > Self.totalLimit {
      throw HearthError(
        .storeTableFull, "\(S.name): \(total) bytes; all states of a wearable have at most \(Self.totalLimit)")
    }
    entries[S.name] = entry
    return true
  }

  /// - Returns: something was remembered.
  @discardableResult
  public mutating func forget<S: RememberedState>(_: S.Type) -> Bool { entries.removeValue(forKey: S.name) != nil }

  /// Takes a state in as the store has it, whatever its kind and version.
  public mutating func load(_ name: String, _ entry: Entry) { entries[name] = entry }

  public static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...nameLimit).contains(name.count)
      && name.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D: true
        default: false
        }
      }
  }
}
