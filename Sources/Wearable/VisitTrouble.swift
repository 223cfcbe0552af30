// How a stage of a visit can fail. What follows each is the hub's table, not the driver's choice.

public import Bluetooth
internal import EventLoop
public import Reasons

/// Why a stage ended without its result.
public enum VisitTrouble: Error, Sendable, Hashable {
  /// The link ended or is of no use.
  case link(GATTError)
  /// The wearable refused a request; the link is as it was.
  case refused(ATTErrorCode, what: String)
  /// The wearable is there and says: not now.
  case busy(what: String, retryAfter: Duration?)
  /// It broke its own protocol: the link is ended, and work goes on after a reconnect where it stopped.
  case framing(String)
  /// It did not answer within the time its protocol allows.
  case silent(what: String)
  /// The turn was long over and no piece of data came at which it could end, so that the hub ended the link. Nobody but
  /// the hub says so.
  case overran
  /// What this wearable does not have or this program does not know (a version, a format). Nothing is removed.
  case unsupported(String)
  /// The store has no room: the data stays on the wearable.
  case noRoom(String)
  /// A person has to act.
  case needsAttention(Reason, String)
}

/// Why the bytes of an item are not what they should be. Nothing is removed.
public enum ItemDefect: Error, Sendable, Hashable {
  /// It ends before it should.
  case cut(String)
  case malformed(String)
  /// A version or kind this program does not know; the bytes are kept as they are.
  case unknownVersion(String)
  /// Encrypted, and its key is not known here; the bytes are kept as they are. A driver that gets the key later lists
  /// it under another mark.
  case locked(String)
}

extension ATTErrorCode {
  /// Encryption, a better key or leave would change the answer.
  public var wantsSecurity: Bool {
    self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeyTooShort
      || self == .insufficientAuthorization
  }
}

extension GATTError {
  /// The wearable refused for want of an encrypted link, a better key, or leave.
  public var wantsSecurity: Bool {
    guard case .refused(_, _, let code) = self else { return false }
    return code.wantsSecurity
  }
}

extension VisitTrouble {
  /// The wearable refused for want of an encrypted link, a better key, or leave: asking for security may change its
  /// answer.
  public var wantsSecurity: Bool {
    guard case .refused(let code, _) = self else { return false }
    return code.wantsSecurity
  }
}
