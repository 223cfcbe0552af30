import Custody
import Testing

@Suite("What an item, a part and a removal are")
struct IdentityTests {
  @Test("a place has 1 to 120 plain characters, a mark at most 40: all others are no items")
  func items() {
    func isItem(_ place: String, _ mark: String) -> Bool { ItemID(place: place, mark: mark) != nil }
    #expect(isItem("a", "") && isItem(String(repeating: "~", count: 120), String(repeating: "!", count: 40)))
    #expect(!isItem("", "m") && !isItem(String(repeating: "a", count: 121), "m"))
    #expect(!isItem("a", String(repeating: "m", count: 41)))
    for text in ["a b", "ü", "a\n", "\u{7F}"] { #expect(!isItem(text, "m") && !isItem("a", text), "\(text)") }
  }

  @Test("a part is one of 1 to 64, and never beyond them")
  func parts() throws {
    let item = try #require(ItemID(place: "a", mark: "m"))
    func isPart(_ number: Int, _ count: Int) -> Bool { ItemPart(number, of: count, item: item) != nil }
    #expect(isPart(1, 1) && isPart(64, 64) && isPart(1, 64))
    for (number, count) in [(0, 1), (2, 1), (1, 0), (-1, 3), (1, 65), (65, 65), (1, -1), (.min, .max), (.max, .max)] {
      #expect(!isPart(number, count), "\(number) of \(count)")
    }
  }

  @Test("a removal is known by its name, as stores have kept it")
  func removals() {
    #expect(Removal(name: "all files", covers: []).id == RemovalID(name: "all files"))
    #expect(RemovalID(name: "a") != RemovalID(name: "b"))
    #expect(RemovalID(name: "a").digest == 0xE40C_292C, "FNV-1a, 32 bits")
  }
}
