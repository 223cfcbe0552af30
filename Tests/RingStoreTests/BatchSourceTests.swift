import Custody
import EventLoop
import Reasons
import Testing

@testable import RingStore

@Suite("The text under which a batch's source is stored")
struct BatchSourceTests {
  @Test("reads back as the part that it was made of, the longest too, in the bytes that stores have always had")
  func parts() throws {
    for (place, mark) in [
      ("a", "m"), ("a", ""), (String(repeating: "/", count: 120), String(repeating: "-", count: 40)),
    ] {
      let item = try #require(ItemID(place: place, mark: mark))
      for (number, count) in [(1, 1), (2, 3), (64, 64)] {
        let source = BatchSource.part(try #require(ItemPart(number, of: count, item: item)))
        #expect(source.text == "\(place) \(mark) \(number)/\(count)" && source.text.utf8.count <= BatchSource.textLimit)
        #expect(BatchSource(text: source.text) == source)
      }
    }
  }

  @Test("is that of no item if it differs in a single byte from what a part is stored as")
  func places() {
    for text in [
      "", "file", "a m", "a m 1", "a m 1/", "a m /1", "a m 0/1", "a m 2/1", "a m 1/65", "a m +1/1", "a m 01/1",
      "a m 1/1/1", "a m 1/1 ", " a m 1/1",
      " m 1/1", "a  m 1/1", "a m x/1", "a m 1/99999999999999999999", "ä m 1/1",
    ] {
      #expect(BatchSource(text: text) == .place(text) && BatchSource(text: text).text == text, "'\(text)'")
    }
  }

  @Test("of no item is never one that reads as a part: such a batch is refused")
  func refused() throws {
    let one = WearableID(number: 1)
    let visit = VisitRecord(number: 1, wearable: one, began: VirtualLoop.morning)
    #expect(throws: HearthError.self) { try FetchedBatch(wearable: one, place: "a m 1/1", visit: visit) }
    #expect(try FetchedBatch(wearable: one, place: "a m 1/1/1", visit: visit).source == .place("a m 1/1/1"))
  }
}
