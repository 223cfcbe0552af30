import Reasons
import Testing

@Suite("A text in another")
struct TextSearchTests {
  @Test(
    "is found at the beginning, in the middle and at the end",
    arguments: ["ASAMPL0.BPB", "/U/0/ASAMPL", "xASAMPLx", "AASAMPL"])
  func isFound(text: String) { #expect(text.holds("ASAMPL")) }

  @Test("is not found if only a part of it is", arguments: ["", "ASAMP", "SAMPL", "ASAM PL", "asampl", "ASAMASAMP"])
  func isNotFound(text: String) { #expect(!text.holds("ASAMPL")) }

  @Test("an empty one is in every text")
  func empty() { #expect("".holds("") && "a".holds("")) }

  @Test("is found in a part of a text, and not beyond that part")
  func substring() {
    #expect("one two".dropFirst(4).holds("two"))
    #expect(!"one two".dropLast(1).holds("two"))
  }
}
