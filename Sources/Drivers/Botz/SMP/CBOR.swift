// Subset of CBOR (RFC 8949) in management frames: bounded reading, writing in the plainest form.

public import Bluetooth

/// CBOR value. Floats, tags and simple values are skipped, since no peer uses them.
public indirect enum CBOR: Sendable, Hashable {
  case unsigned(UInt64)
  /// Major type 1: the number is -1 minus this value.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  /// Pairs in the order of the wire; of two equal keys the first counts.
  case map([CBORPair])
  case bool(Bool)
  /// Null, undefined, a float or a simple value.
  case other

  /// Value of a text key.
  public subscript(key: String) -> CBOR? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { $0.key == .text(key) }?.value
  }

  /// nil unless the value is a number from 0 to 2^63 - 1.
  public var integer: Int? {
    guard case .unsigned(let value) = self else { return nil }
    return Int(exactly: value)
  }

  /// Bytes of a byte string; nil: another type.
  public var data: [UInt8]? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }

  /// Map with text keys, in this order.
  public static func map(_ pairs: KeyValuePairs<String, CBOR>) -> CBOR {
    .map(pairs.map { CBORPair(key: .text($0.key), value: $0.value) })
  }
}

/// Key and value of a map.
public struct CBORPair: Sendable, Hashable {
  /// Key of the pair.
  public let key: CBOR
  /// Value of the pair.
  public let value: CBOR

  /// A pair of a map.
  public init(key: CBOR, value: CBOR) {
    self.key = key
    self.value = value
  }
}

/// Reason why bytes are not a value, or not an accepted one.
public enum CBORDefect: String, Error, Sendable, CaseIterable {
  case truncated = "it ends in the middle"
  case malformed = "it breaks the rules of CBOR"
  case tooDeep = "it is nested too deep"
  case tooMany = "it has too many parts"
  case trailing = "bytes follow it"
}

/// Reader of one value. Total: it ends after at most `partLimit` values for any bytes. A claimed length is allocated
/// only when its bytes exist.
public struct CBORReader {
  /// Deepest nesting; a reply has three levels at most.
  public static let depthLimit = 6
  /// Maximum number of parts; a reply has some ten.
  public static let partLimit = 128

  private var reader: ByteReader
  private var parts = 0

  private init(_ bytes: RawBytes) { reader = ByteReader(bytes) }

  /// Reads the single value that the bytes contain.
  ///
  /// - Throws: the first defect; `tooDeep` and `tooMany` beyond the limits; `trailing` if bytes follow the value.
  public static func read(_ bytes: RawBytes) throws(CBORDefect) -> CBOR {
    var reader = CBORReader(bytes)
    let value = try reader.value(depth: 0)
    if !reader.reader.isAtEnd { throw .trailing }
    return value
  }

  private mutating func value(depth: Int) throws(CBORDefect) -> CBOR {
    guard let initial = reader.u8() else { throw .truncated }
    return try value(initial, depth: depth)
  }

  private mutating func value(_ initial: UInt8, depth: Int) throws(CBORDefect) -> CBOR {
    if depth > Self.depthLimit { throw .tooDeep }
    parts += 1
    if parts > Self.partLimit { throw .tooMany }
    let kind = initial >> 5
    let argument = try argument(initial & 0x1F)
    switch (kind, argument) {
    case (0, let number?): return .unsigned(number)
    case (1, let number?): return .negative(number)
    case (2, let count?): return .bytes(Array(try take(count)))
    case (3, let count?): return .text(try text(Array(try take(count))))
    case (2, nil): return .bytes(try chunks(2))
    case (3, nil): return .text(try text(try chunks(3)))
    case (4, let count): return .array(try items(count, depth: depth))
    case (5, let count): return .map(try pairs(count, depth: depth))
    case (6, _?): return try value(depth: depth + 1)
    case (7, let number?): return initial == 0xF4 || initial == 0xF5 ? .bool(number == 21) : .other
    default: throw .malformed
    }
  }

  /// Number after an initial byte; nil for an indefinite length.
  private mutating func argument(_ short: UInt8) throws(CBORDefect) -> UInt64? {
    let size: Int
    switch short {
    case 0..<24: return UInt64(short)
    case 24...27: size = 1 << Int(short - 24)
    case 31: return nil
    default: throw .malformed
    }
    guard let bytes = reader.take(size) else { throw .truncated }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func take(_ count: UInt64) throws(CBORDefect) -> RawBytes {
    guard let count = Int(exactly: count), let bytes = reader.take(count) else { throw .truncated }
    return bytes
  }

  private func text(_ bytes: [UInt8]) throws(CBORDefect) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }

  /// Strings of indefinite length consist of chunks of the same kind.
  private mutating func chunks(_ kind: UInt8) throws(CBORDefect) -> [UInt8] {
    var bytes: [UInt8] = []
    while let initial = try next() {
      parts += 1
      if parts > Self.partLimit { throw .tooMany }
      guard initial >> 5 == kind, let count = try argument(initial & 0x1F) else { throw .malformed }
      bytes += try take(count)
    }
    return bytes
  }

  private mutating func items(_ count: UInt64?, depth: Int) throws(CBORDefect) -> [CBOR] {
    var items: [CBOR] = []
    if let count {
      for _ in 0..<(try bounded(count)) { items.append(try value(depth: depth + 1)) }
    } else {
      while let initial = try next() { items.append(try value(initial, depth: depth + 1)) }
    }
    return items
  }

  private mutating func pairs(_ count: UInt64?, depth: Int) throws(CBORDefect) -> [CBORPair] {
    var pairs: [CBORPair] = []
    if let count {
      for _ in 0..<(try bounded(count)) {
        pairs.append(CBORPair(key: try value(depth: depth + 1), value: try value(depth: depth + 1)))
      }
    } else {
      while let initial = try next() {
        let key = try value(initial, depth: depth + 1)
        pairs.append(CBORPair(key: key, value: try value(depth: depth + 1)))
      }
    }
    return pairs
  }

  private func bounded(_ count: UInt64) throws(CBORDefect) -> Int {
    guard count <= UInt64(Self.partLimit) else { throw .tooMany }
    return Int(count)
  }

  /// The next initial byte; nil at the end of an item of indefinite length.
  private mutating func next() throws(CBORDefect) -> UInt8? {
    guard let initial = reader.u8() else { throw .truncated }
    return initial == 0xFF ? nil : initial
  }
}

extension CBOR {
  /// Encodes with lengths, in the shortest form. With `indefinite`, maps have indefinite length, as in the firmware's
  /// library.
  public func encode(indefinite: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, indefinite)
    return bytes
  }

  private func write(to bytes: inout [UInt8], _ indefinite: Bool) {
    switch self {
    case .unsigned(let number): Self.head(0, number, &bytes)
    case .negative(let number): Self.head(1, number, &bytes)
    case .bytes(let content):
      Self.head(2, UInt64(content.count), &bytes)
      bytes += content
    case .text(let text):
      Self.head(3, UInt64(text.utf8.count), &bytes)
      bytes += text.utf8
    case .array(let items):
      Self.head(4, UInt64(items.count), &bytes)
      for item in items { item.write(to: &bytes, indefinite) }
    case .map(let pairs):
      if indefinite { bytes.append(0xBF) } else { Self.head(5, UInt64(pairs.count), &bytes) }
      for pair in pairs {
        pair.key.write(to: &bytes, indefinite)
        pair.value.write(to: &bytes, indefinite)
      }
      if indefinite { bytes.append(0xFF) }
    case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
    case .other: bytes.append(0xF6)
    }
  }

  private static func head(_ kind: UInt8, _ number: UInt64, _ bytes: inout [UInt8]) {
    let size = number < 24 ? 0 : number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
    let short: UInt8 =
      switch size {
      case 0: UInt8(truncatingIfNeeded: number)
      case 1: 24
      case 2: 25
      case 4: 26
      default: 27
      }
    bytes.append(kind << 5 | short)
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
  }
}
