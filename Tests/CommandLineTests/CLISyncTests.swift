import Control
import Health
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

private func sync(_ change: (inout SyncSnapshot) -> Void = { _ in }) -> SyncDocument {
  var domains = [SyncedDomain("sleep", [.sleep, .sleepStage]), SyncedDomain("recordings", [.acc])]
  (domains[0].state, domains[0].itemsStored, domains[0].itemsListed, domains[0].bytes) = (.done, 2, 3, 12_000)
  var sync = SyncSnapshot(
    number: 3, wearable: "band-07", request: SyncRequest(), ordered: now + .seconds(-60), domains: domains)
  sync.watermarks = [SyncedSeries(series: .sleepStage, end: now + .seconds(-3600), refused: 0)]
  change(&sync)
  return SyncDocument(sync)
}

private func result(_ syncs: SyncDocument...) -> SyncResult {
  var result = SyncResult()
  result.syncs = syncs
  return result
}

private func text(_ result: SyncResult) -> String { render(result, hubTime, .plain) }

@Suite("Syncs on the command line")
struct CLISyncTests {
  @Test("each kind of data has a line: what came, how much of it is new; each series says until when it is stored")
  func domains() {
    let done = sync {
      $0.domains[1].state = .nothingNew
      $0.ended = now
    }
    let lines = text(result(done)).split(separator: "\n").map(String.init)
    #expect(lines[0] == "band-07   sync 3   done   2 of 2")
    #expect(lines[2].hasPrefix("sleep") && lines[2].contains("done") && lines[2].contains("2/3"))
    #expect(lines[2].hasSuffix("12 KB"))
    #expect(lines[3].hasPrefix("recordings") && lines[3].contains("nothing new"))
    #expect(lines[4] == "stored until: sleep_stage 09:00:00")
    #expect(result(done).exitStatus == 0)
  }

  @Test("what failed has its code and why; the others are not hidden, and the exit code is 1")
  func failed() {
    let some = sync {
      $0.domains[1].state = .failed
      $0.domains[1].trouble = HearthError(.visitRefused, "band-07 refused listing")
      $0.domains[0].itemsUndated = 1
      $0.watermarks.append(SyncedSeries(series: .acc, end: nil, refused: 4))
      $0.ended = now
    }
    let shown = text(result(some))
    #expect(
      shown.contains("not all of it   1 of 2") && shown.contains("failed H2121")
        && shown.contains("band-07 refused listing"))
    #expect(shown.contains("1 item without a time of its own") && shown.contains("refused, ever: acc 4"))
    #expect(shown.contains("sleep              done") && result(some).exitStatus == 1)
  }

  @Test("one that is busy ends with 6; of several, each absent one is named with the code and does not count")
  func several() {
    let busy = sync {
      $0.trouble = HearthError(.visitBusy, "band-07 is busy: a training runs")
      $0.ended = now
    }
    #expect(result(busy).exitStatus == 6 && text(result(busy)).contains("H2120"))
    var all = result(
      sync {
        $0.ended = now
        $0.domains[1].state = .nothingNew
      })
    all.skipped = [("strap-02", HearthError(.notLinked, "strap-02 is not heard and cannot be synced"))]
    #expect(all.exitStatus == 0 && text(all).contains("strap-02: not synced, H2127"))
    guard case .array(let skipped)? = all.json["skipped"] else {
      Issue.record("nobody was skipped")
      return
    }
    #expect(skipped.map { $0["reason"]?["code"] } == [.string("H2127")])
    #expect(all.json["schema"] == .string("io.hearth.synced/1"))
    #expect(text(SyncResult()) == "no sync was ordered\n" && SyncResult().exitStatus == 0)
    all.syncs = []
    #expect(all.exitStatus == 1, "nobody was there")
  }

  @Test("progress shows domains of all, the one that runs, and on a terminal the bytes of its item")
  func progress() {
    let running = sync {
      $0.domains[1].state = .running
      ($0.item, $0.itemFetched, $0.itemSize) = ("a", 6100, 10_000)
    }
    #expect(progressText(running, isFine: false) == "band-07  1 of 2")
    let fine = progressText(running, isFine: true)
    #expect(fine.hasPrefix("band-07  1 of 2  recordings 0/0  ") && fine.contains("61 %"))
    let waiting = sync { $0.domains[0].state = .waiting }
    #expect(progressText(waiting, isFine: false) == "band-07  0 of 2  waiting for its turn")
    #expect(Reason.syncRunning.exitStatus == 6)
  }
}
