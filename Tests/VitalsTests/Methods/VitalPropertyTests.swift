// Properties of any window: hostile numbers cause no trap and no invalid result, and sizes that a method must keep.

import Foundation
import Health
import Testing

@testable import Vitals

private let seeds = freshSeeds(60, for: "vital signs of any window")

@Suite("Vital signs of any window")
struct VitalPropertyTests {
  @Test("results are finite, plausible, and complete, whatever comes", arguments: seeds)
  func hostile(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let odd = [0, -1, 1e308, -1e308, .nan, .infinity, 65_535, Double.leastNonzeroMagnitude]
    func any(_ range: ClosedRange<Double>) -> Double {
      random.chance(0.1) ? odd[random.whole(0...7)] : random.number(range)
    }
    var signs = VitalSigns()
    for _ in 0..<12 {
      let calm = random.chance(0.6)
      let stretches = (0..<random.whole(0...4)).map { _ in
        calm ? random.heart(seconds: random.number(0...150)) : (0..<random.whole(0...120)).map { _ in any(0...2500) }
      }
      let series = BeatSeries(stretches)
      var window = BeatWindow(series, seconds: random.chance(0.8) ? series.duration : any(0...300))
      window.dropped = random.whole(0...3)
      window.received += window.dropped
      var reading = SensorReading()
      reading.rates = (0..<random.whole(0...5)).map { _ in any(20...240) }
      reading.saturation = any(0...120)
      reading.temperature = any(0...50)
      reading.cuff = CuffReading(systolic: any(0...350), diastolic: any(0...350), pulse: any(0...250))
      let person = VitalPerson(
        sex: random.chance(0.5) ? .male : nil, age: random.chance(0.1) ? .max : random.whole(-5...230),
        weight: any(0...300), height: any(0...300), maximumRate: random.chance(0.5) ? any(0...250) : nil)
      for sensor in SensorClass.allCases {
        let phase: MeasurementPhase = random.chance(0.5) ? .runtime : .final
        let report = signs.report(
          VitalRequest(sensor: sensor, phase: phase, person: person, reading: reading), of: window)
        let enabled = VitalSign.allCases.filter { $0.notEnabled(for: sensor) == nil }
        #expect(report.results.count + report.notReported.count == enabled.count)
        for result in report.results {
          #expect(result.window.isFinite)
          guard let number = result.value.number else { continue }
          #expect(number.isFinite && (result.sign.plausible?.contains(number) ?? true))
        }
      }
    }
  }

  @Test("the artefact share never rises above one, and the coverage is a number", arguments: seeds.prefix(10))
  func bounded(_ seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<100 {
      var window = BeatWindow(BeatSeries([random.heart(seconds: 20)]), seconds: random.number(-5...30))
      window.received = random.whole(-5...50)
      window.dropped = random.whole(0...50)
      let quality = SignalQuality(window: window, reported: random.whole(0...100))
      #expect((0...1).contains(quality.artefactShare) && quality.coverage >= 0 && quality.coverage.isFinite)
    }
  }

  @Test("the range that the stress index divides by only shrinks with the window", arguments: seeds.prefix(10))
  func shrinking(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let beats = random.heart(seconds: 180)
    let whole = try #require(StressIndex(BeatSeries([beats])))
    let part = try #require(StressIndex(BeatSeries([Array(beats.prefix(beats.count / 3))])))
    #expect(part.range <= whole.range)
  }

  @Test("a constant added to all intervals changes no difference", arguments: seeds.prefix(10))
  func shifted(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let beats = random.heart(seconds: 180)
    let found = TimeDomain(BeatSeries([beats]))
    let shifted = TimeDomain(BeatSeries([beats.map { $0 + 128 }]))
    #expect((try #require(found.rmssd) - (try #require(shifted.rmssd))).magnitude < 1e-9)
    #expect((try #require(found.sdnn) - (try #require(shifted.sdnn))).magnitude < 1e-9)
  }

  @Test("a band's power is what its line has: half the square of the amplitude", arguments: seeds.prefix(10))
  func line(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let (frequency, amplitude) = (random.number(0.2...0.35), random.number(5...40))
    var (time, beats) = (0.0, [Double]())
    while time < 280 {
      beats.append(800 + amplitude * sin(2 * .pi * frequency * time))
      time += (beats.last ?? 0) / 1000
    }
    var periodogram = Periodogram()
    let isComputed = periodogram.compute(beats[...])
    #expect(isComputed)
    let powers = SpectralPowers(periodogram)
    #expect((powers.high / (amplitude * amplitude / 2) - 1).magnitude < 0.05, "\(frequency) Hz, \(amplitude) ms")
    #expect((powers.highPeak - frequency).magnitude < 0.002)
  }
}
