// JSON parser. Total, bounded in depth, and in size by the caller's input; strict if that has no cost.

/// Parse error with its offset.
public struct JSONError: Error, Sendable, Hashable {
  /// Offset in bytes.
  public var offset: Int
  /// Description of the error there.
  public var problem: String

  /// An error at an offset.
  public init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }
}

extension JSON {
  /// Limit of nested objects and arrays. The deepest document of the hub has five levels.
  public static let depthLimit = 16

  /// Parses a single value, with optional white space around it.
  ///
  /// Also refused: nesting deeper than `depthLimit`, duplicate keys, text that is not UTF-8, half a surrogate pair.
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    if parser.position < bytes.count { throw parser.error("something follows the value") }
    return value
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var position = 0

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  func error(_ problem: String) -> JSONError { JSONError(offset: position, problem: problem) }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    if next != byte { return false }
    position += 1
    return true
  }

  mutating func value(depth: Int) throws(JSONError) -> JSON {
    skipSpace()
    guard let first = next else { throw error("a value is missing") }
    switch first {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    let end = position + text.utf8CodeUnitCount
    let matches = text.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
    if !matches { throw error("not a value") }
    position = end
    return value
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSON {
    if depth >= JSON.depthLimit { throw error("nested deeper than \(JSON.depthLimit)") }
    position += 1
    var items: [JSON] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(items) }
    while true {
      items.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(items) }
      if !take(UInt8(ascii: ",")) { throw error("',' or ']' is missing") }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    if depth >= JSON.depthLimit { throw error("nested deeper than \(JSON.depthLimit)") }
    position += 1
    var members: [JSON.Member] = []
    var keys: Set<String> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      if next != UInt8(ascii: "\"") { throw error("a key is missing") }
      let key = try string()
      if !keys.insert(key).inserted { throw error("a key is given twice") }
      skipSpace()
      if !take(UInt8(ascii: ":")) { throw error("':' is missing") }
      members.append(JSON.Member(key, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      if !take(UInt8(ascii: ",")) { throw error("',' or '}' is missing") }
    }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    var text: [UInt8] = []
    while true {
      let run = position
      while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
      text += bytes[run..<position]
      guard let byte = next else { throw error("a string has no end") }
      if byte < 0x20 { throw error("a control character in a string") }
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      try escape(into: &text)
    }
    guard let string = String(validating: text, as: UTF8.self) else { throw error("a string that is not UTF-8") }
    return string
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let kind = next else { throw error("a string has no end") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if code >> 10 == 0x36 {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("half a surrogate pair") }
        let low = try hexadecimal()
        if low >> 10 != 0x37 { throw error("half a surrogate pair") }
        code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else {
        throw error("half a surrogate pair")
      }
      text += encoded
    default: throw error("an unknown escape")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error("four hexadecimal digits are missing")
      }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = position
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if !isDigit(next) { throw error("not a value") }
    if !take(UInt8(ascii: "0")) { while isDigit(next) { position += 1 } }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      if !isDigit(next) { throw error("a digit is missing") }
      while isDigit(next) { position += 1 }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if !isDigit(next) { throw error("a digit is missing") }
      while isDigit(next) { position += 1 }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let number = Int64(text) { return .integer(number) }
    return .decimal(text)
  }
}
