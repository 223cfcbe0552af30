import Bluetooth
import EventLoop
import Simulation
import Testing

@testable import StrapTwin

/// The bytes of the twins against the examples of the dossier and the shared vectors, which no twin was made from.
@Suite("Bytes of virtual health sensors")
struct SensorBytesTests {
  /// 2026-03-01T07:30:15, which the vectors use.
  private static let moment: Int64 = 1_772_350_215_000_000

  @Test("36.4 °C is 6C 01 00 FF, and invalid numbers have their own bytes")
  func numbers() throws {
    func float(_ number: MedicalNumber) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: number.float)
      return bytes
    }
    func sfloat(_ number: MedicalNumber) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: number.sfloat)
      return bytes
    }
    #expect(float(MedicalNumber(364, exponent: -1)) == [0x6C, 0x01, 0x00, 0xFF])
    let file = "ieee11073_primitives"
    #expect(float(MedicalNumber(3640, exponent: -2)) == (try vector(file, "float-03")))
    #expect(float(MedicalNumber(.notANumber)) == (try vector(file, "float-19")))
    #expect(float(MedicalNumber(.negativeInfinity)) == (try vector(file, "float-22")))
    #expect(float(MedicalNumber(.reserved)) == (try vector(file, "float-23")))
    #expect(sfloat(MedicalNumber(97)) == (try vector(file, "sfloat-03")))
    #expect(sfloat(MedicalNumber(-5, exponent: -1)) == (try vector(file, "sfloat-09")))
    #expect(sfloat(MedicalNumber(6, exponent: 1)) == (try vector(file, "sfloat-13")))
    #expect(sfloat(MedicalNumber(364, exponent: -1)) == (try vector(file, "sfloat-15")))
    #expect(sfloat(MedicalNumber(.notANumber)) == (try vector(file, "sfloat-26")))
    #expect(sfloat(MedicalNumber(.positiveInfinity)) == (try vector(file, "sfloat-28")))
    #expect(sfloat(MedicalNumber(.negativeInfinity)) == (try vector(file, "sfloat-29")))
    #expect(sfloat(MedicalNumber(.reserved)) == (try vector(file, "sfloat-30")))
  }

  @Test("numbers are kept exactly, and units are turned exactly")
  func exact() {
    #expect(MedicalNumber(364, exponent: -1).exact == Exact(182, over: 5))
    #expect(UnitFactor.celsius(fahrenheit: Exact(978, over: 10)) == Exact(329, over: 9))
    #expect(UnitFactor.millimetresOfMercury(kilopascals: Exact(16)).rounded() == 120)
    #expect(UnitFactor.kilograms(pounds: Exact(16_535, over: 100)).rounded(scale: 1000) == 75_001)
    #expect(Exact(-5, over: 2).rounded() == -3 && Exact(5, over: 2).rounded() == 3 && Exact(7, over: 3).rounded() == 2)
    #expect(MedicalNumber(.reserved).exact == nil)
  }

  @Test("a date is the dossier's, there and back, with its weekday")
  func dates() throws {
    #expect(dateTime(Self.moment) == [0xEA, 0x07, 3, 1, 7, 30, 15])
    #expect(shownTime(dateTime(Self.moment)[...]) == Self.moment)
    #expect(weekday(Self.moment) == 7 && weekday(0) == 4 && weekday(-86_400_000_000) == 3)
    #expect(shownTime([0xEA, 0x07, 13, 1, 0, 0, 0]) == nil && shownTime([0, 0, 0, 0, 1, 2, 3]) == nil)
    let clock = SensorClock(ClockTraits(), now: Instant(nanoseconds: 0), time: Self.moment)
    #expect(clock.currentTime(at: Instant(nanoseconds: 0)) == (try vector("time", "time-01")))
    #expect(SensorClock.written(try vector("time", "time-02"), to: .currentTime) == Self.moment + 500_000)
    for id in ["time-08", "time-10", "time-11", "time-12"] {
      #expect(SensorClock.written(try vector("time", id), to: .currentTime) == nil, "\(id)")
    }
  }

  @Test("temperatures are those of the vectors")
  func temperatures() throws {
    let file = "temperature_measurement"
    var traits = ThermometerTraits()
    let time = dateTime(Self.moment)
    func value(_ mantissa: Int, _ exponent: Int = -1, time: [UInt8]? = nil) -> [UInt8] {
      VirtualThermometer.value(MedicalNumber(mantissa, exponent: exponent), traits, time: time)
    }
    traits.place = .untold
    #expect(value(364) == (try vector(file, "tm-01")))
    #expect(value(3640, -2) == (try vector(file, "tm-02")))
    #expect(VirtualThermometer.value(MedicalNumber(.notANumber), traits, time: nil) == (try vector(file, "tm-24")))
    traits.place = .inValue(2)
    #expect(value(366) == (try vector(file, "tm-10")))
    #expect(value(366, time: time) == (try vector(file, "tm-12")))
    traits.isFahrenheit = true
    #expect(value(978, time: time) == (try vector(file, "tm-16")))
    traits.place = .untold
    #expect(value(978) == (try vector(file, "tm-13")))
  }

  @Test("pressures are those of the vectors")
  func pressures() throws {
    let file = "blood_pressure_measurement"
    var traits = CuffTraits()
    traits.user = 2
    let time = dateTime(Self.moment)
    var value = CuffValue(
      systolic: 118, diastolic: 96, mean: 91, pulse: 88, status: 0x20, hasFailed: false)
    #expect(value.bytes(traits, time: time) == (try vector(file, "bp-16")))
    (traits.hasPulse, traits.user) = (false, 1)
    value.hasFailed = true
    value.status = 2
    #expect(value.bytes(traits, time: time) == (try vector(file, "bp-18")))
    (traits.user, traits.hasStatus) = (nil, false)
    value = CuffValue(systolic: 161, diastolic: 76, mean: 78, pulse: 0, status: 0, hasFailed: false)
    #expect(value.bytes(traits, time: nil) == (try vector(file, "bp-01")))
    // 16.0, 10.7 and 12.4 kPa.
    traits.isKilopascal = true
    value = CuffValue(systolic: 160, diastolic: 107, mean: 124, pulse: 0, status: 0, hasFailed: false)
    #expect(value.bytes(traits, time: nil) == hexBytes("01 A0F0 6BF0 7CF0"))
    #expect(value.facts(traits).map { $0.value.rounded() } == [120, 80, 93])
  }

  @Test("runs and rides are those of the vectors")
  func movement() throws {
    let file = "rsc_csc"
    var pod = FootPodTraits()
    #expect(
      VirtualFootPod.value(pod, speed: 457, cadence: 53, stride: 113, distance: 344_522, isRunning: false)
        == (try vector(file, "rsc-07")))
    pod.hasDistance = false
    #expect(
      VirtualFootPod.value(pod, speed: 662, cadence: 90, stride: 125, distance: 0, isRunning: true)
        == (try vector(file, "rsc-06")))
    pod.hasStride = false
    #expect(
      VirtualFootPod.value(pod, speed: 1159, cadence: 78, stride: 0, distance: 0, isRunning: true)
        == (try vector(file, "rsc-02")))
    var bike = BikeSensorTraits()
    #expect(VirtualBikeSensor.value(bike, wheel: (0, 0), crank: (0, 0)) == (try vector(file, "rsc-23")))
    bike.hasCrank = false
    #expect(VirtualBikeSensor.value(bike, wheel: (100, 2048), crank: (0, 0)) == (try vector(file, "rsc-19")))
    (bike.hasCrank, bike.hasWheel) = (true, false)
    #expect(VirtualBikeSensor.value(bike, wheel: (0, 0), crank: (50, 1024)) == (try vector(file, "rsc-20")))
  }

  @Test("spot-checks are those of the vectors")
  func spotChecks() throws {
    let file = "plx_spot_check"
    // 2026-02-14T22:05:09
    let time: [UInt8] = [0xEA, 0x07, 2, 14, 22, 5, 9]
    let pair = [MedicalNumber(90), MedicalNumber(129)]
    #expect(
      VirtualSpotOximeter.value(pair, time: time, isClockUnset: false, status: (1 << 7, 0), amplitude: nil)
        == (try vector(file, "spot-15")))
    #expect(
      VirtualSpotOximeter.value(
        [MedicalNumber(96), MedicalNumber(77)], time: dateTime(SensorClock.unsetEpoch + 12_000_000), isClockUnset: true,
        status: nil, amplitude: nil) == (try vector(file, "spot-23")))
    #expect(
      VirtualSpotOximeter.value(
        [MedicalNumber(91), MedicalNumber(110)], time: nil, isClockUnset: false, status: (1 << 6, 0x30),
        amplitude: MedicalNumber(3, exponent: -1)) == (try vector(file, "spot-27")))
  }

  @Test("observations are those of the vectors, in one segment and in several, over the end of the counter")
  func observations() throws {
    let file = "generic_health_sensor"
    let time = ElapsedTime.bytes(
      .utc, count: 825_665_415, isMilliseconds: false, isCurrent: true, source: 6, quarterHours: 0)
    #expect(time == (try vector("time", "time-24")))
    #expect(
      ElapsedTime.bytes(
        .utcWithOffset, count: 825_665_415, isMilliseconds: false, isCurrent: true, source: 1, quarterHours: 4)
        == (try vector("time", "time-25")))
    #expect(
      ElapsedTime.bytes(
        .localWithOffset, count: 825_665_415, isMilliseconds: false, isCurrent: true, source: 1, quarterHours: 4)
        == (try vector("time", "time-26")))
    #expect(
      ElapsedTime.bytes(.ticks, count: 123_456, isMilliseconds: false, isCurrent: true, source: 0, quarterHours: 0)
        == (try vector("time", "time-31")))
    var one = Observation(
      kind: 1, type: 150_456, time: time, value: Observation.number(MedicalNumber(98), unit: Nomenclature.percent))
    var segments = Segments(counter: 1)
    #expect(segments.cut(one.bytes, room: 100) == [try vector(file, "ghs-01")])
    one.patient = 2
    segments = Segments(counter: 0)
    #expect(segments.cut(one.bytes, room: 100) == [try vector(file, "ghs-06")])
    let members = [
      Observation(
        kind: 1, type: 150_456, value: Observation.number(MedicalNumber(97), unit: Nomenclature.percent)),
      Observation(
        kind: 1, type: 149_530, value: Observation.number(MedicalNumber(66), unit: Nomenclature.perMinute)),
    ]
    let bundle = Observation(
      kind: 0xFF, time: time, supplemental: [Nomenclature.finger], value: Observation.bundle(members))
    segments = Segments(counter: 3)
    #expect(segments.cut(bundle.bytes, room: 100) == [try vector(file, "ghs-08")])
    segments = Segments(counter: 60)
    #expect(segments.cut(bundle.bytes, room: 18).flatMap(\.self) == (try vector(file, "ghs-09")))
    #expect(segments.counter == 63)
    _ = segments.cut(bundle.bytes, room: 100)
    #expect(segments.counter == 0)
    var full = Observation(
      kind: 1, type: 150_456, value: Observation.number(MedicalNumber(98), unit: Nomenclature.percent))
    full.duration = MedicalNumber(5)
    (full.status, full.object, full.patient) = (0x0102, 7, 3)
    (full.supplemental, full.derivedFrom, full.members) = ([9], [8], [1, 2])
    full.coded = [[0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x04, 0x2A]]
    let body = """
      01 3300 FD03 B84B0200 05000000 0201 07000000 03 01 09000000 01 08000000 02 01000000 02000000
      01 01000100 0100 04 2A 2002 62000000
      """
    #expect(full.bytes == hexBytes(body.filter { !$0.isWhitespace }))
  }

  @Test("weights and bodies have every field that their flags announce, and a failed one has no field")
  func weights() {
    var traits = ScaleTraits()
    var weighing = Weighing(
      weight: 15_000, height: 1800, index: 231, fat: 184, muscle: 420, metabolism: 7200, impedance: 5012,
      hasFailed: false)
    let time = dateTime(Self.moment)
    #expect(weighing.weightBytes(traits, time: time) == hexBytes("0E 983A EA070301071E0F 01 E700 0807"))
    #expect(
      weighing.compositionBytes(traits, time: nil)
        == hexBytes("FC0F B800 01 201C A401 5E1A E02E 882C 3A20 9413 983A 0807"))
    #expect(weighing.weightFacts(traits).first?.value == Exact(75))
    traits.isImperial = true
    // 150 lb.
    #expect(weighing.weightFacts(traits).first?.value.rounded(scale: 1000) == 68_039)
    weighing.hasFailed = true
    #expect(weighing.weightBytes(traits, time: nil).prefix(3) == [0x0D, 0xFF, 0xFF])
    #expect(weighing.compositionBytes(traits, time: nil) == [0x05, 0x00, 0xFF, 0xFF, 0x01])
    #expect(weighing.weightFacts(traits).isEmpty && weighing.compositionFacts(traits).isEmpty)
  }

  @Test("a battery's status is that of the specification")
  func batteryStatus() {
    #expect(HealthTwin.batteryStatus(77) == [0x02, 0xC1, 0x00, 77])
    #expect(HealthTwin.batteryStatus(12) == [0x02, 0x41, 0x01, 12])
    #expect(HealthTwin.batteryStatus(4) == [0x02, 0xC1, 0x01, 4])
  }
}
