import EventLoop
import Health
import Hub
import PolarTwin
import RingStore
import Simulation
import Testing

/// A listener hears all that the store keeps, of every layout: vectors and waveforms too.
@Suite("What a listener hears of streams")
struct LiveListenerTests {
  /// Values and bytes without their place in the ring.
  private static func content(_ samples: [StoredSample], _ series: Series) -> [String] {
    samples.filter { $0.series == series }.map { "\($0.value) \($0.values) \($0.bytes)" }
  }

  /// What was heard is, for each series, an unbroken part of what is stored, at the same times.
  private static func judge(_ heard: [StoredSample], _ stored: [StoredSample], _ series: Series) {
    let (heardContent, storedContent) = (content(heard, series), content(stored, series))
    #expect(heardContent.count > 20, "\(series.name): \(heardContent.count) heard")
    guard let first = heardContent.first, let begin = storedContent.firstIndex(of: first) else {
      Issue.record("\(series.name): what was heard is not in the store")
      return
    }
    #expect(Array(storedContent[begin...].prefix(heardContent.count)) == heardContent, "\(series.name)")
    let times = zip(
      heard.filter { $0.series == series }, stored.filter { $0.series == series }[begin...])
    #expect(
      times.allSatisfy { abs($0.time.microseconds - $1.time.microseconds) <= series.timeStep },
      "\(series.name): other times")
  }

  @Test("pressure and orientation of an insole are heard as they are stored")
  func insole() throws {
    try VirtualLoop.run { loop in
      let (hub, _) = try await insoleHouse(loop, seed: 7400, adjust: { $0.files = .sessions([60]) })
      try await loop.sleep(for: .seconds(60))
      var heard: [StoredSample] = []
      let token = try hub.hearth.subscribeLive("insole-1") { value in
        #expect(value.wearable == "insole-1")
        heard.append(value.sample)
      }
      _ = try await hub.hearth.orderStreams("insole-1", [.footPressure, .orientation])
      try await loop.sleep(for: .seconds(60))
      hub.hearth.unsubscribeLive(token)
      let count = heard.count
      try await loop.sleep(for: .seconds(30))
      #expect(heard.count == count)
      await hub.stop()
      let stored = try await hub.storedSamples()
      for series in [Series.footPressure, .orientation] { Self.judge(heard, stored, series) }
      #expect(heard.allSatisfy { $0.values.count == $0.series.layout.components.count || $0.values.isEmpty })
    }
  }

  @Test("acceleration and the electrocardiogram of a chest strap are heard block by block")
  func strap() throws {
    try VirtualLoop.run { loop in
      let house = try await polarHouse(loop, seed: 7410, [.of(.h10) { _ in }], driver: "polar-strap", kind: "HR strap")
      let hub = house.hub
      var heard: [StoredSample] = []
      _ = try hub.hearth.subscribeLive(nil) { heard.append($0.sample) }
      _ = try await hub.hearth.orderStreams("polar-1", [.acc, .ecg])
      try await loop.sleep(for: .seconds(120))
      await hub.stop()
      let stored = try await hub.storedSamples()
      for series in [Series.acc, .ecg] { Self.judge(heard, stored, series) }
    }
  }
}
