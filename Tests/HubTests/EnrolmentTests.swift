import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("Enrolment rules")
struct EnrolmentTests {
  private let start = Instant(nanoseconds: 0)

  private func heard(_ number: UInt64, rssi: Int8?) -> Presence {
    let address = BluetoothAddress(value: number, kind: .lePublic)
    var presence = Presence(Advertisement(address: address, rssi: rssi, isConnectable: true, data: [], time: start))
    _ = presence.merge(Advertisement(address: address, rssi: rssi, isConnectable: true, data: [], time: start))
    presence.kind = "HR strap"
    presence.isRecognised = true
    return presence
  }

  @Test("if configuration closes enrolment, opening a window says so and what to change")
  func closedStaysClosed() {
    var enrolment = Enrolment(mode: .closed, nearRSSI: -55, window: .seconds(120))
    #expect(throws: HearthError(.enrolForbidden, "enrolment is closed by configuration (enroll.mode)")) {
      try enrolment.open(for: nil, now: start)
    }
    #expect(!enrolment.isOpen(start) && enrolment.closed.reason == .enrolForbidden)
    #expect(Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120)).closed.reason == .enrolWindowClosed)
  }

  @Test("a window ends at its time and not before")
  func windowEnds() throws {
    var enrolment = Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120))
    let end = try enrolment.open(for: nil, now: start)
    #expect(end == start + .seconds(120))
    #expect(enrolment.isOpen(start + .seconds(119)))
    #expect(!enrolment.isOpen(end))
  }

  @Test("a window of no length or of a day is refused", arguments: [0, -5, 3601, 86_400])
  func absurdWindowsAreRefused(seconds: Int64) {
    var enrolment = Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120))
    #expect(throws: HearthError.self) { try enrolment.open(for: .seconds(seconds), now: start) }
  }

  @Test("near is at or above the bound; a wearable of unknown strength is not near")
  func nearness() {
    let enrolment = Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120))
    #expect(enrolment.isNear(-55))
    #expect(enrolment.isNear(-54.6))
    #expect(!enrolment.isNear(-55.6))
    #expect(!enrolment.isNear(nil))
  }

  @Test("letters stay with their candidate while the window is open, whatever comes and goes")
  func lettersAreStable() throws {
    var enrolment = Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120))
    _ = try enrolment.open(for: nil, now: start)
    #expect(enrolment.candidates([heard(5, rssi: -50)], taken: []).map(\.letter) == ["A"])
    let two = enrolment.candidates([heard(1, rssi: -50), heard(5, rssi: -50)], taken: [])
    #expect(two.map(\.address.value) == [5, 1])
    #expect(two.map(\.letter) == ["A", "B"])
    _ = try enrolment.open(for: .seconds(60), now: start + .seconds(10))
    #expect(enrolment.candidates([heard(1, rssi: -50)], taken: []).map(\.letter) == ["B"])
  }

  @Test("a crowd of candidates is listed only up to the limit")
  func candidatesAreBounded() {
    var enrolment = Enrolment(mode: .all, nearRSSI: -55, window: .seconds(120))
    let crowd = (0..<400).map { heard(UInt64($0), rssi: -50) }
    #expect(enrolment.candidates(crowd, taken: []).count == Enrolment.candidateLimit)
  }

  @Test("a wearable held against the hub is listed, although a crowd of strangers was there first")
  func loudestAreListed() throws {
    var enrolment = Enrolment(mode: .window, nearRSSI: -55, window: .seconds(120))
    _ = try enrolment.open(for: nil, now: start)
    for round in 0..<8 {
      _ = enrolment.candidates((1...400).map { heard(UInt64(round * 400 + $0), rssi: -50) }, taken: [])
    }
    let crowd = (1...400).map { heard(UInt64($0), rssi: -50) }
    let listed = enrolment.candidates(crowd + [heard(9999, rssi: -40)], taken: [])
    #expect(listed.contains { $0.address.value == 9999 })
    #expect(Set(listed.map(\.letter)).count == listed.count)
  }

  @Test("proposed names number themselves past those that are taken, and hostile kinds give a plain word")
  func proposedNames() {
    #expect(Enrolment.proposedName(for: "HR strap", taken: ["strap-01", "strap-02"]) == "strap-03")
    #expect(Enrolment.proposedName(for: "HR strap", taken: Set((1...9).map { "strap-0\($0)" })) == "strap-10")
    #expect(Enrolment.proposedName(for: "\u{1B}[31m", taken: []) == "wearable-01")
    #expect(Enrolment.proposedName(for: "", taken: []) == "wearable-01")
  }

  @Test("letters go on after Z")
  func letters() {
    #expect([0, 25, 26, 51, 52].map { Enrolment.letter($0) } == ["A", "Z", "AA", "AZ", "BA"])
  }
}
