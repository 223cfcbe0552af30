// Observations of a simulated generic health sensor, kind by kind.

import Bluetooth
import Simulation

extension VirtualHealthSensor {
  func observe() -> Observed {
    let kind = traits.kinds[turn % traits.kinds.count]
    turn += 1
    temperature = min(max(temperature + random.integer(in: -2...2), 352), 410)
    saturation = min(max(saturation + random.integer(in: -4...4), 870), 1000)
    pulse = min(max(pulse + random.integer(in: -3...3), 44), 150)
    respiration = min(max(respiration + random.integer(in: -5...5), 80), 300)
    var observed = observed(kind)
    observed.observation.patient = traits.patient
    if traits.hasEveryField {
      observed.observation.duration = MedicalNumber(5)
      observed.observation.status = 0
      observed.observation.object = UInt32(turn)
      observed.observation.patient = traits.patient ?? 1
      observed.observation.supplemental = [Nomenclature.finger]
      observed.observation.derivedFrom = [UInt32(turn) - 1]
      observed.observation.members = [1, 2]
      observed.observation.coded = [[0x01, 0x00, 0x01, 0x00, 0x02, 0x00, 0x06, 0x2A, 0x00]]
    }
    guard random.chance(traits.poor) else { return observed }
    // Measurement status: bit 0 invalid.
    observed.observation.status = 1
    observed.facts = []
    observed.worth = .nothing
    return observed
  }

  private func numeric(_ type: UInt32, _ number: MedicalNumber, _ unit: UInt16) -> Observation {
    Observation(kind: 1, type: type, value: Observation.number(number, unit: unit))
  }

  private func observed(_ kind: HealthSensorTraits.Kind) -> Observed {
    func fact(_ quantity: Quantity, _ number: MedicalNumber) -> [Fact] {
      number.exact.map { [Fact(quantity, $0)] } ?? []
    }
    let warm = MedicalNumber(temperature, exponent: -1)
    let oxygen = MedicalNumber(saturation, exponent: -1)
    let beats = MedicalNumber(pulse)
    let breaths = MedicalNumber(respiration, exponent: -1)
    switch kind {
    case .temperature:
      return Observed(
        observation: numeric(Nomenclature.bodyTemperature, warm, Nomenclature.celsius),
        facts: fact(.temperature, warm), worth: .good)
    case .saturation:
      return Observed(
        observation: numeric(Nomenclature.saturation, oxygen, Nomenclature.percent),
        facts: fact(.oxygenSaturation, oxygen), worth: .good)
    case .respiration:
      return Observed(
        observation: numeric(Nomenclature.respiration, breaths, Nomenclature.breaths),
        facts: fact(.respirationRate, breaths), worth: .good)
    case .oximetry:
      let members = [
        numeric(Nomenclature.saturation, oxygen, Nomenclature.percent),
        numeric(Nomenclature.pulse, beats, Nomenclature.perMinute),
      ]
      return Observed(
        observation: Observation(
          kind: 0xFF, supplemental: [Nomenclature.finger], value: Observation.bundle(members)),
        facts: fact(.oxygenSaturation, oxygen) + fact(.pulseRate, beats), worth: .good)
    case .pressure: return pressure()
    case .electrocardiogram: return electrocardiogram()
    case .event:
      return plain(2, [0x01, 0x00, 0x02, 0x00])
    case .note: return plain(3, Observation.text("Bett 4, é"))
    // Two codes of events; a state of 16 bits: number of octets, supported bits, state bits, set bits.
    case .events: return plain(5, [2, 0x01, 0x00, 0x02, 0x00, 0x02, 0x00, 0x02, 0x00])
    case .state: return plain(6, [2, 0xFF, 0x00, 0x0F, 0x00, 0x05, 0x00])
    case .coded: return plain(8, [1, 0x01, 0x00, 0x01, 0x00, 0x02, 0x00, 0x06, 0x2A, 0x00])
    }
  }

  private func plain(_ kind: UInt8, _ value: [UInt8]) -> Observed {
    Observed(observation: Observation(kind: kind, type: 0x0001_0000, value: value), facts: [], worth: .nothing)
  }

  private func pressure() -> Observed {
    let systolic = MedicalNumber(random.integer(in: 95...170))
    let diastolic = MedicalNumber(systolic.mantissa * 5 / 8)
    let mean = MedicalNumber((systolic.mantissa + 2 * diastolic.mantissa) / 3)
    let parts: [(UInt32, MedicalNumber, Quantity)] = [
      (Nomenclature.systolic, systolic, .systolic), (Nomenclature.diastolic, diastolic, .diastolic),
      (Nomenclature.meanPressure, mean, .meanPressure),
    ]
    let value = Observation.numbers(
      parts.map { (type: $0.0, unit: Nomenclature.millimetresOfMercury, number: $0.1) })
    return Observed(
      observation: Observation(kind: 7, type: Nomenclature.pressure, value: value),
      facts: parts.compactMap { part in part.1.exact.map { Fact(part.2, $0) } }, worth: .good)
  }

  /// A second at 250 Hz, in steps of 5 µV.
  private func electrocardiogram() -> Observed {
    let samples = (0..<250).map { place in Int16(place % 50 == 0 ? 200 : random.integer(in: -6...6)) }
    let value = Observation.samples(
      samples, unit: Nomenclature.millivolt, scale: MedicalNumber(5, exponent: -3),
      period: MedicalNumber(4, exponent: -3))
    return Observed(
      observation: Observation(kind: 4, type: Nomenclature.electrocardiogram, value: value),
      facts: samples.map { Fact(.electrocardiogram, Exact(Int64($0) * 5, over: 1000)) }, worth: .good)
  }
}
