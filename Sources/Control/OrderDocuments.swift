// What the control socket says about orders, wearers and what wearables tell of themselves.

public import Hub
public import Wearable

/// Something an operator may ask of a wearable.
public struct ActionDocument: Codable, Sendable, Hashable {
  public var name: String
  /// One sentence.
  public var summary: String
  /// What may follow it: `TYPE [rate=HZ]`; empty where nothing may.
  public var usage: String

  public init(name: String, summary: String, usage: String = "") {
    self.name = name
    self.summary = summary
    self.usage = usage
  }

  public init(_ action: WearableAction) { self.init(name: action.name, summary: action.summary, usage: action.usage) }
}

/// What a wearable tells of itself, read from it at that moment.
public struct ReportDocument: Codable, Sendable, Hashable {
  public struct Row: Codable, Sendable, Hashable {
    public var name: String
    /// By name, in an order for people.
    public var fields: Texts
  }

  public var schema = "io.hearth.report/1"
  public var device: String
  public var topic: String
  public var rows: [Row]

  public init(device: String, topic: String, rows: [ReportRow]) {
    self.device = device
    self.topic = topic
    self.rows = rows.map { Row(name: $0.name, fields: Texts($0.fields.map { ($0.name, $0.value) })) }
  }
}

/// What people want of one wearable.
public struct OrdersDocument: Codable, Sendable, Hashable {
  /// What can be ordered of one series.
  public struct RateChoice: Codable, Sendable, Hashable {
    public var series: String
    /// Hz, slowest first; none: it says only over a link which it has.
    public var rates: [Int]
    /// Of these: while anything streams so, the wearable tells no heart rate.
    public var withoutHeartRate: [Int]
  }

  public struct Switch: Codable, Sendable, Hashable {
    public var name: String
    /// One sentence.
    public var summary: String
    /// It is ordered to be off.
    public var off: Bool
  }

  /// A setting that it keeps by itself.
  public struct Setting: Codable, Sendable, Hashable {
    public var name: String
    /// One sentence.
    public var summary: String
    /// What may be ordered; empty for a number.
    public var values: [String]
    public var lowest: Int?
    public var highest: Int?
    /// Of a number; empty where it has none.
    public var unit: String?
    /// Nil: it is left as it is.
    public var ordered: String?

    init(_ order: SettingOrder) {
      name = order.setting.name
      summary = order.setting.summary
      ordered = order.value
      switch order.setting.choice {
      case .words(let words): values = words
      case .number(let range, let itsUnit): (values, lowest, highest, unit) = ([], range.lowerBound, range.upperBound, itsUnit)
      }
    }
  }

  public var schema = "io.hearth.orders/1"
  public var device: String
  /// Series that it is to send live, beside what it sends anyway.
  public var streams: [String]
  /// Hz, by series; what is not in it follows the link's profile.
  public var rates: OrderedMap<Int>
  public var rateChoices: [RateChoice]
  /// It has one; nothing says what it is.
  public var secret: Bool
  /// Features that it can switch off.
  public var switches: [Switch]
  public var settings: [Setting]
  /// Who wears it now; nil for nobody known.
  public var wearer: String?

  public init(_ orders: OrdersSnapshot) {
    device = orders.wearable
    streams = orders.streams.map(\.name)
    rates = OrderedMap(orders.rates.map { ($0.series.name, $0.hertz) })
    rateChoices = orders.rateChoices.map { series, rates in
      RateChoice(series: series.name, rates: rates.map(\.hertz), withoutHeartRate: rates.filter(\.silencesHeartRate).map(\.hertz))
    }
    secret = orders.hasSecret
    switches = orders.switches.map { Switch(name: $0.switch.name, summary: $0.switch.summary, off: $0.isOff) }
    settings = orders.settings.map { Setting($0) }
    wearer = orders.wearer
  }
}

/// Somebody who wears wearables.
public struct WearerDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.wearer/1"
  public var number: UInt32
  public var name: String
  public var entered: String
  /// Since when nothing new is assigned.
  public var retired: String?
  /// `1971-03-05`
  public var born: String?
  /// `female`, `male`
  public var sex: String?
  public var heightCm: Int?
  public var weightKg: Int?
  /// Beats a minute.
  public var maximumHeartRate: Int?
  public var restingHeartRate: Int?
  /// ml/kg/min
  public var vo2Max: Int?
  /// `occasional`, `regular`, `frequent`, `heavy`, `semi-pro`, `pro`
  public var trainingBackground: String?
  /// `sitting`, `standing`, `moving`
  public var typicalDay: String?
  public var sleepGoalMinutes: Int?
  /// Wearables that are on this wearer now.
  public var wears: [String]

  public init(_ snapshot: WearerSnapshot) {
    let wearer = snapshot.wearer
    number = wearer.id.number
    name = wearer.name
    entered = wearer.createdAt.rfc3339
    retired = wearer.retiredAt?.rfc3339
    born = wearer.body.born?.text
    sex = wearer.body.sex?.name
    heightCm = wearer.body.height
    weightKg = wearer.body.weight
    maximumHeartRate = wearer.body.maximumHeartRate
    restingHeartRate = wearer.body.restingHeartRate
    vo2Max = wearer.body.vo2Max
    trainingBackground = wearer.body.trainingBackground?.name
    typicalDay = wearer.body.typicalDay?.name
    sleepGoalMinutes = wearer.body.sleepGoal
    wears = snapshot.wears
  }
}

/// Who a wearable was, is and will be on.
public struct AssignmentsDocument: Codable, Sendable, Hashable {
  public struct Entry: Codable, Sendable, Hashable {
    /// Until the next one's.
    public var from: String
    /// Nil: nobody.
    public var wearer: String?
    public var entered: String
  }

  public var schema = "io.hearth.assignments/1"
  public var device: String
  /// In the order of time.
  public var assignments: [Entry]

  public init(device: String, _ found: [AssignmentSnapshot]) {
    self.device = device
    assignments = found.map { Entry(from: $0.from.rfc3339, wearer: $0.wearer, entered: $0.enteredAt.rfc3339) }
  }
}
