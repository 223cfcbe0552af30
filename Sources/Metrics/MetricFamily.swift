// Metric: a name with its kind, unit and help, and its current values.

internal import EventLoop

/// Values of one name, distinguished by their labels.
public struct MetricFamily: Sendable {
  /// Kind of a metric.
  public enum Kind: String, Sendable { case gauge, counter }

  /// Base units only; the name ends with the unit (a counter's before its `_total`).
  public enum Unit: String, Sendable { case seconds, bytes, ratio }

  /// Name without the `_total` of a counter. Letters, digits and `_`; begins with `hearth_`.
  public let name: String
  /// Kind of the metric.
  public let kind: Kind
  /// Unit of the values; nil: without one.
  public let unit: Unit?
  /// Description for people.
  public let help: String
  /// Values with their labels.
  public private(set) var samples: [MetricSample] = []

  /// A family without values.
  public init(_ name: String, _ kind: Kind, unit: Unit? = nil, _ help: String) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.help = help
  }

  /// A family of gauges without values: numbers that rise and fall.
  public static func gauge(_ name: String, unit: Unit? = nil, _ help: String) -> MetricFamily {
    MetricFamily(name, .gauge, unit: unit, help)
  }

  /// A family of counters without values: numbers that only grow.
  public static func counter(_ name: String, unit: Unit? = nil, _ help: String) -> MetricFamily {
    MetricFamily(name, .counter, unit: unit, help)
  }

  /// Copy with one value more; nil means unknown and is left out.
  func adding(_ value: MetricValue?, _ labels: (name: String, text: String)...) -> MetricFamily {
    guard let value else { return self }
    var family = self
    family.samples.append(MetricSample(labels: labels, value: value))
    return family
  }

  /// Copy with one value for each element of a list.
  func adding<Item>(_ items: some Sequence<Item>, _ sample: (Item) -> MetricSample?) -> MetricFamily {
    var family = self
    family.samples += items.compactMap(sample)
    return family
  }
}

/// Value with its labels.
public struct MetricSample: Sendable {
  /// Labels in order.
  public let labels: [(name: String, text: String)]
  /// Number in the base unit of its family.
  public let value: MetricValue

  /// A value; `labels` by name, in the order of the text.
  public init(labels: [(name: String, text: String)] = [], value: MetricValue) {
    self.labels = labels
    self.value = value
  }
}

/// Number with its text form.
public enum MetricValue: Sendable, Equatable {
  case count(UInt64)
  case number(Double)

  static func whole(_ value: Int) -> MetricValue { value < 0 ? .number(Double(value)) : .count(UInt64(value)) }
  static func truth(_ value: Bool) -> MetricValue { .count(value ? 1 : 0) }
  static func seconds(_ value: Duration) -> MetricValue { .number(value.inSeconds) }
  /// Time since `time`; at least zero, also after the clock was set back.
  static func age(_ time: WallTime, _ now: WallTime) -> MetricValue { .seconds(max(.zero, now - time)) }

  /// Digits, with a decimal point for a fraction. nil for NaN and infinity: a reader would reject the file or accept a
  /// wrong value.
  var text: String? {
    switch self {
    case .count(let value): "\(value)"
    case .number(let value) where !value.isFinite: nil
    case .number(let value):
      // Whole numbers below this size are exact.
      value == value.rounded() && value.magnitude < 9e15 ? "\(Int64(value))" : "\(value)"
    }
  }
}
