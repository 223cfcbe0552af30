import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

@Suite("The radio's rules")
struct RulesTests {
  static let profiles: [(ConnectionParameters, String?)] = [
    (.foreground, nil), (.background, nil), (.idle, nil),
    (ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000), "timeout"),
    (ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1200), nil),
    (ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 8, timeout: 1000), nil),
    (ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 9, timeout: 1000), "timeout"),
    (ConnectionParameters(minimumInterval: 5, maximumInterval: 24, latency: 0, timeout: 400), "minimum"),
    (ConnectionParameters(minimumInterval: 6, maximumInterval: 6, latency: 0, timeout: 10), nil),
    (ConnectionParameters(minimumInterval: 6, maximumInterval: 3201, latency: 0, timeout: 3200), "maximum"),
    (ConnectionParameters(minimumInterval: 25, maximumInterval: 24, latency: 0, timeout: 400), "minimum"),
    (ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 500, timeout: 3200), "latency"),
    (ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, timeout: 9), "timeout"),
    (ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, timeout: 3201), "timeout"),
    (ConnectionParameters(minimumInterval: 3200, maximumInterval: 3200, latency: 0, timeout: 801), nil),
    (ConnectionParameters(minimumInterval: 3200, maximumInterval: 3200, latency: 0, timeout: 800), "timeout"),
    (ConnectionParameters(minimumInterval: .max, maximumInterval: .max, latency: .max, timeout: .max), "minimum"),
  ]

  @Test(
    "refuse connection parameters that the specification forbids, before the kernel skips them in silence",
    arguments: profiles)
  func parameters(_ parameters: ConnectionParameters, _ defect: String?) {
    if let defect { #expect(parameters.defect?.hasPrefix(defect) == true) } else { #expect(parameters.defect == nil) }
  }

  @Test(
    """
    choose the adapter: the configured one, else USB, else UART, else any; the lowest address among equals; never by \
    number
    """
  )
  func adapters() {
    let uart = AdapterIdentity(index: 0, address: 1, bus: .uart)
    let usb = AdapterIdentity(index: 2, address: 9, bus: .usb)
    let lowerUSB = AdapterIdentity(index: 3, address: 8, bus: .usb)
    let virtual = AdapterIdentity(index: 1, address: 0, bus: .virtual)
    let all = [uart, usb, lowerUSB, virtual]
    #expect(AdapterChoice.automatic.select(from: all) == lowerUSB)
    #expect(AdapterChoice.automatic.select(from: all.reversed()) == lowerUSB)
    #expect(AdapterChoice.automatic.select(from: [virtual, uart]) == uart)
    #expect(AdapterChoice.automatic.select(from: [virtual]) == virtual)
    #expect(AdapterChoice.automatic.select(from: []) == nil)
    #expect(AdapterChoice.address(BluetoothAddress(value: 9, kind: .lePublic)).select(from: all) == usb)
    #expect(AdapterChoice.address(BluetoothAddress(value: 7, kind: .lePublic)).select(from: all) == nil)
    #expect(AdapterChoice.bus(.uart).select(from: all) == uart)
    #expect(AdapterChoice.bus(.sdio).select(from: all) == nil)
    let lower = BluetoothAddress(value: lowerUSB.address, kind: .lePublic)
    #expect(AdapterChoice.any([.bus(.usb), .not(lower)]).candidates(of: all) == [usb])
    #expect(AdapterChoice.any([.not(lower)]).candidates(of: all) == [usb, uart, virtual])
    #expect(AdapterChoice.any([.bus(.uart), .bus(.virtual)]).candidates(of: all) == [uart, virtual])
  }

  @Test("read the adapter's choice from words")
  func words() throws {
    #expect(AdapterChoice("auto") == .automatic)
    #expect(AdapterChoice("usb") == .bus(.usb))
    #expect(AdapterChoice("UART") == .bus(.uart))
    #expect(AdapterChoice("virtual") == .bus(.virtual))
    #expect(
      AdapterChoice("aa:bb:cc:00:00:01")
        == .address(try #require(BluetoothAddress("AA:BB:CC:00:00:01", kind: .lePublic))))
    for wrong in ["", "hci0", "AA:BB:CC:00:00", "usb0"] { #expect(AdapterChoice(wrong) == nil) }
    for choice in ["auto", "USB", "AA:BB:CC:00:00:01"] { #expect(AdapterChoice(choice)?.words == choice) }
  }

  static let troubles: [(Int32, Bool, LinkEvidence, LinkError)] = [
    (ECONNREFUSED, false, LinkEvidence(), .notHeard), (ECONNREFUSED, false, LinkEvidence(wasHeard: true), .timedOut),
    (ECONNREFUSED, false, LinkEvidence(connectStatus: .noResources), .slotsFull),
    (ETIMEDOUT, false, LinkEvidence(), .timedOut),
    (EMLINK, false, LinkEvidence(), .slotsFull), (ENOMEM, false, LinkEvidence(), .slotsFull),
    (ENOSYS, false, LinkEvidence(), .failedToEstablish),
    (EHOSTUNREACH, false, LinkEvidence(), .adapterGone), (ENOTCONN, false, LinkEvidence(), .aborted),
    (EBUSY, false, LinkEvidence(), .system(errno: EBUSY)),
    (ECONNREFUSED, false, LinkEvidence(adapterServes: false), .adapterGone),
    (EACCES, false, LinkEvidence(), .authenticationFailed),
    (EBADE, false, LinkEvidence(), .keyMissing), (ECONNRESET, true, LinkEvidence(), .peerClosed),
    (ETIMEDOUT, true, LinkEvidence(), .linkLost),
    (0, true, LinkEvidence(), .peerClosed), (ECONNABORTED, true, LinkEvidence(), .adapterGone),
    (ECONNRESET, true, LinkEvidence(adapterServes: false), .adapterGone),
    (ENOSYS, true, LinkEvidence(), .system(errno: ENOSYS)),
    (ENOSYS, true, LinkEvidence(disconnectReason: .timeout), .linkLost),
    (ECONNRESET, true, LinkEvidence(disconnectReason: .authenticationFailure), .authenticationFailed),
    (ECONNRESET, true, LinkEvidence(disconnectReason: .remote), .peerClosed),
  ]

  @Test("give an errno its meaning, with what the management channel said", arguments: troubles)
  func meaning(_ code: Int32, _ wasOpen: Bool, _ evidence: LinkEvidence, _ expected: LinkError) {
    #expect(
      (wasOpen ? LinkTrouble.whileConnected(code, evidence) : LinkTrouble.whileConnecting(code, evidence)) == expected)
  }

  @Test("count slots: a configured limit is kept in range, a refusal with no link is ignored, and never goes up")
  func slots() {
    let now = Instant(nanoseconds: 0)
    #expect(SlotLedger(.learn).slots(at: now) == 5)
    #expect(SlotLedger(.fixed(0)).slots(at: now) == 1)
    #expect(SlotLedger(.fixed(1000)).slots(at: now) == 64)
    var ledger = SlotLedger(.fixed(3))
    ledger.refused(at: now)
    #expect(ledger.slots(at: now) == 3)
    ledger.rebuild((0..<2).map { BluetoothAddress(value: $0, kind: .lePublic) })
    ledger.refused(at: now)
    #expect(ledger.slots(at: now) == 2)
    #expect(ledger.isFull(at: now))
    ledger.rebuild((0..<5).map { BluetoothAddress(value: $0, kind: .lePublic) })
    ledger.refused(at: now)
    #expect(ledger.slots(at: now) == 2)
    ledger.forget()
    #expect(ledger.slots(at: now) == 3)
    #expect(ledger.count == 0)
  }

  private func link(_ number: UInt64) -> BluetoothAddress { BluetoothAddress(value: number, kind: .lePublic) }

  @Test("climb by one whenever all slots are taken and the one before has held for eight seconds, until one is refused")
  func climb() {
    var ledger = SlotLedger(.learn)
    var now = at(0)
    for number in 0..<5 { ledger.connected(link(UInt64(number)), at: now) }
    for carried in 5..<9 {
      #expect(ledger.slots(at: now) == carried + 1 && !ledger.climbs(at: now))
      ledger.connected(link(UInt64(carried)), at: now)
      #expect(ledger.isFull(at: now) && ledger.climbs(at: now))
      now = now + .seconds(7)
      #expect(ledger.slots(at: now) == carried + 1 && ledger.isFull(at: now))
      now = now + .seconds(1)
    }
    now = now + .seconds(1)
    ledger.settle(now)
    #expect(ledger.learned(at: now) == LearnedSlots(carried: 9))
    ledger.refused(at: now)
    #expect(ledger.slots(at: now + .seconds(600)) == 9)
    #expect(ledger.learned(at: now) == LearnedSlots(carried: 9, limit: 9))
    #expect(ledger.slots(at: now + .seconds(3600)) == 10, "a shortage may pass")
    now = now + .seconds(3600)
    ledger.refused(at: now)
    #expect(ledger.slots(at: now + .seconds(3600)) == 9, "found again it is believed for longer")
    #expect(ledger.slots(at: now + .seconds(7200)) == 10)
  }

  @Test("stop to climb if one more costs another link, and not if the wearable hung up")
  func paid() {
    for isLost in [false, true] {
      var ledger = SlotLedger(.learn)
      for number in 0..<5 { ledger.connected(link(UInt64(number)), at: at(0)) }
      ledger.connected(link(5), at: at(8000))
      ledger.disconnected(link(2), isLost: isLost, at: at(11_000))
      ledger.connected(link(2), at: at(12_000))
      ledger.settle(at(60_000))
      #expect(ledger.slots(at: at(60_000)) == (isLost ? 5 : 7))
      #expect(ledger.slots(at: at(200_000)) > 5, "it may have been a person who left")
      #expect(ledger.learned(at: at(60_000))?.limit == (isLost ? 5 : nil))
    }
  }

  @Test("climb too while a wearable is visited for seconds again and again, in the place of a strap each time")
  func visited() {
    var ledger = SlotLedger(.learn)
    var now = at(0)
    for number in 0..<5 { ledger.connected(link(UInt64(number)), at: now) }
    var (straps, next) = (5, UInt64(5))
    for _ in 0..<30 {
      // The strap that yields, the band in its place, and straps again in all slots.
      ledger.disconnected(link(0), isLost: false, at: now)
      ledger.connected(link(99), at: now + .seconds(1))
      ledger.disconnected(link(99), isLost: false, at: now + .seconds(5))
      ledger.connected(link(0), at: now + .milliseconds(6500))
      for moment in stride(from: 6500, to: 10_000, by: 250) {
        let time = now + .milliseconds(moment)
        ledger.settle(time)
        guard !ledger.isFull(at: time), straps < 12 else { continue }
        ledger.connected(link(next), at: time)
        (straps, next) = (straps + 1, next + 1)
      }
      now = now + .seconds(10)
    }
    #expect(straps == 12, "\(straps)")
    #expect(ledger.learned(at: now)?.limit == nil)
  }

  @Test("stop to climb if a link falls that one more cost, though that one was ended in between")
  func paidInPieces() {
    var ledger = SlotLedger(.learn)
    for number in 0..<5 { ledger.connected(link(UInt64(number)), at: at(0)) }
    ledger.connected(link(5), at: at(8000))
    ledger.disconnected(link(5), isLost: false, at: at(12_000))
    ledger.disconnected(link(2), isLost: true, at: at(14_000))
    #expect(ledger.learned(at: at(15_000))?.limit == 5)
    ledger.connected(link(2), at: at(15_000))
    ledger.disconnected(link(3), isLost: true, at: at(200_000))
    #expect(ledger.learned(at: at(200_000))?.limit == nil, "nothing was tried")
  }

  @Test("keep all that is carried to a link that falls long after one more was made")
  func unrelated() {
    var ledger = SlotLedger(.learn)
    for number in 0..<5 { ledger.connected(link(UInt64(number)), at: at(0)) }
    ledger.connected(link(5), at: at(8000))
    ledger.disconnected(link(2), isLost: true, at: at(17_000))
    #expect(ledger.learned(at: at(17_000)) == LearnedSlots(carried: 6))
    #expect(ledger.slots(at: at(17_000)) == 6)
  }

  @Test("take a refusal far below what was carried for a shortage, and forget it within a minute")
  func shortage() {
    var ledger = SlotLedger(.learn)
    ledger.believe(LearnedSlots(carried: 20), at: at(0))
    for number in 0..<3 { ledger.connected(link(UInt64(number)), at: at(0)) }
    ledger.refused(at: at(1000))
    #expect(ledger.slots(at: at(2000)) == 3)
    #expect(ledger.slots(at: at(62_000)) == 20)
  }

  @Test("believe what was learned before, but no nonsense")
  func believed() {
    var ledger = SlotLedger(.learn)
    ledger.believe(LearnedSlots(carried: 20), at: at(0))
    #expect(ledger.slots(at: at(0)) == 20)
    ledger.believe(LearnedSlots(carried: -4, limit: 9000), at: at(0))
    #expect(ledger.slots(at: at(0)) == 20)
    ledger.believe(LearnedSlots(carried: 7, limit: 7), at: at(0))
    #expect(ledger.slots(at: at(0)) == 7)
    var fixed = SlotLedger(.fixed(4))
    fixed.believe(LearnedSlots(carried: 20), at: at(0))
    #expect(fixed.slots(at: at(0)) == 4 && fixed.learned(at: at(0)) == nil)
  }

  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test("limit one address to five a second after a burst of five")
  func perAddress() {
    var limit = FloodLimit(now: at(0))
    func passed(_ times: [Int64]) -> Int {
      var count = 0
      for time in times where limit.admits(strap, at: at(time)) { count += 1 }
      return count
    }
    #expect(passed([Int64](repeating: 0, count: 50)) == 5)
    #expect(passed([199]) == 0)
    #expect(passed([200]) == 1)
    #expect(passed((0..<1000).map { 200 + $0 * 10 }) == 49)
    #expect(passed([Int64](repeating: 100_000_000_000, count: 50)) == 5, "no more after a long silence")
  }

  @Test("limit all together to two hundred a second in a table of 512, whatever walks past")
  func together() {
    var limit = FloodLimit(now: at(0))
    var passed = 0
    for second in 0..<10 {
      for number in 0..<2000
      where limit.admits(
        BluetoothAddress(value: UInt64(second * 2000 + number), kind: .leRandom),
        at: at(Int64(second * 1000 + number / 2)))
      {
        passed += 1
      }
    }
    #expect(passed <= 2200 && passed >= 1900, "\(passed) in ten seconds")
    #expect(limit.count == 512)
  }

  @Test("forget the address that was heard longest ago first")
  func leastRecent() {
    var limit = FloodLimit(now: at(0))
    var now: Int64 = 0
    var step: Int64 = 10
    func hear(_ number: UInt64) -> Bool {
      now += step
      return limit.admits(BluetoothAddress(value: number, kind: .leRandom), at: at(now))
    }
    for number in 0..<512 { #expect(hear(UInt64(number))) }
    step = 0
    for _ in 0..<40 { _ = hear(0) }  // its bucket is empty, and it is the newest
    #expect(hear(1000))  // 1 makes room
    #expect(!hear(0), "still known, still limited")
    #expect((0..<5).count { _ in hear(1) } == 5, "forgotten, so new")
  }

  @Test("hear from radio switches: the adapter's own and those that name no adapter; hostile events change nothing")
  func switches() {
    var switches = RadioSwitches()
    func event(_ number: UInt32, type: UInt8 = 2, operation: UInt8, soft: UInt8 = 0, hard: UInt8 = 0) -> [UInt8] {
      withUnsafeBytes(of: number) { Array($0) } + [type, operation, soft, hard]
    }
    let names: [UInt32: String] = [0: "hci0", 1: "hci1", 2: "platform"]
    func apply(_ event: [UInt8]) -> Bool { switches.apply(event) { names[$0] ?? "" } }
    #expect(apply(event(0, operation: 0)))
    #expect(apply(event(1, operation: 0, soft: 1)))
    #expect(switches.block(of: "hci0") == nil)
    #expect(switches.block(of: "hci1") == .soft)
    #expect(!apply(event(9, type: 1, operation: 0, hard: 1)), "Wi-Fi")
    #expect(apply(event(2, operation: 0, hard: 1)))
    #expect(switches.block(of: "hci0") == .hard)
    #expect(switches.unblocking("hci1") == [event(1, operation: 2)])
    #expect(apply(event(2, operation: 1)))
    #expect(switches.block(of: "hci0") == nil)
    #expect(!apply([1, 2, 3]))
    #expect(!apply(event(0, operation: 99)))
    for number in 100..<1000 as Range<UInt32> { _ = apply(event(number, operation: 0, soft: 1)) }
    #expect(switches.unblocking("hci0").count <= RadioSwitches.limit)
  }

  @Test("watch the radio switches' device, unblock through it, and survive its end")
  func switchDevice() throws {
    try EpollLoop.run { loop in
      let (ours, theirs) = try seqpacketPair()
      func say(_ event: [UInt8]) { _ = event.withUnsafeBytes { write(theirs, $0.baseAddress, $0.count) } }
      say([0, 0, 0, 0, 2, 0, 1, 0])
      var changes = 0
      let watch = RadioSwitchWatch(loop: loop, descriptor: ours, nameOf: { "hci\($0)" }, changed: { changes += 1 })
      #expect(watch.switches.block(of: "hci0") == .soft, "known from the start")
      #expect(watch.unblock("hci0"))
      var answer = [UInt8](repeating: 0, count: 16)
      #expect(read(theirs, &answer, 16) == 8)
      #expect(Array(answer[..<8]) == [0, 0, 0, 0, 2, 2, 0, 0])
      say([0, 0, 0, 0, 2, 2, 0, 0])
      try await loop.sleep(for: .milliseconds(20))
      #expect(changes == 1)
      #expect(watch.switches.block(of: "hci0") == nil)
      #expect(!watch.unblock("hci0"))
      close(theirs)
      try await loop.sleep(for: .milliseconds(20))
      let wakeUps = loop.statistics.wakeUps
      try await loop.sleep(for: .milliseconds(100))
      #expect(loop.statistics.wakeUps - wakeUps < 5)
      watch.end()
    }
  }
}
