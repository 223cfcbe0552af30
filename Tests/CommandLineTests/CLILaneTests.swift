import Bluetooth
import Control
import Foundation
import Health
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing
import WrittenWords

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

private func ago(_ seconds: Int) -> WallTime { now + .seconds(-seconds) }

private func visit(_ number: UInt64, _ device: String, _ change: (inout VisitSnapshot) -> Void = { _ in })
  -> VisitDocument
{
  var visit = VisitSnapshot(number: number, wearable: device, trigger: .schedule, began: ago(300))
  change(&visit)
  return VisitDocument(visit)
}

private func ended(_ outcome: VisitOutcome, after seconds: Int = 12) -> (inout VisitSnapshot) -> Void {
  { visit in
    visit.isRunning = false
    visit.ended = visit.began + .seconds(seconds)
    visit.stage = .finish
    visit.outcome = outcome
    (visit.itemsDone, visit.itemsListed, visit.bytesFetched) = (4, 4, 310_000)
  }
}

private func fetching(_ visit: inout VisitSnapshot) {
  visit.stage = .fetch
  visit.began = ago(28)
  visit.trigger = .operatorAsked
  (visit.itemsDone, visit.itemsListed) = (2, 5)
  visit.item = "20261120/R/0612/ACC.REC"
  (visit.itemFetched, visit.itemSize, visit.rate) = (735_000, 1_204_992, 64_000)
  visit.expectedEnd = now + .seconds(12)
  (visit.slice, visit.sliceUsed) = (.seconds(45), .seconds(28))
  visit.bytesFetched = 782_084
}

private func widest(_ text: String) -> Int { text.split(separator: "\n").map { columns(String($0)) }.max() ?? 0 }

@Suite("Visits and custody on the command line")
struct CLIVisitTests {
  @Test("the running visit has bar, bytes, rate and end; then waiting wearables with reasons, then results of others")
  func list() {
    let yesterday = visit(8838, "strap-01") {
      $0.began = ago(86_400)
      ended(.done)(&$0)
    }
    let list = VisitList(
      visits: [
        visit(8841, "band-12", fetching),
        visit(8840, "insole-L") {
          $0.trigger = .seen
          ended(.done)(&$0)
          $0.remark = "no new items: all 4 items are held; erasing is switched off"
        },
        visit(8839, "band-19") {
          ended(.needsAttention, after: 3)(&$0)
          $0.trouble = HearthError(.keyMissing, "band-19 no longer knows the hub's key")
        }, yesterday,
      ],
      queue: [
        QueuedDocument(
          QueueSnapshot(
            wearable: "band-07", why: "memory full in 3 h", notBefore: now + .seconds(20), trigger: .schedule)),
        QueuedDocument(
          QueueSnapshot(wearable: "insole-R", why: "not visited for 40 min", notBefore: nil, trigger: .schedule)),
      ])
    #expect(
      render(list, hubTime, .plain) == """
        now    band-12   visit 8841   fetching   item 3 of 5
               [############--------] 60 %   735 KB of 1.2 MB   64 KB/s   done in 12 s
               20261120/R/0612/ACC.REC
        queue  band-07 in 20 s: memory full in 3 h
               insole-R: not visited for 40 min

        VISIT  WEARABLE     WHY       BEGAN       TOOK  ITEMS    BYTES  OUTCOME
         8841  band-12      operator  09:59:32    28 s    2/5   782 KB  running
         8840  insole-L     seen      09:55:00    12 s    4/4   310 KB  done
               no new items: all 4 items are held; erasing is switched off
         8839  band-19      schedule  09:55:00     3 s    4/4   310 KB  attention H2207
               band-19 no longer knows the hub's key
         8838  strap-01     schedule  20 Nov      12 s    4/4   310 KB  done
        times in UTC

        """)
    #expect(render(VisitList(visits: [], queue: []), hubTime, .plain) == "no visits yet\n")
  }

  @Test("a waiting wearable is shown by its class, with when it connects, whose slot it has, and why not yet")
  func reasons() {
    func queued(_ name: String, _ why: String, _ change: (inout QueuedDocument) -> Void) -> QueuedDocument {
      var queued = QueuedDocument(device: name, why: why, trigger: "seen", fetches: true, heard: true)
      change(&queued)
      return queued
    }
    let queue = [
      queued("strap-03", "not linked") { ($0.priority, $0.slot) = ("reserved", "free") },
      queued("cuff-01", "seen again") {
        ($0.priority, $0.slot, $0.slotOf, $0.slotAt) = ("short_presence", "taken", "strap-02", now.rfc3339)
      },
      queued("band-07", "memory full in 3 h") {
        ($0.priority, $0.slot, $0.slotOf) = ("scheduled", "taken", "strap-01")
        ($0.slotAt, $0.heldBy) = ((now + .seconds(34)).rfc3339, "recovering_first")
      },
      queued("band-09", "no values came over its last link") {
        ($0.priority, $0.slot, $0.notBefore) = ("unresponsive", "none", (now + .seconds(90)).rfc3339)
      },
      queued("band-11", "never visited") { ($0.priority, $0.slot, $0.heard) = ("first_contact", "free", false) },
    ]
    let text = renderReasons(queue, hubTime, .plain)
    #expect(
      text.hasPrefix(
        """
        CLASS          WEARABLE    CONNECTS   SLOT                 WHY
        reserved       strap-03    now        its own              not linked
        short presence cuff-01     now        strap-02's now       seen again
        scheduled      band-07     held back  strap-01's in 34 s   memory full in 3 h
                       held back: one that lost its link goes first
        unresponsive   band-09     in 1 min   no slot yields       no values came over its last link
        first contact  band-11     not heard  free                 never visited

        first to last:
        """), "\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(renderReasons([], hubTime, .plain).hasPrefix("no wearable waits for a visit or a link\n"))
  }

  @Test("a visit in which the hub died says so; an item without a known size has no bar")
  func odd() {
    let died = VisitDocument(VisitRecord(number: 3, wearable: WearableID(number: 1), began: ago(90)), device: "band-12")
    #expect(died.outcome == nil && !died.running)
    #expect(
      render(VisitList(visits: [died], queue: []), hubTime, .plain).contains(
        "       ?    0/0      0 B  hub stopped\n"))
    let blind = visit(9, "band-12") {
      fetching(&$0)
      $0.itemSize = nil
      $0.expectedEnd = nil
    }
    #expect(renderRunning(blind, now: now, .plain).contains("\n       735 KB so far   64 KB/s\n"))
  }

  @Test("the store's own record of a visit says the same as the hub's")
  func records() {
    let record = VisitRecord(
      number: 7, wearable: WearableID(number: 1), began: ago(90), ended: ago(80), outcome: Reason.linkLost.rawValue,
      bytesFetched: 5, trigger: VisitTrigger.seen.rawValue,
      stage: VisitStage.fetch.rawValue, laneOutcome: VisitOutcome.interrupted.rawValue, itemsDone: 1, itemsListed: 2,
      remark: "out of range")
    let document = VisitDocument(record, device: "band-12")
    #expect(
      document.trigger == "seen" && document.stage == "fetch" && document.outcome == "interrupted"
        && document.reason?.detail == "out of range")
    #expect(outcomeText(document) == "interrupted H2104")
    let newer = VisitDocument(
      VisitRecord(
        number: 7, wearable: WearableID(number: 1), began: ago(90), ended: ago(80), outcome: 65_000, trigger: 250,
        stage: 250, laneOutcome: 250), device: "x")
    #expect(newer.outcome == "unknown" && newer.trigger == "unknown" && newer.stage == "unknown" && newer.reason == nil)
  }

  @Test("custody is a line an item with the time of each step, and says what is not safe yet")
  func custody() {
    var done = CustodySnapshot(id: "20261120/R/0612/HR.REC", mark: "", bytesFetched: 11_204, visit: 8841)
    (done.size, done.fetched, done.verified, done.durable, done.erased) = (11_204, ago(22), ago(22), ago(20), ago(19))
    var kept = CustodySnapshot(id: "20261119/R/2359/PPI.REC", mark: "", bytesFetched: 35_880, visit: 8830)
    (kept.size, kept.fetched, kept.verified, kept.durable) = (35_880, ago(90_000), ago(90_000), ago(90_000))
    kept.remark = "erase refused by the wearable"
    var running = CustodySnapshot(
      id: "20261120/R/0612/a-very-long-name-indeed/ACC.REC", mark: "", bytesFetched: 735_000, visit: 8841)
    running.size = 1_204_992
    var snapshot = VisitSnapshot(number: 8841, wearable: "band-12", trigger: .seen, began: now)
    fetching(&snapshot)
    let text = render(
      CustodyDocument(device: "band-12", visit: snapshot, items: [done, kept, running]), hubTime, .plain)
    #expect(
      text == """
        visit 8841   09:59:32 -> running   turn of 45 s, used 28 s   64 KB/s
        ITEM                                   BYTES FETCHED  VERIFIED DURABLE  ERASED
        20261120/R/0612/HR.REC                11 204 09:59:38 09:59:38 09:59:40 09:59:41
        20261119/R/2359/PPI.REC               35 880 20 Nov   20 Nov   20 Nov   -
          erase refused by the wearable
        20261120/R/0612/a-very-long-name-indeed/ACC.REC   1 204 992 60 %     -        -        -
        3 items   1 not durable yet   1 durable and not erased
        times in UTC

        """)
    #expect(
      render(CustodyDocument(device: "band-12", visit: nil, items: [CustodySnapshot]()), hubTime, .plain)
        == "band-12: no item of it is in custody\n")
    // A visit that ended well, with a trouble that only a person can solve.
    snapshot.isRunning = false
    (snapshot.ended, snapshot.outcome, snapshot.trouble) = (
      now, .done, HearthError(.itemLocked, "10 files of band-12 are encrypted, and the hub has no key")
    )
    let locked = render(
      CustodyDocument(device: "band-12", visit: snapshot, items: [kept]), hubTime, .plain)
    #expect(
      locked.split(separator: "\n").first?.hasSuffix("done H2130") == true
        && locked.contains("10 files of band-12 are encrypted") && locked.contains("set secret"))
  }

  @Test("what the store keeps of items is shown as the hub shows it, on request of the last visit alone")
  func custodyRecords() {
    let records = [
      CustodyRecord(
        wearable: WearableID(number: 1), id: "a", size: 10, fetched: 10, durableAt: now, receipts: [41, 42],
        remark: "r", visit: 8),
      CustodyRecord(wearable: WearableID(number: 1), id: "b", visit: 7),
    ]
    let last = visit(8, "band-12", ended(.done))
    #expect(CustodyDocument(device: "band-12", visit: last, records: records, lastOnly: true).items.map(\.id) == ["a"])
    let all = CustodyDocument(device: "band-12", visit: last, records: records, lastOnly: false)
    #expect(
      all.items.map(\.id) == ["a", "b"] && all.items[0].receipts == 2 && all.items[0].firstReceipt == 41
        && all.items[0].durable == now.rfc3339)
  }

  @Test("waiting for a visit draws one line over itself on a terminal, and elsewhere a line for each stage and item")
  func progress() {
    var terminal = ProgressLine(isTerminal: true)
    var pipe = ProgressLine(isTerminal: false)
    let first = visit(8, "band-12", fetching)
    let later = visit(8, "band-12") {
      fetching(&$0)
      $0.itemFetched = 800_000
    }
    let texts = [nil, first, first, later].map { terminal.text($0, now: now) }
    #expect(
      texts[0].hasPrefix("\rwaiting for its turn")
        && texts[1].contains("fetching  item 3 of 5  [############--------] 60 %  64 KB/s  12 s left"))
    #expect(
      texts[2].isEmpty && texts[3].contains("66 %")
        && texts.allSatisfy { $0.isEmpty || columns(String($0.dropFirst())) == 79 })
    #expect(terminal.end() == "\r" + String(repeating: " ", count: 79) + "\r")
    #expect(
      [nil, first, first, later].map { pipe.text($0, now: now) } == [
        "waiting for its turn\n", "fetching  item 3 of 5  20261120/R/0612/ACC.REC\n", "", "",
      ])
    #expect(pipe.end().isEmpty)
  }

  @Test("the end of a visit is reported in a line; a script learns it from the exit code")
  func end() {
    #expect(
      renderEnded(visit(8, "band-12", ended(.done)), .plain) == "band-12   visit 8   done   4 of 4 items   310 KB\n")
    let codes = VisitOutcome.allCases.map { outcome in exitStatus(of: visit(8, "x", ended(outcome))) }
    #expect(zip(VisitOutcome.allCases, codes).filter { $1 == 0 }.map(\.0) == [.done])
    #expect(zip(VisitOutcome.allCases, codes).filter { $1 == 6 }.map(\.0) == [.busy])
    #expect(
      Reason.visitBusy.exitStatus == 6 && Reason.requestNotDone.exitStatus == 6 && Reason.pairingUnknown.exitStatus == 5
    )
    let queued = QueuedDocument(
      QueueSnapshot(wearable: "band-12", why: "requested by an operator", notBefore: nil, trigger: .operatorAsked))
    #expect(renderAsked(queued, now: now) == "band-12 is next: requested by an operator\nsee: hearth visits band-12\n")
    let live = QueuedDocument(
      QueueSnapshot(
        wearable: "strap-03", why: "live; it stores no data to fetch", trigger: .operatorAsked,
        fetches: false))
    #expect(
      renderAsked(live, now: now)
        == "strap-03: live; it stores no data to fetch\nsee: hearth device strap-03\n")
  }

  @Test("times of day are those of the hub's zone; of other days there is the date")
  func times() {
    #expect(hubTime.short(now.rfc3339) == "10:00:00")
    #expect(hubTime.short(ago(86_400).rfc3339) == "20 Nov")
    #expect(hubTime.short(ago(400 * 86_400).rfc3339) == "2025-10")
    #expect(hubTime.short(nil) == nil && hubTime.short("soon") == nil)
  }
}

@Suite("Links, clocks, radio and pairings on the command line")
struct CLILinkTests {
  private func link(_ change: (inout LinkSnapshot) -> Void = { _ in }) -> LinkDocument {
    var link = LinkSnapshot(wearable: "insole-L", requestedProfile: .idle, why: "no request for 5 min")
    change(&link)
    return LinkDocument(link)
  }

  @Test("a link shows requested, effective and reported side by side, with why, data and try")
  func link() {
    let document = link {
      $0.isLinked = true
      $0.mtu = 121
      $0.isSecured = true
      ($0.keySize, $0.isBonded) = (16, true)
      $0.effectiveProfile = .background
      $0.effective = EffectiveParameters(
        interval: 78, latency: 4, timeout: 600, source: .observed, since: Instant(nanoseconds: 0))
      ($0.reportedProfile, $0.reportedAt) = (1, ago(180))
      $0.trouble = HearthError(.linkProfileRefused, "insole-L refused profile idle (ATT 0x0E)")
    }
    let text = render(document, now: now, .plain)
    let reason = Reason.linkProfileRefused.text
    #expect(
      text.hasPrefix(
        """
        insole-L   linked, encrypted (128-bit key, bonded), MTU 121
                        requested        effective        device reports
        profile         idle (2)         background (1)   background (1), 3 min ago
        interval        200-450 ms       97.5 ms          -
        latency         10               4                -
        timeout         10.0 s           6.0 s            -
        why   no request for 5 min
        why   H2103 insole-L refused profile idle (ATT 0x0E)
        data  \(reason.effect.prefix(20))
        """))
    #expect(text.contains("\ntry   ") && widest(folded(text, 80)) <= 80)
  }

  @Test("a missing link, a choice that lasts, unseen numbers, and an unknown profile are said to be so")
  func oddLinks() {
    #expect(render(link(), now: now, .plain).hasPrefix("insole-L   not linked: this is what it will be asked for\n"))
    let assumed = render(
      link {
        $0.isLinked = true
        $0.override = .idle
        $0.effective = EffectiveParameters(
          interval: 6, latency: 0, timeout: 100, source: .assumed, since: Instant(nanoseconds: 0))
        $0.reportedProfile = 9
      }, now: now, .plain)
    #expect(assumed.hasPrefix("insole-L   linked, not encrypted\n"))
    #expect(assumed.contains("profile         idle (2)         no profile       unknown (9)\n"))
    #expect(assumed.contains("why   no request for 5 min (until: hearth link insole-L set auto)\n"))
    #expect(assumed.contains("      effective is assumed: the controller does not report what it uses\n"))
  }

  @Test("clocks are said to be off in the unit that fits, with their drift or why it is missing")
  func clocks() {
    let facts = RadioFacts(adapter: "hci0", bus: "USB", slots: 7)
    var hub = HubSnapshot(name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .ready, radio: facts)
    hub.clockIsSynchronised = true
    var one = ClockSnapshot(wearable: "band-07")
    var two = ClockSnapshot(wearable: "insole-L")
    (one.offset, one.readAt, one.setAt, one.wasTrusted, one.driftPPM) = (1_250_000, ago(180), ago(180), true, 12.54)
    (one.shownZone, one.zone) = (60, 60)
    var three = ClockSnapshot(wearable: "watch-01")
    (three.offset, three.readAt, three.wasTrusted, three.shownZone, three.zone) = (-3_600_000_000, ago(60), true, 0, 60)
    (two.offset, two.readAt, two.doubt) = (-220_000, ago(60), "readings too close")
    var never = ClockSnapshot(wearable: "strap-03")
    never.doubt = "it was never asked for its time"
    #expect(
      render(
        ClockDocument(hub, [one, two, three, never], now: now, zone: .utc), hubTime,
        .plain)
          == """
          hub    2026-11-21 10:00:00 UTC   trusted (time server)
          WEARABLE           OFF BY    ZONE        READ         SET  DRIFT
          band-07           +1.25 s  +01:00   3 min ago   3 min ago  +12.5 ppm
          insole-L          -220 ms       -   1 min ago           -  -
                           the hub's own clock was not trusted then
                           drift not known: readings too close
          watch-01             -1 h  +00:00   1 min ago           -  -
                           it says UTC+00:00, the hub's zone is UTC+01:00
          strap-03                -       -       never           -  -

          """)
    #expect(
      offset(0) == "+0 ms" && offset(-90_000_000) == "-1 min" && offset(.min).hasPrefix("-")
        && offset(.max).hasPrefix("+"))
  }

  @Test("the radio shows its slots, its ladder and what it was found to be able to do")
  func radio() {
    var facts = RadioFacts(adapter: "hci0", bus: "USB", links: 5, slots: 7, isScanning: true)
    facts.care.slotSource = .learned
    facts.care.rungs = [("scan restart", 2), ("power off/on", 0)]
    facts.care.rung = "scan restart"
    facts.care.lastRecovery = Instant(nanoseconds: 0)
    facts.care.observesLinks = true
    let hub = HubSnapshot(name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .ready, radio: facts)
    #expect(
      render(RadioDocument(hub, wall: now, now: Instant(nanoseconds: 7_200_000_000_000)), now: now, .plain) == """
        radio  hci0 USB   ready, listening
        links  5 of 7 connections in use (learned)
        resets none now; last: scan restart 2 h ago
               when no wearable is heard, in this order until one is:
               scan restart                  2 times
               power off/on                  0 times
               timing of links is seen; while they are up it cannot be changed

        """)
    var second = RadioFacts(
      adapter: "hci1", address: BluetoothAddress(value: 0xAABB_CC00_0002, kind: .lePublic), bus: "USB", links: 0,
      slots: 5, counters: [("advertisements", 345)])
    var several = facts
    several.adapters = [AdapterFacts(state: .ready, facts: facts), AdapterFacts(state: .ready, facts: second)]
    second.counters = []
    several.adapters.append(AdapterFacts(state: .down(.adapterRemoved), facts: second))
    let pool = HubSnapshot(
      name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .ready, radio: several)
    let shown = render(RadioDocument(pool, wall: now, now: Instant(nanoseconds: 0)), now: now, .plain)
    #expect(
      shown.hasPrefix(
        """
        radio  3 adapters   ready, listening
        links  5 of 7 connections in use (learned)
               hci0 USB                           5 of 7 (learned)     ready   0 heard
               hci1 USB AA:BB:CC:00:00:02         0 of 5 (assumed)     ready   345 heard
               hci1 USB AA:BB:CC:00:00:02         0 of 5 (assumed)     down   H3104 \
        \(Reason.adapterRemoved.text.sentence)

        """), "\(shown)")
    several.listensInTurn = true
    several.adapters[1].onlyListens = true
    let listening = HubSnapshot(
      name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .ready, radio: several)
    let heard = render(RadioDocument(listening, wall: now, now: Instant(nanoseconds: 0)), now: now, .plain)
    #expect(heard.contains("ready   345 heard   only listens\n"), "\(heard)")
    #expect(heard.contains("\nlisten one adapter at a time makes no links, while others have slots\n"))
    facts.care.isRecovering = true
    let ill = HubSnapshot(
      name: "gym", phase: .serving, startedAt: now, uptime: .zero, radioState: .down(.controllerSilent), radio: facts)
    let text = render(RadioDocument(ill, wall: now, now: Instant(nanoseconds: 0)), now: now, .plain)
    #expect(text.contains("resets at work: scan restart\n") && text.contains("\nH3105 radio: "))
  }

  @Test("a pairing says what is asked and how to answer it")
  func pairings() {
    func pairing(_ name: String, _ kind: PairingRequest.Kind) -> PairingDocument {
      let address = BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom)
      return PairingDocument(
        PairingSnapshot(
          wearable: name, request: PairingRequest(address: address, kind: kind), until: now + .seconds(25)))
    }
    #expect(
      render(
        [
          pairing("band-31", .compare(4217)), pairing("band-32", .passkey), pairing("band-33", .show(7)),
          pairing("a", .justWorks),
        ], now: now, .plain) == """
          band-31   does it show 004217?   25 s left
            hearth pair answer band-31 yes|no
          band-32   which six digits does it show?   25 s left
            hearth pair answer band-32 DIGITS
          band-33   type 000007 on it   25 s left
          a   may it pair?   25 s left
            hearth pair answer a yes|no

          """)
    #expect(render([PairingDocument](), now: now, .plain) == "no pairing waits for an answer\n")
  }

  @Test("actions are listed by name")
  func actions() {
    #expect(
      render([ActionDocument(name: "start-activity", summary: "Begins to record.", usage: "")], of: "insole-L")
        == "start-activity           Begins to record.\n")
    #expect(
      render([ActionDocument(name: "triggers", summary: "Arms.", usage: "off|on")], of: "a")
        == "triggers                 Arms.\n                         off|on\n")
    #expect(render([], of: "insole-L") == "insole-L: it has no actions now\n")
  }

  @Test("text from a wearable cannot drive a terminal or leave the screen, wherever it is shown")
  func hostile() {
    for name in ["\u{1B}[2J\u{7}", "a\nb\rc", "\u{202E}x", String(repeating: "W", count: 400), "漢字漢字漢字漢字漢字漢字漢字漢字漢字"] {
      var item = CustodySnapshot(id: name, mark: name, bytesFetched: .max, visit: .max)
      (item.size, item.remark) = (.max, name)
      let document = visit(.max, name) {
        fetching(&$0)
        $0.item = name
        $0.itemFetched = .max
        $0.itemSize = .max
        $0.rate = .max
        $0.bytesFetched = .max
      }
      let queued = QueuedDocument(QueueSnapshot(wearable: name, why: name, notBefore: now, trigger: .seen))
      var clock = ClockSnapshot(wearable: name)
      clock.doubt = name
      var snapshot = LinkSnapshot(wearable: name, requestedProfile: .idle, why: name)
      snapshot.characteristic = name
      var facts = RadioFacts(adapter: name, bus: name, slots: 7)
      facts.care.rung = name
      facts.care.rungs = [(name, .max)]
      let hub = HubSnapshot(
        name: name, phase: .serving, startedAt: now, uptime: .zero, radioState: .ready, radio: facts)
      let address = BluetoothAddress(value: 1, kind: .leRandom)
      let pairing = PairingDocument(
        PairingSnapshot(wearable: name, request: PairingRequest(address: address, kind: .justWorks), until: now))
      let texts = [
        render(VisitList(visits: [document], queue: [queued]), hubTime, .plain),
        renderAsked(queued, now: now), renderEnded(document, .plain),
        render(CustodyDocument(device: name, visit: nil, items: [item]), hubTime, .plain),
        render(LinkDocument(snapshot), now: now, .plain),
        render(ClockDocument(hub, [clock], now: now, zone: .utc), hubTime, .plain),
        render(RadioDocument(hub, wall: now, now: Instant(nanoseconds: 0)), now: now, .plain),
        render([pairing], now: now, .plain), render([ActionDocument(name: name, summary: name, usage: name)], of: name),
      ]
      for text in texts {
        #expect(
          text.unicodeScalars.allSatisfy {
            $0 == "\n" || !($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
          }, "\(text.debugDescription)")
        // A word that is longer than the screen is not cut when a sentence is wrapped.
        if name.count < 400 { #expect(widest(folded(text, 80)) <= 80, "\(text)") }
      }
    }
  }
}

@Suite("Wearables and lights with visits")
struct CLIDeviceTests {
  private func wearable(_ name: String, _ state: WearableState, _ change: (inout WearableSnapshot) -> Void = { _ in })
    -> DeviceDocument
  {
    var snapshot = WearableSnapshot(
      name: name, address: BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom), kind: "Botz insole",
      state: state, isEnrolled: true)
    change(&snapshot)
    return DeviceDocument(snapshot)
  }

  private func running() -> VisitSnapshot {
    var visit = VisitSnapshot(number: 8841, wearable: "band-12", trigger: .seen, began: now)
    fetching(&visit)
    return visit
  }

  @Test("the table shows memory, last visit and activity of each; a star if the link differs from the order")
  func table() {
    var last = VisitSnapshot(number: 7, wearable: "x", trigger: .seen, began: ago(300))
    ended(.done)(&last)
    let devices = [
      wearable("band-07", .due) {
        $0.rssi = -58
        $0.battery = 81
        $0.lastSeen = ago(1)
        $0.memoryFree = 9_100_000
        $0.memoryTotal = 16_000_000
        $0.lastVisit = last
        $0.queued = QueueSnapshot(wearable: "band-07", why: "x", notBefore: now + .seconds(20), trigger: .schedule)
      },
      wearable("band-12", .visiting) {
        $0.rssi = -49
        $0.lastSeen = now
        $0.memoryFree = 2_300_000
        $0.memoryTotal = 16_000_000
        $0.visit = running()
      },
      wearable("insole-L", .live) {
        $0.requestedProfile = .idle
        $0.effectiveProfile = .background
      },
      wearable("insole-R", .waiting) {
        $0.trouble = HearthError(.failedToEstablish, "x")
        $0.coolsOff = true
      },
    ]
    let text = renderTable(devices, hubTime, .plain)
    #expect(
      text == """
        NAME      KIND           SEEN  RSSI   BATT     FREE  LAST VISIT  STATE
        band-07   Botz insole     1 s   -58   81 %   9.1 MB  09:55 ok    visit in 20 s
        band-12   Botz insole     0 s   -49      -  2.3 MB!  now         fetching 60 %
        insole-L  Botz insole       -     -      -        -  -           live*
        insole-R  Botz insole       -     -      -        -  -           H2106 when seen
        * requested idle, effective background (hearth link insole-L)
        times in UTC

        """)
    #expect(widest(folded(text, 80)) <= 80)
  }

  @Test("the page of one shows its visit, its last one, its memory and its link")
  func page() {
    let text = render(
      wearable("band-12", .visiting) {
        $0.visit = running()
        $0.memoryFree = 2_300_000
        $0.memoryTotal = 16_000_000
        $0.requestedProfile = .idle
        $0.effectiveProfile = .background
        ($0.erasing, $0.eraseChoice) = (.ask, .ask)
        var last = running()
        ended(.interrupted)(&last)
        $0.lastVisit = last
      }, hubTime, .plain)
    #expect(text.hasPrefix("band-12   Botz insole   fetching 60 %\n"))
    #expect(
      text.contains(
        """
        link           requested idle, effective background\nmemory         2.3 MB free of 16 MB\nerased         \
        only in a visit by request (an operator's choice)\nlast visit     8841, interrupted, 4 of 4 items, 16 s \
        ago\n
        """
      ))
    #expect(text.contains("now    band-12   visit 8841   fetching   item 3 of 5\n"))
    for (way, words) in [
      (RemovalWay.byOrder, "only when you order it: hearth action band-12 records-remove\n"),
      (.none, "never: it stores no data to remove\n"),
    ] {
      let other = render(
        wearable("band-12", .waiting) { ($0.memoryFree, $0.erasing, $0.removalWay) = (1, .yes, way) }, hubTime, .plain)
      #expect(folded(other, 200).contains("erased         " + words), "\(other)")
    }
    let cooling = render(wearable("band-12", .waiting) { $0.coolsOff = true }, hubTime, .plain)
    #expect(cooling.contains("next try       when it was away and is heard again, or: hearth visit now band-12\n"))
  }

  @Test("the first screen says which wearable is visited, how far, and which is next")
  func status() {
    var hub = HubSnapshot(
      name: "gym-north", phase: .serving, startedAt: now, uptime: .seconds(90), radioState: .ready,
      radio: RadioFacts(adapter: "hci0", bus: "USB", slots: 7))
    hub.visit = running()
    hub.queue = [QueueSnapshot(wearable: "band-07", why: "x", notBefore: now + .seconds(20), trigger: .schedule)]
    hub.radio.care.isRecovering = true
    hub.radio.care.rung = "power off/on"
    let store = StoreDocument(StoreStatus(path: "/s", sizeBytes: 1_000_000), wearables: 1, daemon: true)
    let document = StatusDocument(
      hub, enrolment: EnrolmentSnapshot(mode: .window, nearRSSI: -55), store: store, now: now, zone: .utc)
    let text = render(document, hubTime, .plain)
    #expect(text.contains("\nvisits band-12: fetching item 3 of 5, 60 %   next: band-07 in 20 s   1 waits\n"))
    #expect(text.contains("\nradio  hci0 USB   0 of 7 connections   not listening   being restarted (power off/on)\n"))
  }
}
