// Assignment of stored values to records with several choices: as many records as possible get a place of their own.

/// A matching between records and places, made by augmenting paths: a record that finds all its places taken asks each
/// holder to move. A record that has a place never loses it.
struct RecordPairs {
  /// Choices of each record, the better ones first.
  private let choices: [[Int]]
  private var holders: [Int?]
  private var held: [Int?]

  init(_ choices: [[Int]], places: Int) {
    self.choices = choices
    holders = [Int?](repeating: nil, count: places)
    held = [Int?](repeating: nil, count: choices.count)
  }

  func place(of record: Int) -> Int? { held[record] }
  func isFree(_ place: Int) -> Bool { holders[place] == nil }

  mutating func place(_ record: Int) {
    if held[record] != nil { return }
    var (seen, from) = (Set<Int>(), [Int: Int]())
    var line = [record]
    var next = 0
    // Breadth first: the shortest chain of moves.
    while next < line.count {
      let asking = line[next]
      next += 1
      for place in choices[asking] where seen.insert(place).inserted {
        from[place] = asking
        if let holder = holders[place] { line.append(holder) } else { return move(to: place, from) }
      }
    }
  }

  /// Moves along the chain, from the free place back.
  private mutating func move(to free: Int, _ from: [Int: Int]) {
    var place: Int? = free
    while let taken = place, let record = from[taken] {
      place = held[record]
      held[record] = taken
      holders[taken] = record
    }
  }
}
