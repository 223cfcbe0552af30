// Decoding of a protobuf message in slices. The cost of each slice is counted before it is decoded.

public import SwiftProtobuf

/// Any generated message.
public typealias WireMessage = SwiftProtobuf.Message

/// Bounds of a message.
public struct ReadingBounds: Sendable {
  /// Bytes of the whole message on the wire.
  public let size: Int
  /// Bytes of one field on the wire; a field is decoded in one slice.
  public let field: Int
  /// Bytes of memory that it takes, computed from its shape.
  public let cost: Int

  /// Bounds in bytes: of the message, of a field (default: the message), and of memory.
  public init(size: Int, field: Int? = nil, cost: Int) {
    (self.size, self.cost) = (size, cost)
    self.field = field ?? size
  }
}

/// Decodes a message from the front of its bytes, some fields a call. Pure except for its position in them; the bytes
/// themselves are not kept.
public struct MessageReader<Content: SwiftProtobuf.Message> {
  /// The message decoded so far.
  public private(set) var message = Content()
  private let shape: WireShape
  private let bounds: ReadingBounds
  private var walk: WireWalk
  private var read = 0

  /// Work of a slice, in bytes of numbers: 64 KiB of them, or a thousand messages. Only a longer field makes a longer
  /// slice.
  public static var slice: Int { 64 << 10 }
  /// Deepest nesting of messages. Definitions go 5 levels deep, but the collectors of a source device may contain
  /// collectors.
  private static var depthLimit: Int { 16 }

  /// A reader for messages of a shape.
  public init(_ shape: WireShape, _ bounds: ReadingBounds) {
    (self.shape, self.bounds) = (shape, bounds)
    walk = WireWalk(costLimit: bounds.cost, fieldLimit: bounds.field)
  }

  /// Decodes complete fields, at most a slice of them.
  ///
  /// - Returns: the number of bytes that were decoded; 0 if the first field is incomplete.
  /// - Throws: `malformed` for a field that cannot be decoded; `tooLarge` beyond the bounds.
  public mutating func next(_ bytes: UnsafeRawBufferPointer) throws(ReadingDefect) -> Int {
    let until = walk.work + Self.slice
    var end = 0
    while end < bytes.count, walk.work < until, let next = try walk.field(bytes, at: end, shape) { end = next }
    if end == 0 { return 0 }
    read += end
    if read > bounds.size { throw .tooLarge }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = Self.depthLimit
    // The hub stores the bytes themselves, so unknown fields would be stored twice.
    options.discardUnknownFields = true
    let fields = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    do { try message.merge(serializedBytes: fields.bytes, partial: true, options: options) } catch {
      throw .malformed
    }
    return end
  }

  /// Decodes a whole message at once, if its bounds are those of a single slice.
  ///
  /// - Throws: `malformed` for a field that is incomplete or cannot be decoded; `tooLarge` beyond the bounds.
  public static func whole(_ bytes: UnsafeRawBufferPointer, _ shape: WireShape, _ bounds: ReadingBounds)
    throws(ReadingDefect) -> Content
  {
    if bytes.count > bounds.size { throw .tooLarge }
    var reader = Self(shape, bounds)
    var place = 0
    while place < bytes.count {
      let count = try reader.next(UnsafeRawBufferPointer(rebasing: bytes[place...]))
      if count == 0 { throw .malformed }
      place += count
    }
    return reader.message
  }
}

/// Bounds of a message without a defined shape: an answer, a notification, a small file.
public enum PlainMessage {
  /// Bytes. The longest known are an event with its text, below 2 kB, and a file of settings, below 4 kB.
  public static let size = 16 << 10
  /// Fields of the outermost message. Each takes a tenth of a microsecond, and few of them repeat.
  public static let fieldLimit = 2048

  /// - Throws: `tooLarge` beyond either bound.
  public static func check(_ bytes: UnsafeRawBufferPointer) throws(ReadingDefect) {
    if bytes.count > size { throw .tooLarge }
    var walk = WireWalk(costLimit: .max, fieldLimit: size)
    let shape = WireShape()
    var (place, fields) = (0, 0)
    while place < bytes.count {
      fields += 1
      if fields > fieldLimit { throw .tooLarge }
      // Malformed bytes are reported by their decoder.
      guard let end = (try? walk.field(bytes, at: place, shape)) ?? nil else { return }
      place = end
    }
  }
}
