// Frames of a band of the new platform in both directions, beyond the ledger that all bands have.

public import EventLoop

/// Action that a host must never take on a band of this platform.
public enum TopStepFault: Sendable, Hashable {
  /// A frame with a wrong checksum, or bytes that begin no frame.
  case sentNonsense
  /// The payload is no message, or has an undefined number.
  case wroteNonsense
  /// Requested data or settings before its login.
  case askedBeforeLogin
  /// Began a sync, or another live measurement, while one was running.
  case askedTwiceAtOnce
  /// Sent an update, a file, a notification, power off, reboot, or a reset.
  case touchedForbidden
  /// Wrote a setting without the unknown fields that it had.
  case lostUnknownFields
  /// Wrote a setting that it has never read.
  case wroteUnread
  /// Sent a piece longer than the band accepts.
  case sentLongPiece
  /// Disconnected during a sync or a live measurement.
  case leftInTheMiddle

  /// Corresponding fault in the common ledger; nil without one.
  func shared(_ command: UInt8, _ key: UInt8) -> BandFault? {
    switch self {
    case .sentNonsense, .wroteNonsense: .malformed
    case .askedBeforeLogin: .unauthorised
    case .askedTwiceAtOnce: .askedDuringSync
    case .touchedForbidden: .dangerous(UInt16(command) << 8 | UInt16(key))
    case .leftInTheMiddle: .leftDuringSync
    // The first of these is recorded there already.
    case .sentLongPiece, .lostUnknownFields, .wroteUnread: nil
    }
  }
}

/// Frame that a band sent.
public struct TopStepSent: Sendable {
  /// The frame.
  public fileprivate(set) var frame: TopStepWireFrame
  /// Numbers of its items.
  public fileprivate(set) var items: [Int]
  /// Number of the link, from 1 on.
  public let link: Int
  /// Time at which it was sent.
  public let sentAt: Instant
  /// Whether its checksum is correct and all of its pieces were sent.
  public internal(set) var isIntact = true
  /// Pieces with unknown fate.
  var underWay = 0
  /// Number of the repetition of this frame.
  public internal(set) var repeatedBy: Int?
  /// Whether a piece was lost on the way.
  public internal(set) var wasLost = false
  /// Arrival of its last piece, if all arrived.
  public internal(set) var deliveredAt: Instant?

  init(frame: TopStepWireFrame, items: [Int], link: Int, sentAt: Instant) {
    (self.frame, self.items, self.link, self.sentAt) = (frame, items, link, sentAt)
  }

  /// Whether the host received all of it, undamaged.
  public var wasDelivered: Bool { isIntact && deliveredAt != nil }
}

/// Sync that a host began.
public struct TopStepSyncRecord: Sendable {
  /// Kind of data.
  public let kind: TopStepKind
  /// Seconds since 2000, as requested by the host.
  public let start: Int64
  /// End of the requested span, seconds since 2000.
  public let end: Int64
  /// Number of the link.
  public let link: Int
  /// Time at which it began.
  public let at: Instant
  /// Answer of the band: 0, 1 (no newer data) or 127.
  public let result: UInt8
  /// Numbers of the frames with days, in order.
  public internal(set) var days: [Int] = []
  /// Frame with the end.
  public internal(set) var endFrame: Int?
  /// Whether another start, or the end of the link, came before.
  public internal(set) var wasCutShort = false
}

/// Frames of one band, in both directions.
public struct TopStepLog: Sendable {
  /// Frames that the band sent.
  public internal(set) var sent: [TopStepSent] = []
  /// Syncs that hosts began.
  public internal(set) var syncs: [TopStepSyncRecord] = []
  /// Complete frames of the host, in order; the newest 2,048.
  public private(set) var heard: [(frame: TopStepWireFrame, link: Int, at: Instant)] = []
  /// The first 256.
  public private(set) var faults: [(fault: TopStepFault, command: UInt8, key: UInt8, at: Instant)] = []
  /// Answers to binds and logins.
  public internal(set) var auths: [(isBind: Bool, user: String, result: TopStepAuthResult, at: Instant)] = []
  /// Settings of the clock, seconds since 2000, and the zone.
  public internal(set) var times: [(shown: Int64, zone: Int64, at: Instant)] = []
  /// Written settings: before, as requested, and after.
  public internal(set) var writes: [(setting: TopStepSetting, before: [UInt8], wanted: [UInt8], after: [UInt8])] = []
  /// Frames that the band did not hear, pieces that it dropped, requests that it did not answer.
  public internal(set) var ignored = 0
  /// Items that a newer one of the same place in a day hid in the last sync, and when that one was recorded. A message
  /// cannot contain both.
  public internal(set) var hidden: [Int: Instant] = [:]
  /// Extremes that were sent without their counterpart in the last sync, and since when.
  public internal(set) var alone: [Int: Instant] = [:]

  /// True if a host made this fault.
  public func has(_ fault: TopStepFault) -> Bool { faults.contains { $0.fault == fault } }

  mutating func note(_ frame: TopStepWireFrame, link: Int, at now: Instant) {
    if heard.count == 2048 { heard.removeFirst(1024) }
    heard.append((frame, link, now))
  }

  mutating func blame(_ fault: TopStepFault, _ command: UInt8, _ key: UInt8, at now: Instant) {
    if faults.count < 256 { faults.append((fault, command, key, now)) }
  }

  /// Discards the content of frames, but keeps their fate: a month needs no more memory than a day.
  ///
  /// - Parameter moment: affects frames sent before it that are not in flight.
  public mutating func forget(before moment: Instant) {
    for index in (forgotten..<sent.count) {
      guard sent[index].sentAt < moment, sent[index].underWay == 0 else { break }
      sent[index].frame.payload = []
      sent[index].items = []
      forgotten = index + 1
    }
  }

  /// Frames without content.
  private var forgotten = 0

  // MARK: For judges

  /// Whether all of it arrived: each day as it was sent, and the end.
  public func isWhole(_ sync: TopStepSyncRecord) -> Bool {
    endArrived(sync) != nil && !sync.wasCutShort && sync.days.allSatisfy { arrived($0) != nil }
  }

  /// Arrival of the end at the host.
  public func endArrived(_ sync: TopStepSyncRecord) -> Instant? {
    sync.endFrame.flatMap { arrived($0) }
  }

  /// Arrival of a complete frame, or of its repetition.
  public func arrived(_ number: Int) -> Instant? {
    let frames = [number, sent[number].repeatedBy].compactMap { $0 }
    return frames.compactMap { sent[$0].wasDelivered ? sent[$0].deliveredAt : nil }.min()
  }
}
