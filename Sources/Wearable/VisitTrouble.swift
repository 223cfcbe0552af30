// Failures of a visit's stage. The hub's table determines the consequence of each, not the driver.

public import Bluetooth
internal import EventLoop
public import Reasons

/// Reason why a stage ended without its result.
public enum VisitTrouble: Error, Sendable, Hashable {
  /// The link ended or is unusable.
  case link(GATTError)
  /// The wearable refused a request; the link is unaffected.
  case refused(ATTErrorCode, what: String)
  /// The wearable responded that it is busy.
  case busy(what: String, retryAfter: Duration?)
  /// The wearable violated its own protocol: the link is ended, and after a reconnect the work resumes at its last
  /// position.
  case framing(String)
  /// The wearable did not answer within the time of its protocol.
  case silent(what: String)
  /// The hub ended the link, because the turn was long over and no point came at which the transfer could pause. Only
  /// the hub throws this.
  case overran
  /// The wearable lacks it, or this program does not know it (a version, a format). No data is erased.
  case unsupported(String)
  /// The store is full: the data stays on the wearable.
  case noRoom(String)
  /// A person has to act.
  case needsAttention(Reason, String)
}

/// Defect of an item's bytes. No data is erased.
public enum ItemDefect: Error, Sendable, Hashable {
  /// The bytes end too early.
  case cut(String)
  case malformed(String)
  /// A version or kind that this program does not know; the bytes are stored unchanged.
  case unknownVersion(String)
  /// Encrypted, without a known key; the bytes are stored unchanged. A driver that gets the key later lists the item
  /// under another mark.
  case locked(String)
}

extension ATTErrorCode {
  /// Whether encryption, a stronger key or authorization would change the answer.
  public var wantsSecurity: Bool {
    self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeyTooShort
      || self == .insufficientAuthorization
  }
}

extension GATTError {
  /// Whether the wearable requires an encrypted link, a stronger key or authorization.
  public var wantsSecurity: Bool {
    guard case .refused(_, _, let code) = self else { return false }
    return code.wantsSecurity
  }
}

extension VisitTrouble {
  /// Whether the wearable requires an encrypted link, a stronger key or authorization: securing the link may change its
  /// answer.
  public var wantsSecurity: Bool {
    guard case .refused(let code, _) = self else { return false }
    return code.wantsSecurity
  }
}
