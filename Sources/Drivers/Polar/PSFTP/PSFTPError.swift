// What a wearable answers instead of doing what it was asked, and what follows from it.

import Wearable

/// A code of an error frame.
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
  /// Found by the hub: a gap in the sequence of packets.
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

  /// As on the wire, but for 303, which never is.
  var code: UInt16 {
    if case .other(let code) = self { return code }
    return Self.codes.first { $0.1 == self }?.0 ?? 200
  }

  /// For people.
  var text: String {
    if case .other(let code) = self { return "error \(code)" }
    return Self.codes.first { $0.1 == self }?.2 ?? "an error"
  }

  /// What a wearable does in the background (indexing, writing) is over in a minute.
  static let idlePause: Duration = .seconds(60)
  /// It is gone for about so long when it restarts.
  static let rebootPause: Duration = .seconds(10)
  /// Until it was charged a little.
  static let chargePause: Duration = .seconds(900)

  /// What it means for the stage in which it was the answer to `what`.
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
