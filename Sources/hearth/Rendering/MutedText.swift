// Muted troubles, as far as a page needs them: for its text and its exit code.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// Mutes by code and wearable, each with its end.
struct KnownMutes {
  private var all: [(code: String, device: String?, until: String?)] = []

  init() {}

  init(_ status: StatusDocument) {
    all = (status.muted ?? []).map { ($0.reason.code, $0.device, $0.mutedUntil) }
  }

  init(_ mutes: [MuteDocument]) { all = mutes.map { ($0.code, $0.device, $0.until) } }

  /// Reads the mutes of the hub; empty for a hub without this method.
  init(_ client: ControlClient) throws(HearthError) {
    var mutes: [MuteDocument] = []
    do throws(HearthError) { mutes = try client.mutes().mutes } catch {
      if error.reason != .controlUnknownMethod { throw error }
    }
    self.init(mutes)
  }

  /// Whether a trouble of the hub itself, or of this wearable, is muted.
  func covers(_ code: String?, of device: String? = nil) -> Bool { code.map { end(of: $0, device) != nil } ?? false }

  /// `muted until 2026-11-22 07:00:00`; nil if it is not muted.
  func words(_ code: String, _ time: HubTime) -> String? { end(of: code, nil).map { mutedWords($0.until, time) } }

  private func end(of code: String, _ device: String?) -> (code: String, device: String?, until: String?)? {
    all.first { $0.code == code && ($0.device == nil || $0.device == device) }
  }
}

/// `muted until 2026-11-22 07:00:00`
func mutedWords(_ until: String?, _ time: HubTime) -> String {
  "muted \(until.map { "until \(time.text($0))" } ?? "until it is unmuted")"
}
