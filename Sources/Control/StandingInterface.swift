// The methods of `io.hearth.Hub` about orders that stand until they end: wearables that are left alone, and troubles
// that are not told.

public import EventLoop
public import Hub
internal import HubProtocol
public import Reasons

/// What the control socket needs of a hub for these orders.
@LoopActor
public protocol StandingService {
  /// `until` nil: until it is resumed. Durable when they return.
  func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot
  func resume(_ which: String) async throws(HearthError) -> WearableSnapshot
  func mutes() -> [MuteSnapshot]
  /// `which` nil: of the hub and of all wearables. Durable when they return.
  func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot]
  func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot]
}

extension HubInterface {
  /// nil if the method is none of these.
  func performStanding(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Pause":
      let name = try parameters.text("name")
      let until = try time("until", &parameters)
      try parameters.end()
      return try await changed("pause \(harmless(name))\(Self.ending(until))", of: name) {
        () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.pause(name, until: until)))]
      }
    case "Resume":
      let name = try parameters.text("name")
      try parameters.end()
      return try await changed("resume \(harmless(name))", of: name) { () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.resume(name)))]
      }
    case "Mutes":
      try parameters.end()
      return Self.reply(service.mutes())
    case "Mute":
      let (reason, name) = try muted(&parameters)
      let until = try time("until", &parameters)
      try parameters.end()
      let what = "mute \(reason.code)\(name.map { " of \(harmless($0))" } ?? "")\(Self.ending(until))"
      return try await changed(what, of: name) { () async throws(HearthError) in
        Self.reply(try await service.mute(reason, of: name, until: until))
      }
    case "Unmute":
      let (reason, name) = try muted(&parameters)
      try parameters.end()
      return try await changed("unmute \(reason.code)\(name.map { " of \(harmless($0))" } ?? "")", of: name) {
        () async throws(HearthError) in
        Self.reply(try await service.unmute(reason, of: name))
      }
    default: return nil
    }
  }

  private func muted(_ parameters: inout Parameters) throws(VarlinkError) -> (Reason, String?) {
    guard let reason = Reason(code: try parameters.text("code")) else { throw .invalidParameter("code") }
    return (reason, try parameters.optionalText("name"))
  }

  private static func ending(_ until: WallTime?) -> String { until.map { " until \($0.rfc3339)" } ?? "" }

  private static func reply(_ mutes: [MuteSnapshot]) -> JSON {
    ["mutes": JSON(encoding: mutes.map { MuteDocument($0) })]
  }
}

extension MuteDocument {
  init(_ mute: MuteSnapshot) {
    self.init(
      code: mute.reason.code, sentence: mute.reason.text.sentence, device: mute.wearable, since: mute.since.rfc3339,
      until: mute.until?.rfc3339)
  }
}
