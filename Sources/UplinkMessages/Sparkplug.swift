// Sparkplug B messages of an edge node: births, data and deaths of the hub and its wearables, with current values for
// live displays. Rows that must not be lost are sent as batches.

internal import SwiftProtobuf

/// Value of a metric, with the datatype that its birth announces.
public enum SparkplugValue: Sendable, Hashable {
  case int64(Int64)
  case double(Double)
  case boolean(Bool)
  case text(String)
  /// A Double that is unknown at present.
  case unknownDouble

  /// Numbers of the specification (Sparkplug 3.0, 6.4.16).
  var datatype: UInt32 {
    switch self {
    case .int64: 4
    case .double, .unknownDouble: 10
    case .boolean: 11
    case .text: 12
    }
  }
}

/// Metric of a birth or of data.
public struct SparkplugMetric: Sendable, Hashable {
  /// Name of the metric.
  public var name: String
  /// Value of the metric.
  public var value: SparkplugValue
  /// ms since 1970
  public var time: UInt64
  /// Unit of the value; empty: none.
  public var unit: String
  /// True if the value is not a current one.
  public var isHistorical: Bool

  /// A metric; `time` in the unit of the property.
  public init(_ name: String, _ value: SparkplugValue, time: UInt64, unit: String = "", isHistorical: Bool = false) {
    (self.name, self.value, self.time) = (name, value, time)
    (self.unit, self.isHistorical) = (unit, isHistorical)
  }
}

/// Edge node over consecutive connections: sequence numbers, aliases, and the devices born.
public struct SparkplugNode: Sendable {
  /// Metrics with an alias, of all wearables together: 64 each for 512 wearables.
  public static let aliasLimit = 32_768
  /// Metric that counts births and deaths.
  public static let birthAndDeath = "bdSeq"
  /// Command that requests another birth.
  public static let rebirth = "Node Control/Rebirth"

  private var sequence: UInt64 = 0
  private(set) var birthDeath: UInt64
  private var aliases: [String: UInt64] = [:]
  private var born: [String: Set<String>] = [:]
  private var nextAlias: UInt64 = 1

  /// Birth number of the latest connection.
  public var birth: UInt8 { UInt8(truncatingIfNeeded: birthDeath) }

  /// - Parameter birthDeath: birth number of the previous process's last connection.
  public init(birthDeath: UInt64) { self.birthDeath = birthDeath % 256 }

  /// Returns the will of the next connection, which is also the death for a regular end.
  public mutating func beginConnection() -> [UInt8] {
    birthDeath = (birthDeath + 1) % 256
    return death()
  }

  /// Death of the node, for the will.
  public func death() -> [UInt8] {
    var payload = SparkplugPayload()
    payload.metrics = [plain(SparkplugMetric(Self.birthAndDeath, .int64(Int64(birthDeath)), time: 0))]
    payload.metrics[0].clearTimestamp()
    return serialized(payload)
  }

  /// Restarts the sequence; all wearables have to be born again.
  public mutating func nodeBirth(_ metrics: [SparkplugMetric], time: UInt64) -> [UInt8] {
    sequence = 0
    born = [:]
    let own = [
      SparkplugMetric(Self.birthAndDeath, .int64(Int64(birthDeath)), time: time),
      SparkplugMetric(Self.rebirth, .boolean(false), time: time),
    ]
    return payload(own.map(plain) + metrics.map { announced($0, "") }, time)
  }

  /// Birth of a device with its metrics.
  public mutating func deviceBirth(_ device: String, _ metrics: [SparkplugMetric], time: UInt64) -> [UInt8] {
    born[device] = Set(metrics.map(\.name))
    return payload(metrics.map { announced($0, device) }, time)
  }

  /// Payload of a DDEATH message; `time` in ms since 1970. The device must be born again before its next data.
  public mutating func deviceDeath(_ device: String, time: UInt64) -> [UInt8] {
    born[device] = nil
    return payload([], time)
  }

  /// Values of metrics that were born. `device`: empty for the hub itself.
  public mutating func data(_ device: String, _ metrics: [SparkplugMetric], time: UInt64) -> [UInt8] {
    payload(metrics.map { known($0, device) }, time)
  }

  /// True after the birth of a device.
  public func isBorn(_ device: String) -> Bool { born[device] != nil }
  /// Whether its birth announced this metric.
  public func isBorn(_ device: String, _ metric: String) -> Bool { born[device]?.contains(metric) ?? false }

  // MARK: Parts

  private mutating func payload(_ metrics: [SparkplugPayload.Metric], _ time: UInt64) -> [UInt8] {
    var payload = SparkplugPayload()
    payload.timestamp = time
    payload.seq = sequence
    sequence = (sequence + 1) % 256
    payload.metrics = metrics
    return serialized(payload)
  }

  private func plain(_ metric: SparkplugMetric) -> SparkplugPayload.Metric {
    var message = SparkplugPayload.Metric()
    message.name = metric.name
    message.timestamp = metric.time
    message.datatype = metric.value.datatype
    Self.put(metric.value, in: &message)
    return message
  }

  private mutating func announced(_ metric: SparkplugMetric, _ device: String) -> SparkplugPayload.Metric {
    var message = plain(metric)
    let key = device + "\u{0}" + metric.name
    if let alias = aliases[key] {
      message.alias = alias
    } else if aliases.count < Self.aliasLimit {
      aliases[key] = nextAlias
      message.alias = nextAlias
      nextAlias += 1
    }
    if metric.isHistorical { message.isHistorical = true }
    if !metric.unit.isEmpty {
      var unit = SparkplugPayload.PropertyValue()
      unit.type = SparkplugValue.text("").datatype
      unit.stringValue = metric.unit
      message.properties.keys = ["engUnit"]
      message.properties.values = [unit]
    }
    return message
  }

  private func known(_ metric: SparkplugMetric, _ device: String) -> SparkplugPayload.Metric {
    var message = SparkplugPayload.Metric()
    if let alias = aliases[device + "\u{0}" + metric.name] { message.alias = alias } else { message.name = metric.name }
    message.timestamp = metric.time
    message.datatype = metric.value.datatype
    if metric.isHistorical { message.isHistorical = true }
    Self.put(metric.value, in: &message)
    return message
  }

  private static func put(_ value: SparkplugValue, in message: inout SparkplugPayload.Metric) {
    switch value {
    // Two's complement, as the specification demands for signed numbers.
    case .int64(let number): message.longValue = UInt64(bitPattern: number)
    case .double(let number): message.doubleValue = number
    case .boolean(let truth): message.booleanValue = truth
    case .text(let text): message.stringValue = text
    case .unknownDouble: message.isNull = true
    }
  }
}

/// Commands of a host to a node. A hub only supports the request for births.
public enum SparkplugCommand {
  /// A command has a few bytes; the broker may deliver any payload.
  public static let sizeLimit = 4096

  /// Whether the payload requests births. Never throws; other content is ignored.
  public static func asksForRebirth(_ bytes: [UInt8]) -> Bool {
    if bytes.count > sizeLimit { return false }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = 8
    options.discardUnknownFields = true
    guard let payload = try? SparkplugPayload(serializedBytes: bytes, options: options) else { return false }
    return payload.metrics.contains { $0.name == SparkplugNode.rebirth && $0.booleanValue }
  }
}
