// The type of a protobuf message's fields of bytes. Only `build_release` in board/lib.sh compiles it.

/// What Foundation calls a bag of bytes, for functions of protobuf's that nothing here calls.
public protocol ContiguousBytes {
  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Array: ContiguousBytes where Element == UInt8 {}

/// A value of bytes. Unlike Foundation's its indices begin at 0, which no slice changes: a slice is another type.
public struct Data: Hashable, Sendable, ContiguousBytes {
  @usableFromInline var bytes: [UInt8]

  @inlinable public init() { bytes = [] }
  @inlinable public init(count: Int) { bytes = [UInt8](repeating: 0, count: count) }
  @inlinable public init(repeating byte: UInt8, count: Int) { bytes = [UInt8](repeating: byte, count: count) }
  @inlinable public init(bytes start: UnsafeRawPointer, count: Int) {
    bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
  @inlinable public init<S: Sequence>(_ elements: S) where S.Element == UInt8 { bytes = [UInt8](elements) }

  @inlinable public mutating func append(_ other: Data) { bytes += other.bytes }

  @inlinable public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  @inlinable public mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R)
    rethrows -> R
  {
    try bytes.withUnsafeMutableBytes(body)
  }
}

extension Data: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { bytes.count }

  @inlinable public subscript(position: Int) -> UInt8 {
    get { bytes[position] }
    set { bytes[position] = newValue }
  }

  @inlinable public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C)
  where C.Element == UInt8 {
    bytes.replaceSubrange(range, with: elements)
  }

  @inlinable public mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  @inlinable public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows
    -> R?
  {
    try bytes.withContiguousStorageIfAvailable(body)
  }

  @inlinable public mutating func withContiguousMutableStorageIfAvailable<R>(
    _ body: (inout UnsafeMutableBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    try bytes.withContiguousMutableStorageIfAvailable(body)
  }
}
