// Deadlines in order: a binary heap with lazy removal. Cancelling is O(1), and the heap is rebuilt when more than half
// of its entries are cancelled.

/// The timers of one loop, ordered by deadline, then by creation.
struct TimerQueue {
  private struct Entry {
    var deadline: Instant
    var id: UInt64
    func isBefore(_ other: Entry) -> Bool { deadline == other.deadline ? id < other.id : deadline < other.deadline }
  }

  /// Limit: more than any hub needs (a wearable has fewer than ten timers, the registry at most 512 wearables);
  /// reaching it is a leak.
  static let limit = 65_536

  private var heap: [Entry] = []
  private var bodies: [UInt64: @LoopActor () -> Void] = [:]
  private var nextID: UInt64 = 1

  var count: Int { bodies.count }

  mutating func insert(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    guard bodies.count < Self.limit else { fatalError("timer leak: \(Self.limit) timers pending") }
    let entry = Entry(deadline: deadline, id: nextID)
    nextID += 1
    bodies[entry.id] = body
    heap.append(entry)
    siftUp(heap.count - 1)
    guard heap.count >= bodies.count else { fatalError("a timer without its place in the queue of deadlines") }
    return LoopTimer(id: entry.id)
  }

  mutating func remove(_ timer: LoopTimer) {
    guard bodies.removeValue(forKey: timer.id) != nil else { return }
    if heap.count > 64, heap.count > bodies.count * 2 {
      heap.removeAll { bodies[$0.id] == nil }
      heap.sort { $0.isBefore($1) }  // a sorted array is a heap
    }
  }

  /// Deadline of the next timer that is not cancelled.
  mutating func nextDeadline() -> Instant? {
    while let first = heap.first {
      if bodies[first.id] != nil { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Removes and returns the first timer that is due at `now`, or nil.
  mutating func popDue(_ now: Instant) -> (deadline: Instant, body: @LoopActor () -> Void)? {
    guard let deadline = nextDeadline(), deadline <= now, let first = heap.first,
      let body = bodies.removeValue(forKey: first.id)
    else {
      return nil
    }
    removeFirst()
    return (deadline, body)
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = last
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      if !heap[child].isBefore(heap[parent]) { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let left = parent * 2 + 1
      let right = left + 1
      var first = parent
      if left < heap.count, heap[left].isBefore(heap[first]) { first = left }
      if right < heap.count, heap[right].isBefore(heap[first]) { first = right }
      if first == parent { return }
      heap.swapAt(parent, first)
      parent = first
    }
  }
}
