// Ring buffer for the newest elements of a sequence: beats and gaps of a timeline.

/// First-in, first-out store that overwrites its oldest element when full. Memory is allocated once.
struct Ring<Element: Sendable>: Sendable {
  let capacity: Int
  private var elements: [Element] = []
  /// Index of the oldest element once the ring is full.
  private var oldest = 0
  /// Number of elements overwritten since the start.
  private(set) var overwritten: UInt64 = 0

  init(capacity: Int) {
    self.capacity = Swift.max(1, capacity)
    elements.reserveCapacity(self.capacity)
  }

  var count: Int { elements.count }

  /// - Parameter index: 0 is the oldest; below `count`.
  subscript(index: Int) -> Element {
    let place = oldest + index
    return elements[place < elements.count ? place : place - elements.count]
  }

  var last: Element? { count == 0 ? nil : self[count - 1] }

  mutating func append(_ element: Element) {
    guard elements.count == capacity else {
      elements.append(element)
      return
    }
    elements[oldest] = element
    oldest = oldest + 1 == capacity ? 0 : oldest + 1
    overwritten &+= 1
  }

  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    oldest = 0
  }
}
