// Maps of the interface with a stable order.

/// Named values: a JSON object that keeps the order of its members.
public struct OrderedMap<Value: Codable & Sendable & Hashable>: Sendable, Hashable, Codable {
  /// Member of the map.
  public struct Entry: Sendable, Hashable {
    /// Name of the member.
    public var name: String
    /// Value of the member.
    public var value: Value
  }
  /// Members in order.
  public var entries: [Entry]

  /// A map of these members, in order.
  public init(_ members: [(name: String, value: Value)] = []) {
    entries = members.map { Entry(name: $0.name, value: $0.value) }
  }

  /// Value of a member; nil: no such member.
  public subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The members of an object, in their order.
  ///
  /// - Throws: the decoder's error without an object, or for a member that is no `Value`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    entries = try container.allKeys.map {
      Entry(name: $0.stringValue, value: try container.decode(Value.self, forKey: $0))
    }
  }

  /// An object with the entries as members, in their order.
  ///
  /// - Throws: the encoder's error.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for entry in entries { try container.encode(entry.value, forKey: Name(stringValue: entry.name)) }
  }
}

/// Counts of events.
public typealias Counters = OrderedMap<UInt64>

/// Properties in a wearable's report, for people and programs.
public typealias Texts = OrderedMap<String>
