// Errors of operations on a wearable's database.

import EventLoop
public import Reasons

/// Reason why an operation of a GATT client ended without a result. Every operation ends exactly once, with a result or
/// one of these.
public enum GATTError: Error, Sendable, Hashable {
  /// The link ended, or we closed it (`.aborted`).
  case closed(LinkError)
  /// A request stayed unanswered for 30 s. The link is closed, because the specification forbids any further PDU on it.
  case timeout
  /// The wearable refused a request.
  case refused(request: ATTOpcode, handle: UInt16, code: ATTErrorCode)
  /// The wearable violated the protocol often enough that the link was closed.
  case protocolViolation(ATTViolation)
  /// The wearable sent more than any real one does, for so long that the link was closed.
  case flood
  /// The database is larger, or its discovery longer, than any real one.
  case discoveryBounded(GATTBound)
  /// A response contradicts itself or the request, or a value cannot be sent.
  case malformed(GATTFault)
  /// The characteristic does not support the operation.
  case missing
  /// Discovery was incomplete after 60 s, although every single response came in time.
  case procedureTimeout
  /// Refusal because too many operations are already waiting on this link.
  case busy
  /// The calling task was cancelled.
  case cancelled

  /// Reason code for logs and documents.
  public var reason: Reason {
    switch self {
    case .closed(let link): link.reason
    case .timeout: .attTimeout
    case .refused: .attRefused
    case .protocolViolation: .attProtocol
    case .flood: .notificationFlood
    case .discoveryBounded: .gattDiscoveryBounded
    case .malformed: .attMalformed
    case .missing: .gattMissing
    case .procedureTimeout: .procedureTimeout
    case .busy: .attRefused
    case .cancelled: .linkAborted
    }
  }
}

/// Protocol violation that is counted; the third on one link ends it.
public enum ATTViolation: String, Sendable, Hashable {
  case unexpectedResponse = "it answered what was not asked"
  case oversizePDU = "it sent PDUs longer than the agreed MTU"
}

/// Limit of discovery.
public enum GATTBound: String, Sendable, Hashable {
  case services = "more than 64 services"
  case attributes = "more than 512 attributes"
  case transactions = "more than 600 requests"
}

/// Fault in a response or a value.
public enum GATTFault: String, Sendable, Hashable {
  case response = "the answer cannot be read"
  case handleOrder = "handles do not ascend"
  case handleRange = "a handle lies outside its range"
  case declaration = "a declaration cannot be read"
  case echo = "a prepared part came back altered"
  case valueTooLong = "a value is longer than 512 bytes"
  case commandTooLong = "a command does not fit the MTU"
}

extension GATTError: CustomStringConvertible {
  /// Clause for a log line.
  public var description: String {
    switch self {
    case .closed(let link): "link ended: \(link)"
    case .timeout: "no answer for 30 s"
    case .refused(let request, let handle, let code):
      "\(request) refused at handle 0x\(hexadecimal([UInt8(handle >> 8), UInt8(handle & 0xFF)])): \(code)"
    case .protocolViolation(let violation): violation.rawValue
    case .flood: "it floods"
    case .discoveryBounded(let bound): bound.rawValue
    case .malformed(let fault): fault.rawValue
    case .missing: "the characteristic does not offer this"
    case .procedureTimeout: "discovery took longer than 60 s"
    case .busy: "too many requests are waiting already"
    case .cancelled: "cancelled"
    }
  }
}

extension LinkError {
  /// Reason code of this error, for the log and `hearth explain`.
  public var reason: Reason {
    switch self {
    case .notHeard: .notHeard
    case .slotsFull, .bondedSlotsFull: .slotsFull
    case .linkLost: .linkLost
    case .peerClosed: .peerClosed
    case .adapterGone, .bondedElsewhere: .adapterRemoved
    case .authenticationFailed: .authenticationFailed
    case .keyMissing: .keyMissing
    case .keyNotGiven: .keyNotGiven
    case .identityClaimed: .identityClaimed
    case .failedToEstablish, .timedOut, .system: .failedToEstablish
    case .aborted: .linkAborted
    case .flooded: .notificationFlood
    case .taken: .linkTaken
    case .attemptsFull: .attemptsFull
    }
  }
}
