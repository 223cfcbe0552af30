import Reasons
import Testing

@Suite("What the reason codes say")
struct ReasonTextTests {
  static let areas: Set = [
    "config", "wire", "link", "bond", "enrol", "alert", "order", "radio", "store", "backup", "clock", "control",
    "lights",
    "hub", "uplink", "sink",
  ]

  @Test("every code has its area, what happened, the effect on samples and a next step", arguments: Reason.allCases)
  func isComplete(reason: Reason) {
    let text = reason.text
    #expect(Self.areas.contains(text.area))
    for line in [text.sentence, text.effect, text.next] {
      #expect((6...100).contains(line.count), "\(reason.code): \(line)")
      #expect(!line.hasSuffix("."), "\(reason.code): a clause, without a full stop: \(line)")
      #expect(line.allSatisfy { $0.isASCII && !$0.isNewline }, "\(reason.code): \(line)")
      #expect(!line.lowercased().contains("please"))
    }
    #expect(text.sentence.first?.isUppercase != true, "\(reason.code) continues 'CODE area:': \(text.sentence)")
  }

  @Test("every code says whether samples are unaffected, delayed, lost or kept", arguments: Reason.allCases)
  func saysTheEffect(reason: Reason) {
    let words = ["unaffected", "delayed", "lost", "no samples", "invented"]
    #expect(words.contains { reason.text.effect.contains($0) }, "\(reason.code): \(reason.text.effect)")
    if reason.text.effect.hasPrefix("samples lost from") || reason.text.effect.hasPrefix("lost from") {
      #expect(
        reason.text.effect.contains(" until ") || reason.text.effect.contains(" if ")
          || reason.text.effect.contains(" and from "))
    }
  }

  @Test("every code has a paragraph of two to five sentences on one line", arguments: Reason.allCases)
  func isExplained(reason: Reason) {
    let paragraph = reason.explanation
    #expect(paragraph.hasSuffix("."), "\(reason.code)")
    #expect(!paragraph.contains("\n") && !paragraph.contains("  "), "\(reason.code)")
    #expect(paragraph.allSatisfy { $0.isASCII }, "\(reason.code)")
    let ends = zip(paragraph, paragraph.dropFirst() + " ").filter { ".?!".contains($0) && $1 == " " }.count
    #expect((2...5).contains(ends), "\(reason.code) has \(ends) sentences")
    #expect((120...640).contains(paragraph.count), "\(reason.code) has \(paragraph.count) characters")
  }

  @Test("no two codes say the same")
  func saysDiffer() {
    #expect(Set(Reason.allCases.map(\.text.sentence)).count == Reason.allCases.count)
    #expect(Set(Reason.allCases.map(\.explanation)).count == Reason.allCases.count)
  }

  @Test("a code names other codes only if they exist")
  func namedCodesExist() throws {
    for reason in Reason.allCases {
      for text in [reason.text.sentence, reason.text.effect, reason.text.next, reason.explanation] {
        for match in text.matches(of: /H\d{4}/) {
          #expect(Reason(code: String(match.output)) != nil, "\(reason.code) names \(match.output)")
        }
      }
    }
  }

  @Test("a printed code reads back, in either case, and other text does not")
  func codesReadBack() {
    for reason in Reason.allCases {
      #expect(Reason(code: reason.code) == reason)
      #expect(Reason(code: reason.code.lowercased()) == reason)
      #expect(reason.code.count == 5)
    }
    for wrong in ["", "H", "2102", "H9999", "X2102", "H21O2", "H2102 ", "H-2102", "H99999999999", "\u{1F525}"] {
      #expect(Reason(code: wrong) == nil)
    }
  }

  @Test("an error prints its code, its area and the particulars of the case")
  func errorsPrint() {
    #expect(
      HearthError(.notHeard, "strap-03 was not heard within 5 s").description
        == "H2102 link: strap-03 was not heard within 5 s")
  }
}
