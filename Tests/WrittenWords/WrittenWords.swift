// Words of documents as tests write them.

public import HubProtocol

public protocol WrittenWord: Word, ExpressibleByStringLiteral where StringLiteralType == String {}

extension WrittenWord {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Words.RadioPhase: WrittenWord {}
extension Words.VisitTrigger: WrittenWord {}
extension Words.VisitStage: WrittenWord {}
extension Words.VisitConnection: WrittenWord {}
extension Words.VisitOutcome: WrittenWord {}
extension Words.LanePriority: WrittenWord {}
extension Words.LaneHold: WrittenWord {}
extension Words.SlotOutlook: WrittenWord {}
extension Words.HubPhase: WrittenWord {}
extension Words.DeviceCondition: WrittenWord {}
extension Words.BatteryCharge: WrittenWord {}
extension Words.EnrolmentMode: WrittenWord {}
extension Words.GapReason: WrittenWord {}
extension Words.MeasurementEnd: WrittenWord {}
extension Words.VitalsSensor: WrittenWord {}
extension Words.VitalsBasis: WrittenWord {}
extension Words.VitalsFinish: WrittenWord {}
extension Words.VitalsPhase: WrittenWord {}
extension Words.SyncProgress: WrittenWord {}
