// The kind of sensor that a wearable is for a measurement of vital signs. Decided before its stream is requested, from
// its live capabilities and its description. What a strap really sends shows only in its packets.

import Health
import Reasons
import Vitals
import Wearable

/// Way in which one wearable is measured.
struct VitalsSensor: Equatable {
  var sensor: SensorClass
  /// False if its contact bits are unreliable.
  var trustsContact = true

  init(_ sensor: SensorClass) { self.sensor = sensor }

  /// Streams to request beside those that people ordered.
  var streams: Set<Series> { isOptical ? [.ppi] : [] }
  var isOptical: Bool { sensor == .optical || sensor == .opticalWrist }
  /// Whether it measures once, or as it likes: then its silence is no gap.
  var isSpot: Bool {
    switch sensor {
    case .thermometer, .cuff, .scale, .oximeter: true
    case .electrical, .optical, .opticalWrist, .rateOnly: false
    }
  }
  /// µs to wait for its first link.
  var patience: Int64 {
    typealias Limit = MeasurementSession.Limit
    return isSpot ? Limit.singleReading : isOptical ? Limit.batches : Limit.connection
  }
  var screening: IntervalScreening { IntervalScreening(trustsContact: trustsContact) }

  /// µs between two packets of its stream; 0 if it sends as it measures. Polar's optical sensors collect for 5 s.
  var batchSpacing: Int64 { isOptical ? 5_000_000 : 0 }
}

extension VitalsSensor {
  /// The kind for these series; nil if vital signs cannot be derived from them.
  ///
  /// - Parameters:
  ///   - live: series that it may send, as far as known.
  ///   - ordered: series among them that it sends on request.
  ///   - model: model, kind or name, as far as known.
  init?(live: Set<Series>, ordered: Set<Series>, model: String) {
    if live.contains(.ppi), ordered.contains(.ppi) {
      let name = model.lowercased()
      // By name: Body Sensor Location (2A38) has no value for the arm, so an arm sensor's location is no evidence.
      self.init(Self.armSensors.contains { name.holds($0) } ? .optical : .opticalWrist)
      trustsContact = !Self.tableContact.contains { name.holds($0) }
    } else if live.contains(.rrInterval) {
      self.init(.electrical)
    } else if live.contains(.heartRate) {
      self.init(.rateOnly)
    } else if live.contains(.spo2) {
      self.init(.oximeter)
    } else if live.contains(.bodyTemperature) {
      self.init(.thermometer)
    } else if live.contains(.systolicPressure) {
      self.init(.cuff)
    } else if live.contains(.weight) {
      self.init(.scale)
    } else {
      return nil
    }
  }

  /// Kinds of wearables that measure once.
  fileprivate static let ofKind: [String: SensorClass] = [
    "cuff": .cuff, "scale": .scale, "thermometer": .thermometer, "oximeter": .oximeter,
  ]

  /// Polar's optical sensors for the arm, by the names that they report: Verity Sense (its model number is INW4J) and
  /// OH1. Any other with pulse intervals is a band or a watch at the wrist, for which fewer results are reported.
  private static let armSensors = ["sense", "inw4j", "oh1"]
  /// The Verity Sense reports contact even on a table.
  private static let tableContact = ["sense", "inw4j"]
}

extension EnrolledWearable {
  /// The kind of sensor, as far as known now.
  ///
  /// - Throws: `requestUnsupported` if it sends no usable values, with the series that it measures by order.
  func vitalsSensor() throws(HearthError) -> VitalsSensor {
    guard let driver else { throw HearthError(.driverMissing, "\(name): no driver of this hub knows it") }
    let known = known(nil)
    let capabilities = capabilities
    // Before the first link the driver's list says little of this wearable; its kind is the better guide.
    if capabilities == nil, let sensor = VitalsSensor.ofKind[record.kind] { return VitalsSensor(sensor) }
    let live = capabilities?.series(with: .live) ?? driver.capabilities.live
    let ordered =
      capabilities?.series(with: .streamed) ?? driver.streaming.map { $0.streams(of: known) ?? live } ?? []
    let model = [known.model, record.kind, known.advertisedName].compactMap { $0 }.joined(separator: " ")
    let found = VitalsSensor(live: Set(live), ordered: Set(ordered), model: model)
    if let found { return found }
    throw HearthError(.requestUnsupported, "\(name) sends no live values for vital signs; \(byOrder)")
  }

  private var byOrder: String {
    let series = capabilities?.series(with: .onDemand) ?? driver?.capable?.furtherCapabilities.series(with: .onDemand)
    guard let series, let first = series.first else { return "by order it measures no series either" }
    let names = series.map(\.name).joined(separator: ", ")
    return "by order it measures \(names): hearth measure \(name) \(first.name)"
  }
}
