import Bluetooth
import Control
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("Pauses and mutes for people")
struct CLIPauseTests {
  private static func strap(_ state: WearableState) -> WearableSnapshot {
    WearableSnapshot(
      name: "strap-01", address: BluetoothAddress(value: 1, kind: .leRandom), kind: "HR strap", state: state,
      isEnrolled: true)
  }

  @Test("a paused wearable says since when and for how long, and needs no person")
  func paused() {
    var snapshot = Self.strap(.paused)
    snapshot.pause = PauseSnapshot(since: now + .seconds(-7200), until: now + .seconds(3600))
    let device = DeviceDocument(snapshot)
    #expect(!needsPerson(device))
    #expect(renderTable([device], hubTime, .plain).contains("paused for 2 h\n"))
    #expect(render(device, hubTime, .plain).contains("collected      no: paused by order 2 h ago, for 1 h more\n"))
    #expect(renderPause(device, hubTime) == "strap-01: paused until 2026-11-21 11:00:00\n")
    snapshot.pause?.until = nil
    #expect(
      renderPause(DeviceDocument(snapshot), hubTime) == "strap-01: paused until: hearth device strap-01 resume\n")
    #expect(renderPause(DeviceDocument(Self.strap(.live)), hubTime) == "strap-01: collected\n")
  }

  @Test("what is muted is listed on the page of its wearable as muted, and what visits leave out as not taken")
  func muted() {
    var snapshot = Self.strap(.live)
    let trouble = HearthError(.batteryCritical, "strap-01: 5 %")
    snapshot.muted = [
      Attention(wearable: "strap-01", trouble: trouble),
      Attention(wearable: "strap-01", trouble: trouble, mutedUntil: now),
    ]
    snapshot.leftOut = ["sleep", "steps"]
    let page = render(DeviceDocument(snapshot), hubTime, .plain)
    #expect(page.contains("muted          H2230 \(Reason.batteryCritical.text.sentence)\n"), "\(page)")
    #expect(page.contains("muted          H2230 until 2026-11-21 10:00:00: \(Reason.batteryCritical.text.sentence)\n"))
    #expect(page.contains("not taken      sleep, steps, by order\n"))
  }

  @Test("muted troubles are apart on the first screen, in its words and exit code, and on the lines of radio and store")
  func screens() {
    var hub = HubSnapshot(
      name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .down(.adapterBlocked),
      radio: RadioFacts(adapter: "hci0", bus: "onboard", links: 0, slots: 7, isScanning: false))
    (hub.clockIsPlausible, hub.clockIsSynchronised) = (false, false)
    var figures = StoreStatus(path: "/s", sizeBytes: 1_500_000_000)
    figures.trouble = HearthError(.storeFull, "no room")
    figures.wear = WearStatus(
      bytesToday: 150_000_001, budgetPerDay: 150_000_000, odometer: 0, forecastPerYear: nil)
    let store = StoreDocument(figures, wearables: 1, daemon: true)
    let enrolment = EnrolmentSnapshot(mode: .window, nearRSSI: -55)
    func status() -> StatusDocument {
      StatusDocument(hub, enrolment: enrolment, store: store, now: now, zone: .utc)
    }
    func overview(_ status: StatusDocument) -> [WatchLine] {
      var model = WatchModel()
      model.apply(ViewDocument(status: status, devices: []))
      return frame(model, WatchReader(), WatchSize(columns: 120, rows: 40), hubTime).lines
    }
    let reasons: [Reason] = [.adapterBlocked, .storeFull, .storeBudgetExceeded, .clockUntrusted]
    hub.attention = reasons.map { Attention(wearable: nil, trouble: HearthError($0, "x")) }
    let told = status()
    #expect(needsAttention(told) && needsAttention(store))
    #expect(overview(told).contains { $0.text.contains("clock not trusted H5001") })
    hub.muted = hub.attention.map { Attention(wearable: nil, trouble: $0.trouble, mutedUntil: now + .seconds(3600)) }
    hub.attention = []
    let muted = status()
    let mutes = KnownMutes(muted)
    #expect(!needsAttention(muted) && !needsAttention(store, mutes))
    let text = render(muted, hubTime, .plain)
    let end = "muted until 2026-11-21 11:00:00"
    #expect(text.contains("- hub  \(Reason.storeFull.code) \(end) -> hearth mute\n"))
    #expect(text.contains("written today (budget 150 MB)   \(Reason.storeFull.code) \(end)\n"), "\(text)")
    #expect(!overview(muted).contains { line in line.text.contains("clock not trusted") })
    #expect(!overview(muted).contains { line in line.pieces.contains { $0.paint == .attention } })
    #expect(render(store, hubTime, .plain, mutes).hasSuffix("- \(Reason.storeFull.code) \(end) -> hearth mute\n"))
    // Another wearable's mute does not concern the hub.
    let others = [MuteDocument(code: Reason.storeFull.code, sentence: "", device: "strap-01", since: "", until: nil)]
    #expect(needsAttention(store, KnownMutes(others)))
  }

  @Test("mutes are listed with wearable and end; a time of day that is over is the one of tomorrow")
  func mutes() throws {
    let list = [
      MuteDocument(code: "H2109", sentence: "linked again", device: "strap-01", since: "", until: now.rfc3339),
      MuteDocument(code: "H4110", sentence: "over its budget", device: nil, since: "", until: nil),
    ]
    #expect(
      render(list, hubTime) == """
        H2109  strap-01  until 2026-11-21 10:00:00  linked again
        H4110  all       until it is unmuted        over its budget

        """)
    #expect(render([], hubTime) == "no trouble is muted\n")
    func end(_ words: [String]) throws -> WallTime? {
      try (try HearthCommand.parseAsRoot(["mute", "H2109"] + words) as? MuteCommand)?.end.end(hubTime)
    }
    #expect(try end([]) == nil)
    #expect(try end(["--for", "2h"]) == now + .seconds(7200))
    #expect(try end(["--until", "12:00"]) == now + .seconds(7200))
    #expect(try end(["--until", "07:00"]) == now + .seconds(21 * 3600))
    // What is over is no time of tomorrow, but for a time of day.
    for text in ["2026-11-20", "2h", "now", "yesterday"] {
      #expect(throws: HearthError.self, "\(text)") { try end(["--until", text]) }
    }
  }
}
