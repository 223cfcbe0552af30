// All stored states of one wearable from one owner (the hub, or the drivers): a few records, bounded.

public import Reasons

/// States of one wearable by their kinds. A value; its owner stores it.
///
/// Holds at most `countLimit` states of at most `sizeLimit` bytes each, and `totalLimit` bytes altogether. A state that
/// does not fit is refused, never truncated.
public struct RememberedStates: Sendable, Hashable {
  /// The hub has 33 kinds and each family of drivers fewer: enough for all of them, and for some later ones.
  public static let countLimit = 40
  /// Largest size of one state's fields in bytes.
  public static let sizeLimit = 8192
  /// Largest size of all states' names and fields in bytes.
  public static let totalLimit = 16_384
  /// Largest size of a kind's name in bytes.
  public static let nameLimit = 32

  /// Stored state; only its kind can interpret the fields.
  public struct Entry: Sendable, Hashable {
    /// Version of the fields.
    public let version: UInt16
    /// Fields without layout and checksum.
    public let fields: [UInt8]

    /// A state as stored.
    public init(version: UInt16, fields: [UInt8]) {
      self.version = version
      self.fields = fields
    }

    /// Encodes a state.
    public init<S: RememberedState>(_ state: S) {
      var fields = FieldWriter()
      state.write(to: &fields)
      self.init(version: S.version, fields: fields.fields)
    }
  }

  /// States by the names of their kinds.
  public private(set) var entries: [String: Entry] = [:]

  /// Creates a record without states.
  public init() {}

  /// State of this kind; nil if there is no such state or a later program wrote it.
  public subscript<S: RememberedState>(_: S.Type) -> S? {
    guard let entry = entries[S.name], entry.version >= 1, entry.version <= S.version else { return nil }
    return entry.fields.withUnsafeBytes { bytes in
      var fields = FieldReader(fields: bytes)
      let state = S(&fields, version: entry.version)
      return fields.isWhole ? state : nil
    }
  }

  /// Stores a state in place of the previous one of its kind; deletes that if the new one is empty.
  ///
  /// - Returns: whether the states changed.
  /// - Throws: `storeTableFull` (H4020) if it does not fit; the states are then unchanged.
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

  /// - Returns: whether there was such a state.
  @discardableResult
  public mutating func forget<S: RememberedState>(_: S.Type) -> Bool { entries.removeValue(forKey: S.name) != nil }

  /// Adds a state as the store has it, whatever its kind and version.
  public mutating func load(_ name: String, _ entry: Entry) { entries[name] = entry }

  /// True for 1 to `nameLimit` lower-case letters, digits and hyphens.
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
