import Simulation
import Testing

@testable import hearth_sim

@Suite("Records and the places of their values")
struct RecordPairsTests {
  private func pairs(_ choices: [[Int]], places: Int) -> [Int?] {
    var pairs = RecordPairs(choices, places: places)
    for record in choices.indices { pairs.place(record) }
    return choices.indices.map { pairs.place(of: $0) }
  }

  @Test("a record with another place gives its own to one without")
  func moves() {
    #expect(pairs([[0, 1], [0]], places: 2) == [1, 0])
    #expect(pairs([[0, 1], [1, 2], [0]], places: 3) == [1, 2, 0])
  }

  @Test("one that is left over has no place, and no other loses its own for it")
  func leftOver() {
    #expect(pairs([[0], [0], []], places: 2) == [0, nil, nil])
  }

  @Test("as many as possible have a place, each of its own choices")
  func most() {
    var random = SeededRandom(seed: seedFromEnvironment ?? 1822)
    for _ in 0..<2000 {
      let choices = (0..<random.integer(in: 1...6)).map { _ in (0..<5).filter { _ in random.chance(0.4) } }
      let found = pairs(choices, places: 5)
      let taken = found.compactMap { $0 }
      #expect(Set(taken).count == taken.count)
      for (record, place) in found.enumerated() { if let place { #expect(choices[record].contains(place)) } }
      #expect(taken.count == best(choices[...], []))
    }
  }

  /// By trying everything.
  private func best(_ choices: ArraySlice<[Int]>, _ taken: Set<Int>) -> Int {
    guard let first = choices.first else { return 0 }
    let rest = choices.dropFirst()
    let options = first.filter { !taken.contains($0) }.map { 1 + best(rest, taken.union([$0])) }
    return max(best(rest, taken), options.max() ?? 0)
  }
}
