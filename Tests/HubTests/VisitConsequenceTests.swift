import Bluetooth
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("What becomes of a visit that fails")
struct VisitConsequenceTests {
  static let table: [(VisitTrouble, VisitOutcome, Reason)] = [
    (.framing("a frame of no length"), .broken, .visitBroken),
    (.silent(what: "its clock"), .silent, .visitSilent),
    (.refused(.readNotPermitted, what: "its clock"), .refused, .visitRefused),
    (.busy(what: "a training runs", retryAfter: nil), .busy, .visitBusy),
    (.unsupported("a file of version 9"), .refused, .visitUnsupported),
    (.link(.closed(.linkLost)), .interrupted, .linkLost),
    (.link(.protocolViolation(.oversizePDU)), .broken, .attProtocol),
  ]

  @Test("each trouble has its outcome and its code, with the wearable's name")
  func isTold() {
    for (trouble, outcome, reason) in Self.table {
      let end = VisitEnd(trouble, name: "strap-03")
      #expect(end.outcome == outcome && end.trouble?.reason == reason, "\(trouble)")
      #expect(end.trouble?.detail.contains("strap-03") == true, "\(trouble)")
    }
  }

  @Test("a link that the hub itself ended is no trouble")
  func abandoned() {
    let end = VisitEnd(.link(.closed(.aborted)), name: "strap-03")
    #expect(end.outcome == .abandoned && end.trouble == nil)
  }

  @Test("a link that the hub ended because a turn ran over is no trouble, and the wearable's turn comes again")
  func overran() {
    let end = VisitEnd(.overran, name: "strap-03")
    #expect(end.outcome == .sliceOver && end.trouble == nil && end.failure == nil && end.link == nil)
    #expect(!VisitTrouble.overran.concernsOneDomain && end.outcome.consequence.retry == .inTurn)
  }

  @Test("the link of a wearable that breaks its protocol, or does not answer, is ended")
  func endsLinks() {
    for (trouble, outcome, _) in Self.table where outcome == .broken || outcome == .silent {
      #expect(trouble.endsLink, "\(trouble)")
    }
    #expect(!VisitTrouble.busy(what: "a training runs", retryAfter: nil).endsLink)
  }
}
