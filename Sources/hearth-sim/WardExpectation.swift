// What a store must contain for one value of a health sensor, by the text of its service, without the driver's
// code.

import Bluetooth
import EventLoop
import Health
import StrapTwin

/// A value as the store has it.
struct WardValue {
  let series: Series
  let value: Int64
  /// Whether the sensor itself doubts it.
  let isLow: Bool
}

@LoopActor
enum WardExpectation {
  /// Returns values in the order in which the hub stores them.
  static func values(of delivery: Delivery, by sensor: HealthTwin) -> [WardValue] {
    guard delivery.worth == .good || delivery.worth == .doubtful else { return [] }
    // An early estimate, before the indicated value.
    let isLow = delivery.worth == .doubtful || delivery.characteristic == .intermediateTemperature
    var values = delivery.facts.compactMap { fact -> WardValue? in
      guard let row = row(of: fact.quantity, by: sensor) else { return nil }
      // A scale that serves both sends its weight only as a scale.
      if delivery.characteristic == .bodyCompositionMeasurement, row.series == .weight { return nil }
      return WardValue(series: row.series, value: fact.value.rounded(scale: row.scale), isLow: isLow)
    }
    if values.isEmpty { return [] }
    values += companions(of: delivery, by: sensor).map { WardValue(series: $0.series, value: $0.value, isLow: isLow) }
    return values
  }

  /// Values of the same time: place of the measurement, and person.
  private static func companions(of delivery: Delivery, by sensor: HealthTwin) -> [(series: Series, value: Int64)] {
    if delivery.characteristic == batteryLevel { return [] }
    var user: UInt8?
    if let thermometer = sensor as? VirtualThermometer {
      switch thermometer.traits.place {
      case .untold: return []
      case .inValue(let code), .fixed(let code): return [(series: Series.temperaturePlace, value: Int64(code))]
      }
    }
    if let cuff = sensor as? VirtualCuff, delivery.characteristic == .bloodPressureMeasurement {
      user = cuff.traits.user
    }
    if let scale = sensor as? VirtualScale { user = scale.traits.user }
    guard let user else { return [] }
    return [(series: Series.userIndex, value: Int64(user))]
  }

  private static let batteryLevel: BluetoothUUID = 0x2A19
  /// Observations of these have no series.
  private static let unobserved: Set<Quantity> = [.systolic, .diastolic, .meanPressure]

  /// Series and its scale; nil for what is not stored.
  private static func row(of quantity: Quantity, by sensor: HealthTwin) -> (series: Series, scale: Int64)? {
    if sensor is VirtualHealthSensor, unobserved.contains(quantity) { return nil }
    return rows.first { $0.quantity == quantity }.map { (series: $0.series, scale: $0.scale) }
  }

  private struct Row {
    let quantity: Quantity
    let series: Series
    let scale: Int64

    init(_ quantity: Quantity, _ series: Series, _ scale: Int64) {
      (self.quantity, self.series, self.scale) = (quantity, series, scale)
    }
  }

  /// Both have the same unit.
  private static let rows: [Row] = [
    Row(.temperature, .bodyTemperature, 1000),
    Row(.systolic, .systolicPressure, 100),
    Row(.diastolic, .diastolicPressure, 100),
    Row(.meanPressure, .meanPressure, 100),
    Row(.cuffPressure, .cuffPressure, 100),
    Row(.pulseRate, .pulseRate, 10),
    Row(.respirationRate, .respirationRate, 1),
    Row(.oxygenSaturation, .spo2, 1),
    Row(.pulseAmplitude, .pulseAmplitudeIndex, 100),
    Row(.weight, .weight, 1000),
    Row(.bodyMassIndex, .bodyMassIndex, 10),
    Row(.bodyFat, .bodyFat, 10),
    Row(.musclePercentage, .musclePercentage, 10),
    Row(.muscleMass, .muscleMass, 1000),
    Row(.fatFreeMass, .fatFreeMass, 1000),
    Row(.softLeanMass, .softLeanMass, 1000),
    Row(.bodyWaterMass, .bodyWaterMass, 1000),
    Row(.basalMetabolism, .basalMetabolism, 1),
    Row(.impedance, .bodyImpedance, 10),
    Row(.battery, .battery, 1),
  ]
}
