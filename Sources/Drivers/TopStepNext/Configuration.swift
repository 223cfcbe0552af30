// Configuration of automatic measuring: the parts that the hub reads and changes.

import Health
import TopStepMessages
import Wearable

/// Series that one configuration covers.
enum ConfigurationKind: UInt8, Sendable, Hashable, CaseIterable {
  case heartRate = 1
  case stress = 2
  case spo2 = 3

  var series: Series {
    switch self {
    case .heartRate: .heartRate
    case .stress: .stress
    case .spo2: .spo2
    }
  }

  var reading: TopStepTopic {
    switch self {
    case .heartRate: .heartRate
    case .stress: .stress
    case .spo2: .spo2
    }
  }

  var setting: TopStepTopic {
    switch self {
    case .heartRate: .setHeartRate
    case .stress: .setStress
    case .spo2: .setSpO2
    }
  }

  /// Topic by which the band reports that its wearer or another host changed the configuration.
  var changed: TopStepTopic {
    switch self {
    case .heartRate: .heartRateChanged
    case .stress: .stressChanged
    case .spo2: .spo2Changed
    }
  }

  var bit: CapabilityBytes.Bit {
    switch self {
    case .heartRate: .heartRate
    case .stress: .stress
    case .spo2: .spo2
    }
  }
}

/// Configuration message of one kind. Fields that the hub does not know are preserved.
enum Configuration: Sendable, Hashable {
  case heartRate(TopStepHeartRateConfiguration)
  case other(TopStepMonitorConfiguration)

  init(_ kind: ConfigurationKind, _ bytes: [UInt8]) throws(MalformedMessage) {
    switch kind {
    case .heartRate: self = .heartRate(try TopStepHeartRateConfiguration(wire: bytes))
    case .stress, .spo2: self = .other(try TopStepMonitorConfiguration(wire: bytes))
    }
  }

  func wire() throws(MalformedMessage) -> [UInt8] {
    switch self {
    case .heartRate(let message): try message.wire()
    case .other(let message): try message.wire()
    }
  }

  // MARK: Reading

  private var monitor: TopStepMonitor? {
    switch self {
    case .heartRate(let message): message.hasMonitor ? message.monitor : nil
    case .other(let message): message.hasMonitor ? message.monitor : nil
    }
  }

  private var alarms: (rest: TopStepAlarm?, exercise: TopStepAlarm?) {
    switch self {
    case .heartRate(let message):
      (
        message.hasRestingAlarm ? message.restingAlarm : nil, message.hasExerciseAlarm ? message.exerciseAlarm : nil
      )
    case .other(let message): (message.hasAlarm ? message.alarm : nil, nil)
    }
  }

  private static let minute = 60
  /// Limits that no rate passes: rates of a band are one byte, and 0 means no rate.
  private static let never: (min: UInt32, max: UInt32) = (0, 255)

  /// Configuration as an order. An alarm that is off has no limits.
  var order: MonitoringOrder {
    var order = MonitoringOrder()
    order.isOn = monitor?.enabled ?? false
    if let monitor {
      order.window = MonitoringWindow(begin: Int(monitor.start), end: Int(monitor.end))
      if monitor.interval > 0 { order.interval = Int(monitor.interval) * Self.minute }
    }
    func put(_ alarm: TopStepAlarm?, _ below: MonitoringLimit, _ above: MonitoringLimit) {
      guard let alarm, alarm.enabled else { return }
      if alarm.min > Self.never.min { order.limits[below] = Int64(alarm.min) }
      if alarm.max > 0, alarm.max < Self.never.max { order.limits[above] = Int64(alarm.max) }
    }
    put(alarms.rest, .restBelow, .restAbove)
    put(alarms.exercise, .exerciseBelow, .exerciseAbove)
    if case .heartRate(let message) = self, MonitoringOrder.maximumHeartRates.contains(Int(message.maximum)) {
      order.maximumHeartRate = Int(message.maximum)
    }
    return order
  }

  /// Orders that this band accepts. If the band lacks an alarm, the message lacks its part.
  var gates: SeriesCapabilities {
    var gates: SeriesCapabilities = [.monitoring, .monitoringWindow, .monitoringInterval]
    guard case .heartRate = self else { return gates }
    if alarms.rest != nil { gates.insert(.restAlert) }
    if alarms.exercise != nil { gates.insert(.exerciseAlert) }
    return gates
  }

  // MARK: Changing

  /// Configuration changed by an order. Everything else stays as it is, with one exception. Both limits of an alarm
  /// share one switch, so an order of one limit would also activate the other. If the alarm was off, the other limit
  /// becomes a value that never triggers.
  func with(_ order: MonitoringOrder) -> Configuration {
    var monitor = monitor ?? TopStepMonitor()
    if let isOn = order.isOn { monitor.enabled = isOn }
    // Window and interval have no meaning if measuring is off.
    if order.isOn != false {
      if let window = order.window { (monitor.start, monitor.end) = (UInt32(window.begin), UInt32(window.end)) }
      if let interval = order.interval { monitor.interval = UInt32(clamping: interval / Self.minute) }
    }
    var result = self
    if order.isOn != nil || order.window != nil || order.interval != nil { result.put(monitor) }
    guard case .heartRate(var message) = result else { return result }
    func alarm(_ now: TopStepAlarm, _ below: MonitoringLimit, _ above: MonitoringLimit) -> TopStepAlarm? {
      var alarm = now
      let (low, high) = (order.limits[below], order.limits[above])
      if low == nil && high == nil { return nil }
      if !now.enabled { (alarm.min, alarm.max) = Self.never }
      alarm.enabled = true
      if let low { alarm.min = UInt32(clamping: low) }
      if let high { alarm.max = UInt32(clamping: high) }
      return alarm
    }
    if let rest = alarm(message.restingAlarm, .restBelow, .restAbove) { message.restingAlarm = rest }
    if let exercise = alarm(message.exerciseAlarm, .exerciseBelow, .exerciseAbove) { message.exerciseAlarm = exercise }
    if let maximum = order.maximumHeartRate { message.maximum = UInt32(clamping: maximum) }
    return .heartRate(message)
  }

  /// Configuration with these parts restored from an earlier one, because they are no longer ordered.
  func with(_ parts: MonitoringParts, of before: Configuration) -> Configuration {
    var result = self
    if !parts.isDisjoint(with: [.isOn, .window, .interval]) {
      var monitor = monitor ?? TopStepMonitor()
      let old = before.monitor ?? TopStepMonitor()
      if parts.contains(.isOn) { monitor.enabled = old.enabled }
      if parts.contains(.window) { (monitor.start, monitor.end) = (old.start, old.end) }
      if parts.contains(.interval) { monitor.interval = old.interval }
      result.put(monitor)
    }
    guard case .heartRate(var message) = result, case .heartRate(let old) = before else { return result }
    if parts.contains(.restLimits) { message.restingAlarm = old.restingAlarm }
    if parts.contains(.exerciseLimits) { message.exerciseAlarm = old.exerciseAlarm }
    if parts.contains(.maximumHeartRate) { message.maximum = old.maximum }
    return .heartRate(message)
  }

  private mutating func put(_ monitor: TopStepMonitor) {
    switch self {
    case .heartRate(var message):
      message.monitor = monitor
      self = .heartRate(message)
    case .other(var message):
      message.monitor = monitor
      self = .other(message)
    }
  }
}
