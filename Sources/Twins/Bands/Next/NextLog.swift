// What a band of the new platform said and heard, frame by frame: what the ledger that all bands have does not hold.

public import EventLoop

/// What no host may do to a band of this platform.
public enum NextFault: Sendable, Hashable {
  /// A frame with a wrong checksum, or bytes that begin no frame.
  case sentNonsense
  /// The payload is no message, or a number in it has no meaning.
  case wroteNonsense
  /// It asked for data or settings before it had said who it is.
  case askedBeforeLogin
  /// It began a sync, or another live measurement, while one was running.
  case askedTwiceAtOnce
  /// An update, a file, a notification, power off, reboot, or a reset.
  case touchedForbidden
  /// It wrote a setting and dropped fields in it that it does not know.
  case lostUnknownFields
  /// It wrote a setting that it has never read.
  case wroteUnread
  /// A piece longer than the band takes.
  case sentLongPiece
  /// It hung up in the middle of a sync, or with a live measurement running.
  case leftInTheMiddle

  /// The same in the ledger that all bands have, where that knows it.
  func shared(_ command: UInt8, _ key: UInt8) -> BandFault? {
    switch self {
    case .sentNonsense, .wroteNonsense: .malformed
    case .askedBeforeLogin: .unauthorised
    case .askedTwiceAtOnce: .askedDuringSync
    case .touchedForbidden: .dangerous(UInt16(command) << 8 | UInt16(key))
    case .leftInTheMiddle: .leftDuringSync
    // The first of these is in it already.
    case .sentLongPiece, .lostUnknownFields, .wroteUnread: nil
    }
  }
}

/// One frame that a band sent.
public struct NextSent: Sendable {
  public fileprivate(set) var frame: NextFrame
  /// Numbers of the items that it tells.
  public fileprivate(set) var items: [Int]
  /// Number of the link, from 1 on.
  public let link: Int
  public let sentAt: Instant
  /// Its checksum is right, and no piece of it was left out.
  public internal(set) var isIntact = true
  /// Pieces of which nobody knows yet.
  var underWay = 0
  /// The same frame a second time, by its number.
  public internal(set) var repeatedBy: Int?
  /// A piece got lost on the way.
  public internal(set) var wasLost = false
  /// When its last piece arrived, where all of them did.
  public internal(set) var deliveredAt: Instant?

  init(frame: NextFrame, items: [Int], link: Int, sentAt: Instant) {
    (self.frame, self.items, self.link, self.sentAt) = (frame, items, link, sentAt)
  }

  /// The host has all of it, as it should be.
  public var wasDelivered: Bool { isIntact && deliveredAt != nil }
}

/// One sync that a host began.
public struct NextSyncRecord: Sendable {
  public let kind: NextKind
  /// Seconds since 2000, as the host asked.
  public let start: Int64
  public let end: Int64
  public let link: Int
  public let at: Instant
  /// What the band answered: 0, 1 (nothing newer) or 127.
  public let result: UInt8
  /// Frames that told days, by their numbers, in order.
  public internal(set) var days: [Int] = []
  /// The frame that said that it was the end.
  public internal(set) var endFrame: Int?
  /// Another start, or the end of the link, came before.
  public internal(set) var wasCutShort = false
}

/// Everything that one band said and heard.
public struct NextLog: Sendable {
  public internal(set) var sent: [NextSent] = []
  public internal(set) var syncs: [NextSyncRecord] = []
  /// Whole frames that came, in order; the newest 2,048.
  public private(set) var heard: [(frame: NextFrame, link: Int, at: Instant)] = []
  /// The first 256.
  public private(set) var faults: [(fault: NextFault, command: UInt8, key: UInt8, at: Instant)] = []
  /// Answers to binds and logins.
  public internal(set) var auths: [(isBind: Bool, user: String, result: NextAuthResult, at: Instant)] = []
  /// What the clock was set to, seconds since 2000, and the zone.
  public internal(set) var times: [(shown: Int64, zone: Int64, at: Instant)] = []
  /// Settings that were written: as they were before, as somebody wanted them, as they became.
  public internal(set) var writes: [(setting: NextSetting, before: [UInt8], wanted: [UInt8], after: [UInt8])] = []
  /// Frames to which the band was deaf, pieces that it dropped, requests that it left unanswered.
  public internal(set) var ignored = 0
  /// Items that a newer one of the same place in a day hid when it was told last, and when that one was recorded: no
  /// message can tell both.
  public internal(set) var hidden: [Int: Instant] = [:]
  /// Extremes that were told without their counterpart when they were told last, and since when they are.
  public internal(set) var alone: [Int: Instant] = [:]

  public func has(_ fault: NextFault) -> Bool { faults.contains { $0.fault == fault } }

  mutating func note(_ frame: NextFrame, link: Int, at now: Instant) {
    if heard.count == 2048 { heard.removeFirst(1024) }
    heard.append((frame, link, now))
  }

  mutating func blame(_ fault: NextFault, _ command: UInt8, _ key: UInt8, at now: Instant) {
    if faults.count < 256 { faults.append((fault, command, key, now)) }
  }

  /// Forgets what frames said, and keeps what became of them: a month needs no more memory than a day.
  ///
  /// - Parameter moment: frames that were sent before it and are not under way any more.
  public mutating func forget(before moment: Instant) {
    for index in (forgotten..<sent.count) {
      guard sent[index].sentAt < moment, sent[index].underWay == 0 else { break }
      sent[index].frame.payload = []
      sent[index].items = []
      forgotten = index + 1
    }
  }

  /// Frames whose content is gone.
  private var forgotten = 0

  // MARK: What judges ask

  /// All of it arrived: each day as it was sent, and the end.
  public func isWhole(_ sync: NextSyncRecord) -> Bool {
    endArrived(sync) != nil && !sync.wasCutShort && sync.days.allSatisfy { arrived($0) != nil }
  }

  /// When the host heard that it was the end.
  public func endArrived(_ sync: NextSyncRecord) -> Instant? {
    sync.endFrame.flatMap { arrived($0) }
  }

  /// When the host had all of a frame, or of the same one sent again.
  public func arrived(_ number: Int) -> Instant? {
    let frames = [number, sent[number].repeatedBy].compactMap { $0 }
    return frames.compactMap { sent[$0].wasDelivered ? sent[$0].deliveredAt : nil }.min()
  }
}
