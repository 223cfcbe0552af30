// The client that orders a measurement of vital signs in these tests, and the reports to it.

import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Vitals

@testable import Hub

/// Hears all news of one session, and checks what holds of every session.
@LoopActor
final class SessionEar {
  private(set) var opened: VitalsSession?
  private(set) var states: [SessionState] = []
  private(set) var notices: [String] = []
  private(set) var values: [VitalsMoment] = []
  private(set) var records: [MeasurementRecord] = []
  private(set) var result: VitalsResult?
  private(set) var error: HearthError?
  var isThere = true
  private(set) var openedAt: Instant?

  func begin(
    _ house: LaneHouse, _ name: String = "recorder-0", seconds: Int = 60, person: String? = nil, stays: Bool = false
  ) {
    now = { house.loop.now }
    mayRepeat = stays
    let order = VitalsOrder(seconds: seconds, person: person, stays: stays)
    house.loop.spawn {
      do throws(HearthError) {
        self.result = try await house.hearth.measureVitals(name, order, isWanted: { self.isThere }) { self.hear($0) }
      } catch { self.error = error }
    }
  }

  private var mayRepeat = false
  private var now: () -> Instant = { Instant(nanoseconds: 0) }

  private func hear(_ news: VitalsNews) {
    #expect(result == nil, "nothing is told after the end")
    switch news {
    case .opened(let session):
      #expect(opened == nil && states.isEmpty)
      opened = session
      openedAt = now()
    case .state(let state, _):
      if let last = states.last { #expect(last.successors.contains(state), "\(last) to \(state)") }
      states.append(state)
    case .values(let moment):
      #expect(state == .processing)
      values.append(moment)
    case .notice(let code, let isOn): notices.append("\(isOn ? "+" : "-")\(code.rawValue)")
    case .results(let record):
      #expect(state == .stopping && (mayRepeat || records.isEmpty))
      records.append(record)
    }
  }

  var state: SessionState? { states.last }
  var isOver: Bool { result != nil || error != nil }

  static let whole: [SessionState] = [
    .initializing, .ready, .starting, .processing, .stopping, .ready, .terminating, .terminated,
  ]
}

extension LaneHouse {
  /// Records in the store, as they are there.
  func records() async throws -> [MeasurementRecord] {
    var all: [MeasurementRecord] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 1000) {
      for sample in page.samples where sample.series == .measurement {
        #expect(sample.values == [1])
        let record = try MeasurementRecord(bytes: sample.bytes)
        #expect(abs(sample.time.microseconds - record.start) < 2000, "at its begin")
        all.append(record)
      }
    }
    return all
  }

  var wearable: EnrolledWearable { hearth.registry.all[0] }
}

/// A house of straps on beating hearts, all of them live.
func withStraps(
  _ count: Int = 1, _ sensor: RecorderSensor = RecorderSensor(),
  _ body: @escaping @LoopActor (LaneHouse, [BeatingStrap]) async throws -> Void
) throws {
  var driver = RecorderDriver()
  (driver.beats, driver.sensor) = (true, sensor)
  try inHouse(driver, recorders: count) { house, _ in
    house.radio.slots = max(5, count)
    let straps = house.twins.map { twin in
      let strap = BeatingStrap(house.loop)
      strap.wear(twin)
      return strap
    }
    house.start()
    try await house.wait(.seconds(300)) { house.hearth.registry.all.allSatisfy { $0.link?.isSettled == true } }
    try await house.pass(.seconds(3))
    try await body(house, straps)
  }
}
