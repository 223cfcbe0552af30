// Error codes of the file transfer, and their effect on the visit.

import Wearable

/// Code of an error frame.
enum PSFTPError: Error, Sendable, Hashable {
  case rebooting
  case tryAgain
  case unidentifiedHost
  case invalidCommand
  case invalidParameter
  case noSuchFileOrDirectory
  case directoryExists
  case fileExists
  case operationNotPermitted
  case noSuchUser
  case timeout
  case unidentifiedDevice
  case notImplemented
  case systemBusy
  case invalidContent
  case checksumFailure
  case diskFull
  case prerequisiteNotMet
  case insufficientBuffer
  case waitForIdling
  case batteryTooLow
  /// Detected by the hub: a gap in the sequence numbers of packets.
  case airPacketLost
  case other(UInt16)

  private static let codes: [(UInt16, PSFTPError, String)] = [
    (1, .rebooting, "it is rebooting"), (2, .tryAgain, "try again"), (100, .unidentifiedHost, "an error of the host"),
    (101, .invalidCommand, "no such command"),
    (102, .invalidParameter, "invalid parameter"), (103, .noSuchFileOrDirectory, "no such file or directory"),
    (104, .directoryExists, "the directory exists"),
    (105, .fileExists, "the file exists"), (106, .operationNotPermitted, "not permitted"),
    (107, .noSuchUser, "it has no user"), (108, .timeout, "it took too long"),
    (200, .unidentifiedDevice, "an error of its own"), (201, .notImplemented, "it does not have that"),
    (202, .systemBusy, "it is busy"),
    (203, .invalidContent, "invalid content"), (204, .checksumFailure, "a checksum is wrong"),
    (205, .diskFull, "its memory is full"),
    (206, .prerequisiteNotMet, "something is missing before that"), (207, .insufficientBuffer, "its buffer is full"),
    (208, .waitForIdling, "it wants to be idle first"),
    (209, .batteryTooLow, "its battery is too low"), (303, .airPacketLost, "a packet was lost"),
  ]

  init(code: UInt16) { self = Self.codes.first { $0.0 == code }?.1 ?? .other(code) }

  /// The code on the wire, except for 303, which is the hub's own.
  var code: UInt16 {
    if case .other(let code) = self { return code }
    return Self.codes.first { $0.1 == self }?.0 ?? 200
  }

  /// Text for messages to people.
  var text: String {
    if case .other(let code) = self { return "error \(code)" }
    return Self.codes.first { $0.1 == self }?.2 ?? "an error"
  }

  /// Background work of a wearable (indexing, writing) is over within a minute.
  static let idlePause: Duration = .seconds(60)
  /// A restart takes about this long.
  static let rebootPause: Duration = .seconds(10)
  /// Time until the battery has charged a little.
  static let chargePause: Duration = .seconds(900)

  /// The trouble that this error causes in the visit's stage, as the answer to `what`.
  func trouble(_ what: String) -> VisitTrouble {
    let sentence = "\(what): \(text)"
    switch self {
    case .systemBusy: return .busy(what: sentence, retryAfter: PSFTPBusy.pauses[0])
    case .tryAgain, .waitForIdling, .insufficientBuffer, .diskFull:
      return .busy(what: sentence, retryAfter: Self.idlePause)
    case .rebooting: return .busy(what: sentence, retryAfter: Self.rebootPause)
    case .batteryTooLow: return .busy(what: sentence, retryAfter: Self.chargePause)
    case .timeout: return .silent(what: sentence)
    case .unidentifiedHost, .unidentifiedDevice, .checksumFailure, .airPacketLost: return .framing(sentence)
    case .invalidCommand, .invalidParameter, .noSuchFileOrDirectory, .directoryExists, .fileExists,
      .operationNotPermitted, .noSuchUser, .notImplemented,
      .invalidContent, .prerequisiteNotMet, .other:
      return .unsupported(sentence)
    }
  }
}
