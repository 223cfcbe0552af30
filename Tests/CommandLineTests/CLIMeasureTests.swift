import Bluetooth
import Control
import EventLoop
import Health
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing
import Wearable

@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("What hearth prints of measuring by order, and of bands that belong to a hub")
struct CLIMeasureTests {
  private func measurement(_ end: String?, _ values: Int) -> MeasurementDocument {
    MeasurementDocument(device: "band-07", series: "heart_rate", end: end.map { .init($0) }, values: values)
  }

  @Test("the begin, each value and each kind of end have a line of their own")
  func lines() {
    func shown(_ end: String?, _ values: Int, _ sample: JSON? = nil) -> String {
      render(.init(event: "end", sample: sample, measurement: measurement(end, values)), hubTime)
    }
    #expect(shown(nil, 0) == "times in UTC\nband-07 measures heart_rate\n")
    #expect(shown("limit", 60) == "its time is over: 60 values\n")
    #expect(shown("stopped", 1) == "stopped: 1 value\n")
    #expect(shown("by_wearable", 3) == "band-07 ended it by itself: 3 values\n")
    #expect(shown("failed", 0) == "failed: 0 values\n")
    let sample: JSON = [
      "device": "band-07", "series": "heart_rate", "time": .string(now.rfc3339), "value": 72, "unit": "bpm",
    ]
    #expect(
      shown(nil, 1, sample)
        == "10:00:00.000   band-07             heart_rate                    72 bpm\n")
  }

  @Test("a measurement without a value is no result")
  func noResults() {
    #expect(hasResults(measurement("limit", 1)) && hasResults(measurement("stopped", 2)))
    #expect(!hasResults(measurement("stopped", 0)) && !hasResults(measurement("by_wearable", 0)) && !hasResults(nil))
  }

  @Test("what it takes is checked before anybody is asked")
  func usage() {
    for words in [
      ["measure", "band-07", "nonsense"], ["measure", "band-07", "spo2", "--every", "0"],
      ["measure", "band-07", "spo2", "--for", "14"], ["measure", "band-07", "spo2", "--for", "20", "--until-stopped"],
    ] {
      #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(words) }
    }
    #expect(throws: Never.self) { try HearthCommand.parseAsRoot(["measure", "band-07", "spo2", "--until-stopped"]) }
  }

  @Test("a running visit says how far its link is; in the watch's line and in the list of wearables until it is ready")
  func connection() {
    func running(_ stage: LinkStage?) -> VisitDocument {
      var visit = VisitSnapshot(number: 12, wearable: "band-12", trigger: .seen, began: now)
      (visit.stage, visit.connection) = (.check, stage)
      return VisitDocument(visit)
    }
    func text(_ stage: LinkStage?) -> String { renderRunning(running(stage), now: now, .plain) }
    #expect(text(nil) == "now    band-12   visit 12   checking\n")
    #expect(text(.connecting) == "now    band-12   visit 12   connecting   checking\n")
    #expect(text(.authenticating) == "now    band-12   visit 12   authenticating   checking\n")
    #expect(text(.preparing) == "now    band-12   visit 12   preparing data   checking\n")
    #expect(text(.connected) == "now    band-12   visit 12   connected   checking\n")
    #expect(
      [nil, .connecting, .authenticating, .preparing, .connected].map { doingWord(running($0)) }
        == ["checking", "connecting", "authenticating", "preparing data", "checking"])
  }

  @Test("a warning is shown with its code, what it means and what to do")
  func warning() {
    let trouble = TroubleDocument(HearthError(.bindingLeft, "band-07 was not unbound"))
    let text = renderWarning(trouble)
    #expect(text.hasPrefix("H2245 ") && text.contains("band-07 was not unbound") && text.contains("next: reset it"))
    #expect(renderWarning(nil).isEmpty)
  }
}
