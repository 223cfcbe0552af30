// Wearers and assignments in memory, loaded at opening: they give each sample its wearer.

package import EventLoop

/// Wearers, by number, and assignments, by wearable and time.
package struct People: Sendable {
  package private(set) var wearers: [Wearer] = []
  private(set) var assignments: [Assignment] = []
  /// Records that failed their checksum; they remain in the file.
  private(set) var damaged = 0
  private(set) var nextNumber: UInt32 = 1

  package init() {}

  package init(wearers: [Wearer], assignments: [Assignment]) {
    for wearer in wearers { note(wearer) }
    for assignment in assignments { note(assignment) }
  }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> People {
    var people = People()
    let (wearers, nextNumber) = try Wearers.load(transaction)
    let assignments = try Assignments.load(transaction)
    // Both lists are sorted by their keys, as required.
    people.wearers = wearers.records
    people.assignments = assignments.records
    people.damaged = wearers.damaged + assignments.damaged
    people.nextNumber = nextNumber
    return people
  }

  package func wearer(_ id: WearerID) -> Wearer? {
    let place = wearers.place { $0.id < id }
    return place < wearers.count && wearers[place].id == id ? wearers[place] : nil
  }

  /// The wearer at a time; nil for no wearer, and before the first assignment.
  package func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? {
    let place = assignments.place { ($0.wearable, $0.from) <= (wearable, time) }
    guard place > 0, assignments[place - 1].wearable == wearable else { return nil }
    return assignments[place - 1].wearer
  }

  /// Returns the wearers within a span.
  func wearers(of wearable: WearableID, in span: ClosedRange<WallTime>) -> Set<WearerID> {
    var found: Set<WearerID> = []
    if let first = wearer(of: wearable, at: span.lowerBound) { found.insert(first) }
    for assignment in assignments(of: wearable) where assignment.from > span.lowerBound {
      if assignment.from > span.upperBound { break }
      if let wearer = assignment.wearer { found.insert(wearer) }
    }
    return found
  }

  package func assignments(of wearable: WearableID) -> [Assignment] {
    let first = assignments.place { $0.wearable < wearable }
    return Array(assignments[first...].prefix { $0.wearable == wearable })
  }

  func assignment(of wearable: WearableID, from time: WallTime) -> Assignment? {
    let place = assignments.place { ($0.wearable, $0.from) < (wearable, time) }
    return place < assignments.count && assignments[place].wearable == wearable && assignments[place].from == time
      ? assignments[place] : nil
  }

  mutating func note(_ wearer: Wearer) {
    let place = wearers.place { $0.id < wearer.id }
    if place < wearers.count, wearers[place].id == wearer.id {
      wearers[place] = wearer
    } else {
      wearers.insert(wearer, at: place)
    }
    nextNumber = max(nextNumber, wearer.id.number == .max ? .max : wearer.id.number + 1)
  }

  mutating func remove(_ id: WearerID) { wearers.removeAll { $0.id == id } }

  mutating func remove(_ assignment: Assignment) {
    assignments.removeAll { $0.wearable == assignment.wearable && $0.from == assignment.from }
  }

  mutating func note(_ assignment: Assignment) {
    let place = assignments.place { ($0.wearable, $0.from) < (assignment.wearable, assignment.from) }
    if place < assignments.count, assignments[place].wearable == assignment.wearable,
      assignments[place].from == assignment.from
    {
      assignments[place] = assignment
    } else {
      assignments.insert(assignment, at: place)
    }
  }
}

extension Array {
  /// The index of the first element that fails the test, by bisection. All elements that pass must come first.
  func place(_ passes: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if passes(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
