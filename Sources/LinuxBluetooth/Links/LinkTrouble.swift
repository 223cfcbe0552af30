// What the kernel's errno means for a link. The errno alone is ambiguous, so what the management channel said about the
// same link is taken into account where it is known.

import Bluetooth
import CLinux
import Glibc

/// What the management channel told about one link or attempt.
struct LinkEvidence: Sendable, Equatable {
  /// The controller advertised no slot left (Connect Failed with status "no resources").
  var connectStatus: ManagementStatus?
  var disconnectReason: DisconnectReason?
  /// The controller would not make the link, for another reason than its slots: Connect Failed with a status of Command
  /// Status (NOTES.md, "Refusals"), and nothing that the air or the wearable does.
  var isRefusal: Bool {
    connectStatus.map { [.failed, .alreadyConnected, .busy, .invalidParameters].contains($0) } ?? false
  }
  /// The wearable was heard since the attempt began.
  var wasHeard = false
  /// The adapter still serves.
  var adapterServes = true
}

enum LinkTrouble {
  /// The meaning of an errno while the channel is being made.
  static func whileConnecting(_ code: Int32, _ evidence: LinkEvidence = LinkEvidence()) -> LinkError {
    if evidence.connectStatus == .noResources { return .slotsFull }
    if !evidence.adapterServes { return .adapterGone }
    switch code {
    // The channel timer ran out before the wearable was heard, or heard but never caught.
    case ECONNREFUSED: return evidence.wasHeard ? .timedOut : .notHeard
    // LE Create Connection stayed unanswered (HCI 0x08).
    case ETIMEDOUT: return .timedOut
    // HCI 0x3E has no row in the kernel's table and falls to ENOSYS.
    case ENOSYS: return .failedToEstablish
    // HCI 0x02: the attempt was cancelled under us.
    case ENOTCONN: return .aborted
    default: return common(code)
    }
  }

  /// The meaning of an errno of a channel that was open; 0 if the channel ended without one.
  static func whileConnected(_ code: Int32, _ evidence: LinkEvidence = LinkEvidence()) -> LinkError {
    if !evidence.adapterServes { return .adapterGone }
    switch evidence.disconnectReason {
    case .authenticationFailure?: return .authenticationFailed
    case .timeout?: return .linkLost
    // We close before we disconnect, so a channel that hears of it was cut by somebody else on this host: power off,
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
