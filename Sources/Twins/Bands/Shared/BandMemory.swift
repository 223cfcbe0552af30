// Memory of a band: a bounded place for each kind of data, in which the newest overwrites the oldest.

/// Numbers of items, oldest first, up to its capacity.
public struct BandMemory: Sendable {
  /// Maximum number of items.
  public let capacity: Int
  /// Numbers of items, the oldest first.
  public private(set) var numbers: [Int] = []
  /// Items that were overwritten before a host had confirmed them.
  public private(set) var overwritten = 0

  /// - Parameter capacity: at least 1.
  public init(capacity: Int) {
    precondition(capacity > 0, "a memory without room is none")
    self.capacity = capacity
  }

  /// True if the next item overwrites the oldest.
  public var isFull: Bool { numbers.count == capacity }

  /// Adds a number. Returns the one that it overwrote.
  mutating func append(_ number: Int) -> Int? {
    var gone: Int?
    if isFull {
      gone = numbers.removeFirst()
      overwritten += 1
    }
    numbers.append(number)
    return gone
  }

  /// Removes these numbers. Returns those that were present.
  mutating func forget(_ those: Set<Int>) -> [Int] {
    let gone = numbers.filter(those.contains)
    if !gone.isEmpty { numbers.removeAll(where: those.contains) }
    return gone
  }

  /// Removes its oldest ones, counted as overwritten.
  mutating func overwrite(_ those: Set<Int>) -> [Int] {
    let gone = forget(those)
    overwritten += gone.count
    return gone
  }

  /// Removes all. Returns what was there.
  mutating func clear() -> [Int] {
    defer { numbers = [] }
    return numbers
  }
}
