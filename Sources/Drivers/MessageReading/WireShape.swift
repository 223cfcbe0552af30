// What a message may become in memory, counted on its bytes before anything of it is made.
//
// Two bytes can stand for a message of a hundred, one for a number of eight, and a packed list in many pieces is copied
// whole for each of them. So fields are walked before they are read: what they would take is added up, and what is more
// than the wearable can mean is refused.

/// The fields of a message that can repeat. All others are single: the last one stands, whatever came before.
public struct WireShape: Sendable {
  public enum Field: Sendable {
    /// Numbers in variable length, each so many bytes in memory.
    case varints(Int)
    /// Numbers of four or eight bytes, on the wire as in memory.
    case fixed(Int)
    /// Messages, each so many bytes in memory beside what it holds.
    case messages(Int, WireShape)
  }

  /// By number; those of wearables that repeat are all below 64.
  fileprivate let fields: [Field?]
  /// Messages of the fields above, together.
  fileprivate let messageLimit: Int
  /// Numbers of the fields above, together.
  fileprivate let numberLimit: Int

  public init(_ fields: [Int: Field] = [:], messages: Int = 4096, numbers: Int = .max) {
    var table = [Field?](repeating: nil, count: (fields.keys.max() ?? -1) + 1)
    for (number, field) in fields where number >= 0 { table[number] = field }
    self.fields = table
    (messageLimit, numberLimit) = (messages, numbers)
  }
}

/// Why bytes are not read.
public enum ReadingDefect: Error, Hashable, Sendable {
  /// A field that runs over its end, or one of a kind that no message has.
  case malformed
  /// It would become more than the bounds say.
  case tooLarge
}

/// Goes from field to field. Never reads beyond the bytes, whatever they say.
struct WireWalk {
  /// What was walked over, in what reading it costs: a byte is 1, a message `messageWork`.
  private(set) var work = 0
  /// Bytes that it would take.
  private(set) var cost = 0
  /// Of the message that is walked over now.
  private var messages = 0
  private var numbers = 0
  private var pieces = 0

  /// As long as reading so many bytes of numbers.
  static let messageWork = 64
  /// Packed lists of one message: each has one, and a few may be cut.
  static let pieceLimit = 64

  let costLimit: Int
  /// Bytes of one field.
  let fieldLimit: Int

  init(costLimit: Int, fieldLimit: Int) { (self.costLimit, self.fieldLimit) = (costLimit, fieldLimit) }

  /// The end of the field at `start`; nil where it is not whole.
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
    // Groups: no definition has any.
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
    // Text, bytes or a single message: no more than its bytes for as long as it stands.
    case nil: cost += content.count
    }
    if pieces > Self.pieceLimit || numbers > shape.numberLimit { throw .tooLarge }
  }

  /// nil where the bytes end within it.
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
