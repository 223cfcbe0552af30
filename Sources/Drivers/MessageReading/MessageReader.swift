// A message of protobuf read in slices, each of which is counted before it is read.

public import SwiftProtobuf

/// Any message that is generated.
public typealias WireMessage = SwiftProtobuf.Message

/// What a message may have at most.
public struct ReadingBounds: Sendable {
  /// Bytes of all of it on the wire.
  public let size: Int
  /// Bytes of one field on the wire; one field is read in one slice.
  public let field: Int
  /// Bytes that it takes in memory, by its shape.
  public let cost: Int

  public init(size: Int, field: Int? = nil, cost: Int) {
    (self.size, self.cost) = (size, cost)
    self.field = field ?? size
  }
}

/// Reads one message from the front of its bytes, some fields a call. Pure but for its place in them; it keeps nothing
/// of the bytes.
public struct MessageReader<Content: SwiftProtobuf.Message> {
  /// What was read so far.
  public private(set) var message = Content()
  private let shape: WireShape
  private let bounds: ReadingBounds
  private var walk: WireWalk
  private var read = 0

  /// Work of one slice, in bytes of numbers: 64 KiB of them, or a thousand messages. Only a field that is longer than
  /// that makes a longer slice.
  public static var slice: Int { 64 << 10 }
  /// Messages within messages that are followed. No definition goes deeper than 5, but a source device may have
  /// collectors that have collectors.
  private static var depthLimit: Int { 16 }

  public init(_ shape: WireShape, _ bounds: ReadingBounds) {
    (self.shape, self.bounds) = (shape, bounds)
    walk = WireWalk(costLimit: bounds.cost, fieldLimit: bounds.field)
  }

  /// Reads the fields that are whole, at most a slice of them.
  ///
  /// - Returns: how many bytes were read; 0 where the first field is not whole.
  public mutating func next(_ bytes: UnsafeRawBufferPointer) throws(ReadingDefect) -> Int {
    let until = walk.work + Self.slice
    var end = 0
    while end < bytes.count, walk.work < until, let next = try walk.field(bytes, at: end, shape) { end = next }
    if end == 0 { return 0 }
    read += end
    if read > bounds.size { throw .tooLarge }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = Self.depthLimit
    // The bytes themselves are what is kept; unknown fields would be kept twice.
    options.discardUnknownFields = true
    let fields = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    do { try message.merge(serializedBytes: fields.bytes, partial: true, options: options) } catch {
      throw .malformed
    }
    return end
  }

  /// All of it at once, where the bounds are those of one slice.
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

/// Bounds of a message whose shape nobody looks at: an answer, a notification, a small file.
public enum PlainMessage {
  /// Bytes: the longest known, an event with its text, is below 2 kB, and a file of settings below 4.
  public static let size = 16 << 10
  /// Fields of the outermost message. Each is read in a tenth of a microsecond, and those that repeat are few.
  public static let fieldLimit = 2048

  /// - Throws: `tooLarge` for more of either.
  public static func check(_ bytes: UnsafeRawBufferPointer) throws(ReadingDefect) {
    if bytes.count > size { throw .tooLarge }
    var walk = WireWalk(costLimit: .max, fieldLimit: size)
    let shape = WireShape()
    var (place, fields) = (0, 0)
    while place < bytes.count {
      fields += 1
      if fields > fieldLimit { throw .tooLarge }
      // What is wrong with it is for its reader to say.
      guard let end = (try? walk.field(bytes, at: place, shape)) ?? nil else { return }
      place = end
    }
  }
}
