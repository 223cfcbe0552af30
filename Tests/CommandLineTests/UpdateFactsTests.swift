import HubProtocol
import Testing
import Updates

@testable import hearth

@Suite("What a trial reads of a hub's status")
struct UpdateFactsTests {
  private func facts(_ text: String) -> HubFacts? {
    (try? JSON.parse(Array(text.utf8))).flatMap { HubFacts(status: $0) }
  }

  @Test("phase, radio and the store's trouble, of a status of any version; an invalid one gives nil")
  func read() {
    let fine = #"{"phase": "serving", "uptime_seconds": 7, "radio": {"state": "ready"}, "later": [1]}"#
    let plain = HubFacts(isServing: true, radioIsReady: true, storeTrouble: nil, uptime: .seconds(7))
    #expect(facts(fine) == plain)
    // A wearable's trouble, and one that is no card's, are not the update's.
    let others = """
      {"phase": "serving", "uptime_seconds": 7, "radio": {"state": "ready"}, "attention":
      [{"device": "a", "reason": {"code": "H4199", "detail": ""}}, {"device": null, "reason": {"code": "H4101"}}]}
      """
    #expect(facts(others) == plain)
    let card = """
      {"phase": "starting", "uptime_seconds": 7, "radio": {"state": "down"},
      "attention": [{"device": null, "reason": {"code": "H4199", "detail": "the card"}}]}
      """
    #expect(
      facts(card)
        == HubFacts(isServing: false, radioIsReady: false, storeTrouble: "H4199 the card", uptime: .seconds(7)))
    let number = #"{"phase": 1, "uptime_seconds": 1, "radio": {"state": "x"}}"#
    for text in ["{}", "[]", "7", #"{"phase": "serving"}"#, number] {
      #expect(facts(text) == nil, "\(text)")
    }
  }
}
