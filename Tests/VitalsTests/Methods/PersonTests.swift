import CivilTime
import Foundation
import Health
import Testing

@testable import Vitals

@Suite("Vital signs and the person")
struct PersonTests {
  private func report(
    _ person: VitalPerson, rate: Double, _ sensor: SensorClass = .rateOnly, _ reading: SensorReading? = nil
  ) -> VitalReport {
    var signs = VitalSigns()
    var rates = SensorReading()
    rates.rates = [rate]
    let window = BeatWindow(BeatSeries(), seconds: 30)
    return signs.report(
      VitalRequest(sensor: sensor, phase: .final, person: person, reading: reading ?? rates), of: window)
  }

  @Test("energy needs sex, age, weight and a rate of 90, and says when it is extrapolated")
  func energy() throws {
    let person = VitalPerson(sex: .male, age: 30, weight: 75)
    let found = report(person, rate: 120)
    #expect(found.result(.energy)?.value.number.map { ($0 - 41.5721).magnitude < 1e-9 } == true)
    #expect(found.result(.energy)?.flags == [] && found.result(.energy)?.basis == .rate)
    #expect(found.result(.energy)?.confidence == .unknown)
    #expect(report(person, rate: 89).reason(.energy) == .rateTooLow)
    #expect(report(VitalPerson(age: 30, weight: 75), rate: 120).reason(.energy) == .personUnknown)
    for other in [VitalPerson(sex: .male, age: 46, weight: 75), VitalPerson(sex: .male, age: 30, weight: 121)] {
      #expect(report(other, rate: 120).result(.energy)?.flags == [.extrapolated])
    }
    // 57 % of 190 are 108.3, 90 % are 171.
    #expect(report(person, rate: 108).result(.energy)?.flags == [.extrapolated])
    #expect(report(person, rate: 171).result(.energy)?.flags == [])
    #expect(report(person, rate: 172).result(.energy)?.flags == [.extrapolated])
  }

  @Test("outside the limits there is no energy and no zone by age, but one by a configured maximum")
  func limits() {
    for person in [
      VitalPerson(sex: .male, age: 17, weight: 75), VitalPerson(sex: .male, age: 111, weight: 75),
      VitalPerson(sex: .male, age: 30, weight: 39), VitalPerson(sex: .male, age: 30, weight: 201),
      VitalPerson(sex: .male, age: 30, weight: 75, height: 129),
      VitalPerson(sex: .male, age: 30, weight: 75, height: 231),
    ] {
      let found = report(person, rate: 120)
      #expect(found.reason(.energy) == .personOutOfLimits && found.reason(.heartRateZone) == .personOutOfLimits)
      #expect(found.result(.pulseRate) != nil)
      var configured = person
      configured.maximumRate = 190
      #expect(report(configured, rate: 120).result(.heartRateZone)?.value == .number(2))
    }
    #expect(VitalPerson(age: 18, weight: 40, height: 130).isWithinLimits)
    #expect(VitalPerson(age: 110, weight: 200, height: 230).isWithinLimits && VitalPerson().isWithinLimits)
  }

  @Test("age is in whole years, from the birthday on")
  func age() throws {
    var facts = BodyFacts()
    facts.born = LocalDate(text: "1990-06-15")
    facts.sex = .female
    facts.weight = 60
    facts.maximumHeartRate = 180
    let before = VitalPerson(facts, on: try #require(LocalDate(text: "2026-06-14")))
    #expect(before == VitalPerson(sex: .female, age: 35, weight: 60, maximumRate: 180))
    #expect(VitalPerson(facts, on: try #require(LocalDate(text: "2026-06-15"))).age == 36)
    #expect(VitalPerson(facts, on: try #require(LocalDate(text: "1989-01-01"))).age == nil)
  }

  @Test("energy is added up while there is a value, and no value is held for long")
  func meter() {
    var meter = EnergyMeter()
    let energy = Energy(rate: 120, sex: .male, age: 30, weight: 75)
    for _ in 0..<60 { meter.add(energy, for: 1) }
    meter.add(nil, for: 100)
    meter.add(energy, for: -1)
    meter.add(energy, for: .nan)
    #expect((meter.kilojoules - 41.5721).magnitude < 1e-9 && meter.validSeconds == 60 && !meter.isExtrapolated)
    meter.add(energy, for: 1e9)
    #expect(meter.validSeconds == 70)
  }

  @Test("zones begin at 60, 70, 80 and 90 % of the maximum")
  func zones() {
    let zones = [113.9, 114, 132.9, 133, 152, 171, 250].map { HeartRateZone.zone(rate: $0, maximumRate: 190) }
    #expect(zones == [1, 2, 2, 3, 4, 5, 5])
    #expect(HeartRateZone.zone(rate: .nan, maximumRate: 190) == nil)
    #expect(HeartRateZone.zone(rate: 100, maximumRate: nil) == nil && HeartRateZone.maximum(age: 220) == nil)
  }

  @Test("what a sensor measures itself is passed through, and what is no such value is not")
  func passed() {
    var reading = SensorReading()
    reading.saturation = 97
    reading.rates = [.nan, 60, 64, 0]
    let oximeter = report(VitalPerson(), rate: 0, .oximeter, reading)
    #expect(oximeter.result(.oxygenSaturation)?.value == .number(97))
    #expect(oximeter.result(.oxygenSaturation)?.method == .sensor && oximeter.result(.oxygenSaturation)?.basis == nil)
    #expect(oximeter.result(.pulseRate)?.value == .number(62))
    reading.saturation = 101
    #expect(report(VitalPerson(), rate: 0, .oximeter, reading).reason(.oxygenSaturation) == .outOfRange)

    reading.temperature = 36.6
    reading.isWristTemperature = true
    let thermometer = report(VitalPerson(), rate: 0, .thermometer, reading)
    #expect(thermometer.result(.temperature)?.flags == [.wrist])
    #expect(report(VitalPerson(), rate: 60, .thermometer).reason(.temperature) == .noValue)

    reading.cuff = CuffReading(systolic: 120, diastolic: 75, pulse: 60)
    let cuff = report(VitalPerson(), rate: 0, .cuff, reading)
    #expect(cuff.result(.meanArterialPressure)?.value == .number(90))
    #expect(cuff.result(.meanArterialPressure)?.method == .cuff)
    #expect(cuff.result(.pulsePressure)?.value == .number(45))
    #expect(cuff.result(.cardiacWorkload)?.value == .number(7200))
    #expect(cuff.result(.pulseRate)?.value == .number(60))
  }
}
