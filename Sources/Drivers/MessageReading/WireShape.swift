// Memory that a message will take, counted on its bytes before any of it is allocated.
//
// Two bytes can encode a message of a hundred, and one byte a number of eight. A packed list in many pieces is copied
// as a whole for each of them. Fields are therefore walked before they are decoded. Their memory is added up, and a
// message beyond the plausible amount is refused.

/// The fields of a message that can repeat. All others are single: the last occurrence replaces earlier ones.
public struct WireShape: Sendable {
  /// Kind of a field, for counting its memory.
  public enum Field: Sendable {
    /// Varint numbers, each with this many bytes in memory.
    case varints(Int)
    /// Numbers of four or eight bytes, on the wire as in memory.
    case fixed(Int)
    /// Messages, each with this many bytes in memory besides its content.
    case messages(Int, WireShape)
  }

  /// Fields by number; all repeated fields of wearables are below 64.
  fileprivate let fields: [Field?]
  /// Maximum number of messages in all of `fields` together; 4,096 if not given.
  fileprivate let messageLimit: Int
  /// Maximum number of numbers in the fields above, together.
  fileprivate let numberLimit: Int

  /// A shape. `messages` and `numbers`: most elements of all repeated fields.
  public init(_ fields: [Int: Field] = [:], messages: Int = 4096, numbers: Int = .max) {
    var table = [Field?](repeating: nil, count: (fields.keys.max() ?? -1) + 1)
    for (number, field) in fields where number >= 0 { table[number] = field }
    self.fields = table
    (messageLimit, numberLimit) = (messages, numbers)
  }
}

/// Reasons why bytes are not decoded.
public enum ReadingDefect: Error, Hashable, Sendable {
  /// A field beyond the end, or with a wire type that no message has.
  case malformed
  /// Value beyond the bounds.
  case tooLarge
}

/// Walks from field to field. Never reads beyond the bytes, whatever they contain.
struct WireWalk {
  /// Work of decoding what was walked so far: a byte is 1, a message `messageWork`.
  private(set) var work = 0
  /// Bytes of memory that it would take.
  private(set) var cost = 0
  /// Counts of the message that is being walked.
  private var messages = 0
  private var numbers = 0
  private var pieces = 0

  /// Work of decoding a message, in bytes of numbers.
  static let messageWork = 64
  /// Packed lists of one message: each field has one, and a few may be split.
  static let pieceLimit = 64

  let costLimit: Int
  /// Bytes of one field.
  let fieldLimit: Int

  init(costLimit: Int, fieldLimit: Int) { (self.costLimit, self.fieldLimit) = (costLimit, fieldLimit) }

  /// The end of the field at `start`; nil if the field is incomplete.
  mutating func field(_ bytes: UnsafeRawBufferPointer, at start: Int, _ shape: WireShape) throws(ReadingDefect) -> Int?
  {
    guard let (tag, behindTag) = try Self.varint(bytes, at: start) else { return nil }
    let number = tag >> 3
    let field = number < UInt64(shape.fields.count) ? shape.fields[Int(number)] : nil
    let end: Int
    switch tag & 7 {
    case 0:
      guard let (_, behind) = try Self.varint(bytes, at: behindTag) else { return nil }
      end = behind
    case 1: end = behindTag + 8
    case 5: end = behindTag + 4
    case 2:
      guard let (length, behind) = try Self.varint(bytes, at: behindTag) else { return nil }
      guard length <= UInt64(fieldLimit) else { throw .tooLarge }
      end = behind + Int(length)
      if end > bytes.count { return nil }
      try take(UnsafeRawBufferPointer(rebasing: bytes[behind..<end]), field, shape)
      work += end - start
      if cost > costLimit { throw .tooLarge }
      return end
    // Groups, which no definition has.
    default: throw .malformed
    }
    if end > bytes.count { return nil }
    switch field {
    case .varints(let size), .fixed(let size):
      cost += size
      numbers += 1
      if numbers > shape.numberLimit { throw .tooLarge }
    case .messages, nil: break
    }
    work += end - start
    if cost > costLimit { throw .tooLarge }
    return end
  }

  private mutating func take(_ content: UnsafeRawBufferPointer, _ field: WireShape.Field?, _ shape: WireShape)
    throws(ReadingDefect)
  {
    switch field {
    case .varints(let size):
      pieces += 1
      let count = content.reduce(0) { $0 + ($1 < 0x80 ? 1 : 0) }
      cost += size * count
      numbers += count
    case .fixed(let size):
      pieces += 1
      cost += content.count
      numbers += content.count / max(size, 1)
    case .messages(let size, let inner):
      messages += 1
      cost += size
      work += Self.messageWork
      if messages > shape.messageLimit { throw .tooLarge }
      let outer = (messages, numbers, pieces)
      (messages, numbers, pieces) = (0, 0, 0)
      var place = 0
      while place < content.count {
        guard let next = try self.field(content, at: place, inner) else { throw .malformed }
        place = next
      }
      (messages, numbers, pieces) = outer
    // Text, bytes or a single message: never more memory than its bytes.
    case nil: cost += content.count
    }
    if pieces > Self.pieceLimit || numbers > shape.numberLimit { throw .tooLarge }
  }

  /// nil if the bytes end within it.
  private static func varint(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(ReadingDefect) -> (UInt64, Int)? {
    var value: UInt64 = 0
    for place in 0..<10 {
      let index = start + place
      if index >= bytes.count { return nil }
      value |= UInt64(bytes[index] & 0x7F) << UInt64(7 * place)
      if bytes[index] < 0x80 { return (value, index + 1) }
    }
    throw .malformed
  }
}
