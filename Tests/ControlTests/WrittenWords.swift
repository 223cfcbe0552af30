// Words of documents as tests write them.

public import HubProtocol

extension Words.RadioPhase: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VisitTrigger: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VisitStage: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VisitConnection: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VisitOutcome: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.LanePriority: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.LaneHold: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.SlotOutlook: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.HubPhase: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.DeviceCondition: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.BatteryCharge: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.EnrolmentMode: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.GapReason: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.MeasurementEnd: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VitalsSensor: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VitalsBasis: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VitalsFinish: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.VitalsPhase: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.SyncProgress: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}
