import EventLoop
import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

extension JSON {
  fileprivate var rows: [JSON] {
    guard case .array(let rows) = self else { return [] }
    return rows
  }
}

@Suite("Putting assignments right on the control socket")
struct AssignmentMethodTests {
  private static let begin = "2026-11-21T09:00:00Z"

  @Test("a dry call changes nothing; an actual one is done, and no log line names a person")
  func correct() throws {
    let log = LogLines()
    let (plan, codes, wishes, texts) = try serve(
      prepare: { _, _ in },
      client: { path -> (CorrectionsDocument, [Reason?]) in
        let client = try ControlClient(path: path)
        func code(_ method: String, _ parameters: JSON) -> Reason? {
          do throws(HearthError) { _ = try client.call(method, parameters) } catch { return error.reason }
          return nil
        }
        let (name, begin) = (JSON.string("strap-01"), JSON.string(Self.begin))
        let plan: CorrectionsDocument = try client.fetch(
          "correction", of: "AssignmentCorrect", ["name": name, "begin": begin, "wearer": "Ada", "dry": true])
        let codes = [
          code("AssignmentCorrect", ["name": name, "begin": begin]),
          code("AssignmentCorrect", ["name": name, "begin": begin, "wearer": "Ada", "nobody": true]),
          code("AssignmentCorrect", ["name": name, "begin": begin, "wearer": "Grace"]),
          code("AssignmentCorrect", ["name": name, "begin": begin, "wearer": "Ada"]),
          code("AssignmentDelete", ["name": name, "begin": begin]),
        ]
        return (plan, codes)
      }, log: log
    ) { hub, _, found in (found.0, found.1, hub.wishes, hub.orderTexts.map(\.text)) }
    #expect(plan.parts.map(\.samples) == [12] && plan.parts.first?.was == "Ada" && plan.parts.first?.wearer == nil)
    #expect(plan.readers == ["ward"])
    #expect(codes == [.controlBadParameter, .controlBadParameter, .noSuchWearer, nil, nil])
    #expect(wishes.map(\.wearer) == ["Ada", nil] && wishes.map(\.deletes) == [false, true])
    #expect(texts.count == 2 && texts.allSatisfy { $0.contains("the assignment of strap-01 from 2026-11-21") })
    #expect(!log.all.contains { $0.contains("Ada") || $0.contains("Grace") })
  }

  @Test("the first page of a cursor reports corrections to its reader, until it confirms")
  func told() throws {
    let replies = try serve { hub, _ in
      hub.fill(3)
      hub.corrections = ReaderCorrections(
        corrections: [
          Correction(
            number: 1, wearable: WearableID(number: 1), from: FakeHub.now, to: FakeHub.now + .seconds(60),
            old: WearerID(number: 1), new: nil, enteredAt: FakeHub.now)
        ], missed: 2, last: 1)
    } client: { path in
      let client = try ControlClient(path: path)
      let first = try client.call("ExportNext", ["cursor": "ward"])
      let second = try client.call("ExportNext", ["cursor": "ward"])
      _ = try client.call("ExportNext", ["cursor": "ward", "confirm": true])
      return [first, second, try client.call("ExportNext", ["cursor": "ward"])]
    }
    for reply in replies.prefix(2) {
      guard case .array(let corrections) = reply["corrections"] else { throw POSIXError(.EINVAL) }
      #expect(corrections.count == 1 && corrections.first?["device"]?.text == "strap-01")
      #expect(corrections.first?["was"]?.text == "Ada" && corrections.first?["wearer"] == .null)
      #expect(reply["corrections_missed"] == .integer(2))
    }
    #expect(replies[2]["corrections"] == .null && replies[2]["corrections_missed"] == .null)
  }

  @Test("rows with corrected times come beside a page, with the time that they were given with")
  func retimed() throws {
    let replies = try serve { hub, _ in
      hub.retimed = [FakeHub.retimedRow]
    } client: { path in
      let client = try ControlClient(path: path)
      let plain = try client.call("ExportNext", ["cursor": "ward"])
      let placed = try client.call("ExportNext", ["cursor": "cloud", "ordinals": true, "brief": true])
      return [plain, placed]
    }
    for reply in replies {
      guard case .array(let rows) = reply["retimed"] else { throw POSIXError(.EINVAL) }
      #expect(rows.count == 1 && rows.first?["clock"]?.text == "corrected")
      #expect(rows.first?["time"]?.text == "2026-11-21T10:00:00.000Z")
      #expect(rows.first?["was"]?.text == "2026-11-21T09:12:00.000Z")
    }
    #expect(replies.map { $0["retimed"]?.rows.first?["ordinal"] } == [nil, .integer(4)])
  }
}
