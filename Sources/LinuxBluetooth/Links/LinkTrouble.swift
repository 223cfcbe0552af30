// Interpretation of the kernel's errno for a link. The errno alone is ambiguous, so it is combined with events of the
// management channel about the same link.

import Bluetooth
import CLinux
import Glibc

/// Events of the management channel about one link or attempt.
struct LinkEvidence: Sendable, Equatable {
  /// Status of Connect Failed; "no resources" means that the controller reported no free slot.
  var connectStatus: ManagementStatus?
  var disconnectReason: DisconnectReason?
  /// Whether the controller refused the link for another reason than its slots. That is Connect Failed with a status of
  /// Command Status (NOTES.md, "Refusals"), not a failure on the air or of the wearable.
  var isRefusal: Bool {
    connectStatus.map { [.failed, .alreadyConnected, .busy, .invalidParameters].contains($0) } ?? false
  }
  /// Whether the wearable was heard since the attempt began.
  var wasHeard = false
  /// Whether the adapter still serves.
  var adapterServes = true
}

enum LinkTrouble {
  /// Interprets an errno while the channel is being made.
  static func whileConnecting(_ code: Int32, _ evidence: LinkEvidence = LinkEvidence()) -> LinkError {
    if evidence.connectStatus == .noResources { return .slotsFull }
    if !evidence.adapterServes { return .adapterGone }
    switch code {
    // The channel timer expired: the wearable was not heard, or heard without a link.
    case ECONNREFUSED: return evidence.wasHeard ? .timedOut : .notHeard
    // LE Create Connection got no response (HCI 0x08).
    case ETIMEDOUT: return .timedOut
    // HCI 0x3E is missing in the kernel's table and becomes ENOSYS.
    case ENOSYS: return .failedToEstablish
    // HCI 0x02: another process cancelled the attempt.
    case ENOTCONN: return .aborted
    default: return common(code)
    }
  }

  /// Interprets an errno of a channel that was open; 0 if the channel ended without one.
  static func whileConnected(_ code: Int32, _ evidence: LinkEvidence = LinkEvidence()) -> LinkError {
    if !evidence.adapterServes { return .adapterGone }
    switch evidence.disconnectReason {
    case .authenticationFailure?: return .authenticationFailed
    case .timeout?: return .linkLost
    // The hub closes a channel before it disconnects. An open channel with this reason was cut by this host: power off,
    // suspend, reset.
    case .localHost?, .suspended?: return .adapterGone
    case .remote?, .unknown?, nil: break
    }
    switch code {
    case 0, ENOTCONN: return .peerClosed
    case ETIMEDOUT: return .linkLost
    default: return common(code)
    }
  }

  private static func common(_ code: Int32) -> LinkError {
    switch code {
    case ECONNRESET: .peerClosed
    case EACCES: .authenticationFailed
    case EBADE: .keyMissing
    case ENOMEM, EMLINK: .slotsFull
    case ECONNABORTED, EHOSTUNREACH, EHOSTDOWN, ENETDOWN, ENODEV: .adapterGone
    default: .system(errno: code)
    }
  }
}
