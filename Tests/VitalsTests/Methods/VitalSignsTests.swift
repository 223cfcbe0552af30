import Foundation
import Health
import Testing

@testable import Vitals

private let seeds = freshSeeds(60, for: "vital signs")

/// Breathing at 15 a minute and a slow wave, for some seconds.
private func calm(_ seconds: Double, breaths: Double = 15, interval: Double = 800) -> [Double] {
  var (time, beats) = (0.0, [Double]())
  while time < seconds {
    let wave = 40 * sin(2 * .pi * breaths / 60 * time) + 15 * sin(2 * .pi * 0.1 * time)
    beats.append((interval + wave).rounded())
    time += (beats.last ?? 0) / 1000
  }
  return beats
}

private func report(
  _ intervals: [Double], seconds: Double, _ sensor: SensorClass = .electrical, _ phase: MeasurementPhase = .final,
  person: VitalPerson = VitalPerson(sex: .male, age: 40, weight: 80)
) -> VitalReport {
  var signs = VitalSigns()
  let window = BeatWindow(BeatSeries([intervals]), seconds: seconds)
  return signs.report(VitalRequest(sensor: sensor, phase: phase, person: person), of: window)
}

@Suite("Vital signs of a window")
struct VitalSignsTests {
  @Test("each enabled sign has a result or a reason, and no other is there", arguments: SensorClass.allCases)
  func complete(_ sensor: SensorClass) {
    let enabled = VitalSign.table(for: sensor).filter(\.isEnabled).map(\.sign)
    let found = report(calm(120), seconds: 120, sensor)
    #expect(Set(found.results.map(\.sign) + found.notReported.map(\.sign)) == Set(enabled))
    #expect(found.results.count + found.notReported.count == enabled.count)
  }

  @Test("a good minute has all of them, in their units, with methods and versions")
  func all() throws {
    let found = report(calm(120), seconds: 120)
    #expect(found.notReported.map(\.sign) == [.energy] && found.reason(.energy) == .rateTooLow)
    #expect(found.results.allSatisfy { $0.confidence == .high && $0.basis == .rr && $0.window == 120 })
    let breathing = try #require(found.result(.respirationRate)?.value.number)
    #expect((breathing - 15).magnitude < 0.3)
    #expect(found.result(.respirationRate)?.method.rawValue == "RSA-1")
    #expect(found.result(.frequencyRatio)?.method.rawValue == "LS-1")
    #expect(found.result(.sdnn)?.unit == "ms" && found.result(.lowFrequency)?.unit == "ms²")
    let rate = try #require(found.result(.pulseRate)?.value.number)
    #expect((rate - 75).magnitude < 0.5)
    #expect((try #require(found.result(.quotient)?.value.number) - rate / breathing).magnitude < 1e-9)
    #expect(found.result(.parasympatheticIndex)?.sign.rawValue == "pns_index_hub")
    guard case .intervals(let list) = found.result(.intervals)?.value else { return #expect(Bool(false)) }
    #expect(list.count == calm(120).count)
  }

  @Test("a sign comes when its window is long enough, not before")
  func least() {
    let times: [(VitalSign, Double, Double)] = [
      (.pulseRate, 7, 20), (.meanInterval, 35, 35), (.sdnn, 35, 35), (.rmssd, 35, 35), (.pnn50, 50, 50),
      (.sd1, 50, 50), (.sd2, 50, 50), (.intervals, 50, 50), (.lowFrequency, 50, 50), (.highFrequency, 50, 50),
      (.respirationRate, 30, 37), (.quotient, 37, 37), (.stressIndex, 50, 50), (.stressLevel, 50, 50),
      (.parasympatheticIndex, 50, 50), (.sympatheticZone, 50, 50), (.heartRateZone, 7, 7),
    ]
    for (sign, runtime, final) in times {
      for (phase, least) in [(MeasurementPhase.runtime, runtime), (.final, final)] {
        let beats = calm(least + 1)
        let early = report(beats, seconds: least - 0.1, .electrical, phase)
        #expect(early.reason(sign) == .windowTooShort, "\(sign) \(least)")
        #expect(report(beats, seconds: least, .electrical, phase).result(sign) != nil, "\(sign) \(least)")
      }
    }
  }

  @Test("a short window is marked and never of high confidence, bands below two minutes of low")
  func short() {
    let found = report(calm(55), seconds: 55)
    #expect(found.result(.sdnn)?.flags == [.windowShort] && found.result(.sdnn)?.confidence == .medium)
    #expect(found.result(.lowFrequency)?.confidence == .low)
    #expect(found.result(.lowFrequency)?.flags == [.windowShort])
    #expect(found.result(.rmssd)?.flags == [] && found.result(.rmssd)?.confidence == .high)
    #expect(report(calm(60), seconds: 60).result(.sdnn)?.confidence == .high)
    #expect(report(calm(120), seconds: 120).result(.lowFrequency)?.confidence == .high)
  }

  @Test("if optical intervals are too doubtful the pulse is the own one of the sensor, which is said")
  func ownRate() throws {
    var window = BeatWindow(BeatSeries([calm(60)]), seconds: 60)
    window.uncertain = window.received
    var reading = SensorReading()
    func told() -> VitalReport {
      var signs = VitalSigns()
      return signs.report(VitalRequest(sensor: .optical, phase: .final, reading: reading), of: window)
    }
    #expect(told().results.isEmpty && told().reason(.pulseRate) == .insufficientQuality)
    reading.rates = [64, 66, 65]
    let pulse = try #require(told().result(.pulseRate))
    #expect(told().results.count == 1 && pulse.value == .number(65))
    #expect(pulse.method == .sensor && pulse.basis == nil && pulse.confidence == .unknown)
    #expect(VitalResult(pulse).flags == .passedThrough)
    // With good intervals it is theirs.
    window.uncertain = 0
    #expect(told().result(.pulseRate)?.method == .pulseRate && told().result(.pulseRate)?.confidence == .high)
  }

  @Test("a pulse that was measured with a reading needs no window, and a reading that is doubted is of low confidence")
  func singleReading() {
    var reading = SensorReading()
    reading.cuff = CuffReading(systolic: 121, diastolic: 79, pulse: 66)
    func told(_ sensor: SensorClass) -> VitalReport {
      var signs = VitalSigns()
      return signs.report(
        VitalRequest(sensor: sensor, phase: .final, reading: reading), of: BeatWindow(BeatSeries(), seconds: 2))
    }
    #expect(told(.cuff).result(.pulseRate)?.value == .number(66) && told(.cuff).notReported.isEmpty)
    reading.isDoubtful = true
    #expect(told(.cuff).results.allSatisfy { $0.confidence == .low })
    (reading.saturation, reading.pulse, reading.cuff) = (97, 61, nil)
    #expect(told(.oximeter).result(.pulseRate)?.value == .number(61))
    reading.weight = 71.5
    #expect(told(.scale).result(.weight)?.value == .number(71.5) && told(.scale).result(.weight)?.unit == "kg")
    #expect(told(.scale).reason(.pulseRate) == nil && VitalSign.pulseRate.notEnabled(for: .scale) == .needsRate)
    reading.weight = 400
    #expect(told(.scale).reason(.weight) == .outOfRange)
  }

  @Test("artefacts and missing time lower the confidence step by step, and then withhold")
  func confidence() {
    func quality(_ received: Int, _ reported: Int, covered: Double) -> Confidence? {
      var window = BeatWindow(BeatSeries([[Double](repeating: 1000, count: Int(covered * 10))]), seconds: 1000)
      window.received = received
      return SignalQuality(window: window, reported: reported).confidence
    }
    #expect(quality(1000, 50, covered: 100) == .high && quality(1000, 51, covered: 100) == .medium)
    #expect(quality(1000, 100, covered: 100) == .medium && quality(1000, 101, covered: 100) == .low)
    #expect(quality(1000, 200, covered: 100) == .low && quality(1000, 201, covered: 100) == nil)
    #expect(quality(1000, 0, covered: 95) == .high && quality(1000, 0, covered: 94) == .medium)
    #expect(quality(1000, 0, covered: 89) == .low && quality(1000, 0, covered: 79) == nil)
    let found = report(calm(60), seconds: 100)
    #expect(found.results.isEmpty)
    #expect(found.reason(.pulseRate) == .insufficientQuality)
  }

  @Test("intervals of more time than passed lower the confidence alike, and then withhold")
  func overfull() {
    func quality(_ covered: Int, lead: Double = 0) -> SignalQuality {
      var window = BeatWindow(BeatSeries([[Double](repeating: 1000, count: covered)]), seconds: 100)
      window.lead = lead
      return SignalQuality(window: window, reported: 0)
    }
    #expect(quality(105).confidence == .high && quality(106).confidence == .medium)
    #expect(quality(110).confidence == .medium && quality(111).confidence == .low)
    #expect(quality(120).confidence == .low && quality(121).confidence == nil && quality(121).isOverfull)
    #expect(!quality(79).isOverfull && quality(197).coverage == 1.97)
    // An interval that began before the window is not too much.
    #expect(quality(101, lead: 1.5).coverage == 1 && quality(107, lead: 2).confidence == .high)
  }

  @Test("a sensor that sends each interval twice has no result, and says why")
  func toldTwice() throws {
    let beats = calm(70)
    var (timeline, time) = (BeatTimeline(), 0.0)
    for (before, beat) in zip(beats, beats.dropFirst()) {
      time += beat / 1000
      timeline.take([ReceivedInterval(before), ReceivedInterval(beat)], at: time)
    }
    var signs = VitalSigns()
    let found = signs.report(
      VitalRequest(sensor: .electrical, phase: .final), of: timeline.window(from: 5, to: 65))
    let coverage = try #require(found.quality?.coverage)
    #expect(coverage > 1.9 && coverage < 2.1 && found.results.isEmpty)
    #expect(found.reason(.rmssd) == .intervalsOverlap && found.reason(.pulseRate) == .intervalsOverlap)
  }

  @Test("dropped intervals count whole, uncertain ones half")
  func share() {
    #expect(SignalQuality.share(received: 100, dropped: 4, uncertain: 6, reported: 3) == 0.10)
    #expect(SignalQuality.share(received: 0, dropped: 0, uncertain: 0, reported: 0) == 0)
    #expect(SignalQuality.share(received: 2, dropped: 2, uncertain: 2, reported: 2) == 1)
  }

  @Test("means pool stretches, differences never cross from one to the next")
  func pooling() {
    let found = TimeDomain(BeatSeries([[800, 810], [1000, 990, 1000]]))
    #expect(found.count == 5 && found.mean == 920)
    #expect(found.rmssd == 10 && found.nn50 == 0)
    #expect(TimeDomain(BeatSeries([[800], [900], [1000]])).rmssd == nil)
    #expect(TimeDomain(BeatSeries([[800], [900], [1000]])).sdnn == 100)
  }

  @Test("a spectrum needs its time in one stretch")
  func stretch() {
    var signs = VitalSigns()
    let window = BeatWindow(BeatSeries([calm(28), calm(28)]), seconds: 57)
    let found = signs.report(VitalRequest(sensor: .electrical, phase: .final), of: window)
    #expect(found.reason(.lowFrequency) == .stretchTooShort && found.reason(.respirationRate) == .stretchTooShort)
    #expect(found.result(.rmssd) != nil)
  }

  @Test("breathing outside the high band marks what is computed of it")
  func unreliable() {
    let slow = report(calm(120, breaths: 8), seconds: 120)
    #expect(slow.result(.highFrequency)?.flags.contains(.hfUnreliable) == true)
    #expect(slow.result(.frequencyRatio)?.flags.contains(.hfUnreliable) == true)
    #expect(slow.result(.lowFrequency)?.flags.contains(.hfUnreliable) == false)
    #expect(report(calm(120), seconds: 120).result(.highFrequency)?.flags == [])
  }

  @Test("a heart without breathing in it has no respiration rate, and no quotient")
  func flat() {
    var random = SeededRandom(7)
    let beats = (0..<90).map { _ in 800 + random.whole(-9...9) }.map(Double.init)
    let found = report(beats, seconds: 72)
    #expect(found.reason(.respirationRate) == .noBreathingLine && found.reason(.quotient) == .noBreathingLine)
  }

  @Test("intervals that are all the same have no stress index and no ratio")
  func constant() {
    let found = report([Double](repeating: 800, count: 150), seconds: 120)
    #expect(found.result(.sdnn)?.value == .number(0))
    #expect(found.reason(.stressIndex) == .undefined && found.reason(.sympatheticIndex) == .undefined)
    #expect(found.reason(.frequencyRatio) == .undefined)
  }

  @Test("optical intervals say what they are; those of the wrist give rate, energy and zone")
  func optical() {
    #expect(report(calm(120), seconds: 120, .optical).result(.rmssd)?.basis == .ppi)
    let wrist = VitalSign.table(for: .opticalWrist)
    #expect(wrist.filter(\.isEnabled).map(\.sign) == [.pulseRate, .energy, .heartRateZone])
    #expect(VitalSign.rmssd.notEnabled(for: .opticalWrist) == .intervalsUnproven)
  }

  @Test("what needs a camera, a secret or no definition is always disabled")
  func never() {
    let never: [VitalSign] = [
      .normalisedStressIndex, .wellnessIndex, .wellnessLevel, .haemoglobin, .haemoglobinA1c, .glucoseRisk,
      .cholesterolRisk, .cardiovascularRisk, .heartAge,
    ]
    for sensor in SensorClass.allCases {
      for sign in never { #expect(sign.notEnabled(for: sensor) != nil) }
      #expect((VitalSign.systolicPressure.notEnabled(for: sensor) == nil) == (sensor == .cuff))
      #expect((VitalSign.oxygenSaturation.notEnabled(for: sensor) == nil) == (sensor == .oximeter))
    }
    #expect(VitalSign.table(for: .electrical).count == VitalSign.allCases.count)
  }
}
