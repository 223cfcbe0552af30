// What troubles in a row say about the next try.

import EventLoop
import Reasons
import Testing

@testable import LinuxBluetooth

@Suite("The record of troubles")
struct TroubleRecordTests {
  private let timing = AdapterTiming()

  private func at(_ seconds: Int) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  private func note(_ record: inout TroubleRecord, _ reason: Reason, served: Duration? = nil, at seconds: Int) -> Bool {
    record.note(reason, afterServing: served, on: .usb, at: at(seconds), recovered: timing.recovered)
  }

  @Test("each rung comes once, as fast as they fail, and then one in an interval")
  func rungs() {
    var record = TroubleRecord()
    var tried: [Rung] = []
    var exhausted: [Bool] = []
    for second in 0..<4 {
      exhausted.append(note(&record, .controllerSilent, at: second))
      #expect(record.isRungDue(on: .usb, at: at(second), interval: timing.rungInterval))
      tried.append(record.climb(on: .usb, at: at(second)))
    }
    #expect(tried == RecoveryLadder.rungs(on: .usb) && exhausted == [false, false, false, false])
    #expect(note(&record, .controllerSilent, at: 4), "every rung was tried in vain")
    #expect(!record.isRungDue(on: .usb, at: at(5), interval: timing.rungInterval))
    #expect(record.isRungDue(on: .usb, at: at(303), interval: timing.rungInterval))
  }

  @Test("a silence without a rung between two tries counts once")
  func silences() {
    var record = TroubleRecord()
    for second in 0..<3 { #expect(!note(&record, .controllerSilent, at: second)) }
    #expect(record.silences == 1 && record.silence(at: at(10)) == .seconds(10))
  }

  @Test("an adapter that served long enough starts again, one that served for moments does not")
  func recovered() {
    for (served, expected) in [(Duration.seconds(59), 2), (.seconds(60), 1)] {
      var record = TroubleRecord()
      _ = note(&record, .controllerSilent, at: 0)
      _ = record.climb(on: .usb, at: at(0))
      _ = note(&record, .controllerSilent, served: served, at: 100)
      #expect(record.silences == expected)
    }
  }

  @Test("an adapter that was pulled out had no power, and climbs no rung")
  func removed() {
    var record = TroubleRecord()
    _ = note(&record, .controllerSilent, at: 0)
    _ = note(&record, .adapterRemoved, at: 1)
    #expect(record.silences == 0 && record.silence(at: at(5)) == .zero)
    #expect(!record.isRungDue(on: .usb, at: at(5), interval: timing.rungInterval))
  }

  @Test("what an operator asks for comes at once, and the try after that does not")
  func urgency() {
    var record = TroubleRecord()
    record.obey(2, on: .usb)
    _ = note(&record, .controllerSilent, served: .seconds(3600), at: 0)
    #expect(record.takeUrgency() && !record.takeUrgency())
    #expect(record.climb(on: .usb, at: at(0)) == RecoveryLadder.rungs(on: .usb)[1])
  }
}
