import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Data that is handed out is noted with its reader")
struct AccessLogMethodTests {
  @Test("peeks, days and exports are noted wearable by wearable with their series, times and samples")
  func samples() throws {
    let (notes, user) = try serve(
      prepare: { hub, _ in hub.fill(600) },
      client: { path in
        let client = try ControlClient(path: path)
        _ = try client.call("StorePeek", ["name": "strap-01", "series": "heart_rate"])
        _ = try client.call("ExportNext", ["cursor": "ward"])
        _ = try client.call("ExportNext", ["cursor": "ward", "confirm": true])
        try ControlClient(path: path).stream("Export", ["device": "strap-02"]) { _ in true }
      }, after: { hub, _, _ in (hub.accessNotes, geteuid()) })
    #expect(notes.allSatisfy { $0.user == user && $0.wearable != nil && $0.samples > 0 && $0.span != nil })
    let peek = notes.filter { $0.method == "StorePeek" }
    #expect(peek.count == 1 && peek[0].wearable == WearableID(number: 1) && peek[0].series == [Series.heartRate.id])
    let next = notes.filter { $0.method == "ExportNext" }
    #expect(Set(next.compactMap(\.wearable?.number)) == [1, 2] && next.allSatisfy { $0.cursor == "ward" })
    #expect(next.reduce(0) { $0 + $1.samples } == 600, "every sample that left is counted")
    #expect(next.reduce(0) { $0 + $1.calls } == 2, "one call for each of both wearables, however many pages")
    let export = notes.filter { $0.method == "Export" }
    #expect(export.allSatisfy { $0.wearable == WearableID(number: 2) } && export.reduce(0) { $0 + $1.samples } == 300)
  }

  @Test("reads of a person's data are noted for the times of wearing, and not for those of another person between")
  func handedOver() throws {
    let (ada, bob) = (WearerID(number: 1), WearerID(number: 2))
    let notes = try serve(
      prepare: { hub, _ in
        hub.fill(600)
        hub.people = People(
          wearers: [
            Wearer(id: ada, name: "Ada", createdAt: FakeHub.now), Wearer(id: bob, name: "Bob", createdAt: FakeHub.now),
          ],
          assignments: [(0, ada), (200, bob), (400, ada)].map { (from: Int64, wearer) in
            Assignment(
              wearable: WearableID(number: 2), from: FakeHub.now + .milliseconds(from), wearer: wearer,
              enteredAt: FakeHub.now)
          })
      },
      client: { path in
        try ControlClient(path: path).stream("Export", ["person": "Ada"]) { _ in true }
        let days: JSON = [
          "name": "Ada", "series": "heart_rate", "since": .string(FakeHub.now.rfc3339),
          "until": .string((FakeHub.now + .milliseconds(600)).rfc3339),
        ]
        _ = try ControlClient(path: path).call("Days", days)
      }, after: { hub, _, _ in hub.accessNotes })
    for method in ["Export", "Days"] {
      let found = notes.filter { $0.method == method }
      #expect(!found.isEmpty && found.allSatisfy { $0.wearable == WearableID(number: 2) }, "\(found)")
      for span in found.compactMap(\.span) {
        let (from, to) = (span.lowerBound - FakeHub.now, span.upperBound - FakeHub.now)
        #expect(to < .milliseconds(200) || from >= .milliseconds(400), "\(method): Bob wore it within \(from) to \(to)")
      }
    }
    let export = notes.filter { $0.method == "Export" }
    #expect(export.reduce(0) { $0 + $1.samples } == 200 && export.reduce(0) { $0 + $1.calls } == 1)
  }

  @Test("live values, heart rates in lists and bodies are noted too; what has no values is not")
  func others() throws {
    let notes = try serve(
      prepare: { hub, server in server.loop.schedule(after: .milliseconds(300)) { for _ in 0..<5 { hub.say(72) } } },
      client: { path in
        let client = try ControlClient(path: path)
        _ = try client.call("Status")
        _ = try client.call("Visits")
        _ = try client.call("Devices")
        var count = 0
        try ControlClient(path: path).stream("Live", [:]) { _ in
          count += 1
          return count < 5
        }
        usleep(200_000)
      }, after: { hub, _, _ in hub.accessNotes })
    #expect(Set(notes.map(\.method)) == ["Devices", "Live"])
    let live = notes.filter { $0.method == "Live" }
    #expect(live.reduce(0) { $0 + $1.samples } == 5 && live.reduce(0) { $0 + $1.calls } == 1)
    #expect(live.allSatisfy { $0.wearable == WearableID(number: 1) })
  }

  @Test("readers of a person's data are listed by the person's name and number, and by wearable")
  func asking() throws {
    let answers = try serve(
      prepare: { hub, _ in
        for (wearable, wearers) in [(UInt32(1), []), (2, [WearerID(number: 1)]), (2, [WearerID(number: 7)])] {
          var note = AccessNote(user: 1000, userName: "pi", method: "Export", wearable: WearableID(number: wearable))
          note.wearers = Set(wearers)
          hub.accessNotes.append(note)
        }
      },
      client: { path -> [[AccessDocument]] in
        let client = try ControlClient(path: path)
        return try ["Ada", "ada", "1", "7", "strap-02", "strap-01"].map {
          try client.fetch("accesses", of: "Accesses", ["of": .string($0)])
        } + [try client.fetch("accesses", of: "Accesses")]
      })
    #expect(answers.map(\.count) == [1, 1, 1, 1, 2, 1, 3])
    #expect(answers[0].first?.names == ["Ada"] && answers[0].first?.user == "pi" && answers[0].first?.uid == 1000)
    #expect(answers[3].first?.names == [] && answers[3].first?.wearers == [7], "without a name a number is left")
  }
}
