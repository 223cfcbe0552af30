// Event counters in a fixed order: a map of the interface that reads the same every time.

/// Named counts, a JSON object whose members keep their order.
public struct Counters: Sendable, Hashable, Codable {
  public struct Entry: Sendable, Hashable {
    public var name: String
    public var count: UInt64
  }
  public var entries: [Entry]

  public init(_ counters: [(name: String, value: UInt64)] = []) {
    entries = counters.map { Entry(name: $0.name, count: $0.value) }
  }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    entries = try container.allKeys.map { Entry(name: $0.stringValue, count: try container.decode(UInt64.self, forKey: $0)) }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for entry in entries { try container.encode(entry.count, forKey: Name(stringValue: entry.name)) }
  }
}
