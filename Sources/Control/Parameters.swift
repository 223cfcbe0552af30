// What a call asked for, member by member.

internal import HubProtocol

/// The parameters of one call, each taken once; what nobody took is an error, so that a mistyped name is never ignored.
struct Parameters {
  private var members: [JSON.Member]

  init(_ json: JSON) {
    if case .object(let members) = json { self.members = members } else { members = [] }
  }

  private mutating func take(_ name: String) -> JSON? {
    guard let index = members.firstIndex(where: { $0.key == name }) else { return nil }
    let value = members.remove(at: index).value
    return value == .null ? nil : value
  }

  /// Of any form; whoever takes it checks it.
  mutating func value(_ name: String) -> JSON? { take(name) }

  /// Text of 1 to 256 bytes.
  mutating func text(_ name: String) throws(VarlinkError) -> String {
    guard let text = try optionalText(name) else { throw .invalidParameter(name) }
    return text
  }

  mutating func optionalText(_ name: String) throws(VarlinkError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.text, (1...256).contains(text.utf8.count) else { throw .invalidParameter(name) }
    return text
  }

  /// Texts of 1 to 256 bytes each.
  mutating func optionalTexts(_ name: String, atMost limit: Int) throws(VarlinkError) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .array(let items) = value, items.count <= limit else { throw .invalidParameter(name) }
    var texts: [String] = []
    for item in items {
      guard let text = item.text, (1...256).contains(text.utf8.count) else { throw .invalidParameter(name) }
      texts.append(text)
    }
    return texts
  }

  mutating func optionalInteger(_ name: String, _ range: ClosedRange<Int64>) throws(VarlinkError) -> Int64? {
    guard let value = take(name) else { return nil }
    guard case .integer(let number) = value, range.contains(number) else { throw .invalidParameter(name) }
    return number
  }

  /// Whole numbers by name, in their order.
  mutating func optionalIntegers(_ name: String, _ range: ClosedRange<Int64>, atMost limit: Int) throws(VarlinkError)
    -> [(name: String, value: Int64)]?
  {
    try optionalByName(name, atMost: limit) {
      if case .integer(let number) = $0, range.contains(number) { number } else { nil }
    }
  }

  /// Texts by name, in their order.
  mutating func optionalTextsByName(_ name: String, atMost limit: Int) throws(VarlinkError) -> [(
    name: String, value: String
  )]? {
    try optionalByName(name, atMost: limit) { if case .string(let text) = $0 { text } else { nil } }
  }

  /// - Parameter read: nil for what is no value.
  private mutating func optionalByName<Value>(_ name: String, atMost limit: Int, _ read: (JSON) -> Value?)
    throws(VarlinkError) -> [(name: String, value: Value)]?
  {
    guard let value = take(name) else { return nil }
    guard case .object(let members) = value, members.count <= limit else { throw .invalidParameter(name) }
    var values: [(name: String, value: Value)] = []
    for member in members {
      guard let value = read(member.value) else { throw .invalidParameter(name) }
      values.append((member.key, value))
    }
    return values
  }

  mutating func optionalTruth(_ name: String) throws(VarlinkError) -> Bool? {
    guard let value = take(name) else { return nil }
    guard case .bool(let truth) = value else { throw .invalidParameter(name) }
    return truth
  }

  func end() throws(VarlinkError) {
    if let left = members.first { throw .invalidParameter(left.key) }
  }
}
