// The methods of `io.hearth.Hub` about orders that last until they end: paused wearables and muted troubles.

public import EventLoop
public import Hub
internal import HubProtocol
public import Reasons

/// Orders of a hub, as the control socket needs them.
@LoopActor
public protocol PauseService {
  /// `until` nil: until it is resumed. Durable when they return.
  func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot
  func resume(_ which: String) async throws(HearthError) -> WearableSnapshot
  func mutes() -> [MuteSnapshot]
  /// `which` nil: of the hub and of all wearables. Durable when they return.
  func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot]
  func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot]
}

extension HubInterface: PauseMethods {
  func pause(_ parameters: Methods.Pause.Parameters) async throws -> Methods.Pause.Reply {
    let until = try time("until", parameters.until)
    return try await changed("pause \(harmless(parameters.name))\(Self.ending(until))", of: parameters.name) {
      .init(device: DeviceDocument(try await service.pause(parameters.name, until: until)))
    }
  }

  func resume(_ parameters: Methods.Resume.Parameters) async throws -> Methods.Resume.Reply {
    try await changed("resume \(harmless(parameters.name))", of: parameters.name) {
      .init(device: DeviceDocument(try await service.resume(parameters.name)))
    }
  }

  func mutes(_ parameters: Methods.Mutes.Parameters) -> Methods.Mutes.Reply {
    .init(mutes: service.mutes().map { MuteDocument($0) })
  }

  func mute(_ parameters: Methods.Mute.Parameters) async throws -> Methods.Mute.Reply {
    let reason = try Self.reason(parameters.code)
    let until = try time("until", parameters.until)
    let what = "mute \(reason.code)\(Self.concerning(parameters.name))\(Self.ending(until))"
    return try await changed(what, of: parameters.name) {
      .init(mutes: try await service.mute(reason, of: parameters.name, until: until).map { MuteDocument($0) })
    }
  }

  func unmute(_ parameters: Methods.Unmute.Parameters) async throws -> Methods.Unmute.Reply {
    let reason = try Self.reason(parameters.code)
    return try await changed("unmute \(reason.code)\(Self.concerning(parameters.name))", of: parameters.name) {
      .init(mutes: try await service.unmute(reason, of: parameters.name).map { MuteDocument($0) })
    }
  }

  private static func reason(_ code: String) throws(VarlinkError) -> Reason {
    guard let reason = Reason(code: code) else { throw .invalidParameter("code") }
    return reason
  }

  private static func ending(_ until: WallTime?) -> String { until.map { " until \($0.rfc3339)" } ?? "" }

  private static func concerning(_ name: String?) -> String { name.map { " of \(harmless($0))" } ?? "" }
}

extension MuteDocument {
  init(_ mute: MuteSnapshot) {
    self.init(
      code: mute.reason.code, sentence: mute.reason.text.sentence, device: mute.wearable, since: mute.since.rfc3339,
      until: mute.until?.rfc3339)
  }
}
