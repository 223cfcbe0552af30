// What the control socket says about orders, wearers and what wearables report of themselves.

public import Hub
public import HubProtocol
public import Wearable

extension ActionDocument {
  /// Converts an action that a wearable offers.
  public init(_ action: WearableAction) { self.init(name: action.name, summary: action.summary, usage: action.usage) }
}

extension ReportDocument {
  /// Converts the rows of a report.
  public init(device: String, topic: String, rows: [ReportRow]) {
    self.init(
      device: device, topic: topic,
      rows: rows.map { Row(name: $0.name, fields: Texts($0.fields.map { ($0.name, $0.value) })) })
  }
}

extension OrdersDocument.Setting {
  init(_ order: SettingOrder) {
    let setting = order.setting
    switch setting.choice {
    case .words(let words):
      self.init(name: setting.name, summary: setting.summary, values: words, ordered: order.value)
    case .number(let range, let unit):
      self.init(
        name: setting.name, summary: setting.summary, values: [], lowest: range.lowerBound, highest: range.upperBound,
        unit: unit, ordered: order.value)
    }
  }
}

extension OrdersDocument.Skipped {
  init(_ order: SkippedOrder) { self.init(what: order.series.name, reason: TroubleDocument(order.refusal)) }
}

extension OrdersDocument {
  /// Converts the orders for a wearable.
  public init(
    _ orders: OrdersSnapshot, _ schedule: ScheduleSnapshot? = nil, _ collection: CollectionSnapshot? = nil
  ) {
    self.init(
      device: orders.wearable, streams: orders.streams.map(\.name),
      rates: OrderedMap(orders.rates.map { ($0.series.name, $0.hertz) }),
      rateChoices: orders.rateChoices.map { series, rates in
        RateChoice(
          series: series.name, rates: rates.map(\.hertz),
          withoutHeartRate: rates.filter(\.silencesHeartRate).map(\.hertz))
      },
      secret: orders.hasSecret,
      switches: orders.switches.map { Switch(name: $0.switch.name, summary: $0.switch.summary, off: $0.isOff) },
      settings: orders.settings.map { Setting($0) }, measure: schedule.flatMap { Measure($0) },
      collection: collection.flatMap { Collection($0) },
      wearer: orders.wearer,
      skipped: orders.skipped.isEmpty ? nil : orders.skipped.map { Skipped($0) })
  }
}

extension OrdersDocument.Measure {
  /// nil: no schedule.
  init?(_ found: ScheduleSnapshot) {
    guard let schedule = found.schedule else { return nil }
    self.init(
      text: schedule.text, everyS: schedule.every, seconds: schedule.seconds, next: found.next?.rfc3339,
      skipped: found.skipped?.at.rfc3339, why: found.skipped?.why)
  }
}

extension WearerDocument {
  /// Converts a wearer.
  public init(_ snapshot: WearerSnapshot) {
    let wearer = snapshot.wearer
    self.init(
      number: wearer.id.number, name: wearer.name, id: wearer.houseID, entered: wearer.createdAt.rfc3339,
      retired: wearer.retiredAt?.rfc3339, born: wearer.body.born?.text, sex: wearer.body.sex?.name,
      heightCm: wearer.body.height, weightKg: wearer.body.weight, maximumHeartRate: wearer.body.maximumHeartRate,
      restingHeartRate: wearer.body.restingHeartRate, vo2Max: wearer.body.vo2Max,
      trainingBackground: wearer.body.trainingBackground?.name, typicalDay: wearer.body.typicalDay?.name,
      sleepGoalMinutes: wearer.body.sleepGoal, takeOff: wearer.body.isTakenOff, wears: snapshot.wears)
  }
}

extension AssignmentsDocument {
  /// Converts the assignments of a wearable.
  public init(device: String, _ found: [AssignmentSnapshot]) {
    self.init(
      device: device,
      assignments: found.map { Entry(from: $0.from.rfc3339, wearer: $0.wearer, entered: $0.enteredAt.rfc3339) })
  }
}
