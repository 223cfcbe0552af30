// Outages of one thing (a link, the radio, the store): which are reported one by one, and which are counted. Pure.

import EventLoop

/// A report about outages of one thing.
enum OutageNews: Equatable {
  case began(Instant)
  case ended(from: Instant, to: Instant)
  /// Number of outages between the first start and the last end; `gone` is the total of their lengths.
  case often(Int, from: Instant, to: Instant, gone: Duration)
}

/// The outages of one thing.
///
/// The first outage after a quiet hour is reported at its start and at its end. Those that follow within an hour of the
/// one before are counted, and reported together by the hour (`hourly`). So there are at most three reports an hour.
struct OutageLog {
  static let quiet: Duration = .seconds(3600)
  /// An outage that ends this soon after its excuse is not reported: the start of the hub, or the radio's return,
  /// explains it.
  static let grace: Duration = .seconds(120)

  private var began: Instant?
  private var isTold = false
  /// End of the excuse; nil: the outage has no excuse.
  private var excuse: Instant?
  /// Start of the last outage without an excuse.
  private(set) var lastBegan: Instant?
  private var counted: (count: Int, from: Instant, to: Instant, gone: Duration)?

  init() {}

  /// - Parameter lastBegan: as an earlier run reported it.
  init(lastBegan: Instant) { self.lastBegan = lastBegan }

  var isOut: Bool { began != nil }
  /// Tells whether no outage is under way, and the next one is reported at once.
  func isIdle(_ now: Instant) -> Bool { began == nil && counted == nil && !isRecent(now) }

  private func isRecent(_ now: Instant) -> Bool { lastBegan.map { now - $0 < Self.quiet } ?? false }

  mutating func begin(_ now: Instant) -> OutageNews? {
    if began != nil { return nil }
    let isRecent = isRecent(now)
    (began, isTold, excuse, lastBegan) = (now, !isRecent, nil, now)
    return isRecent ? nil : .began(now)
  }

  /// Begins an outage that is part of a larger one, reported for all. Until `excuse` moves on, it is excused.
  mutating func beginExcused(_ now: Instant, until excuse: Instant) {
    if began == nil { (began, isTold) = (now, false) }
    if !isTold { self.excuse = excuse }
  }

  /// Extends the excuse, if there is one, until now.
  mutating func excuse(until now: Instant) { if excuse != nil { excuse = now } }

  mutating func end(_ now: Instant) -> OutageNews? {
    guard let began else { return nil }
    defer { (self.began, isTold, self.excuse) = (nil, false, nil) }
    if let excuse {
      if now - excuse < Self.grace { return nil }
      return .ended(from: began, to: now)
    }
    if isTold { return .ended(from: began, to: now) }
    let before = counted ?? (0, began, now, .zero)
    counted = (before.count + 1, before.from, now, before.gone + (now - began))
    return nil
  }

  /// Drops the outage, as its end shows that it does not count as one.
  mutating func forget() { (began, isTold, excuse) = (nil, false, nil) }

  /// The counted outages; called every hour, and when the hub is stopped.
  mutating func hourly(_ now: Instant) -> [OutageNews] {
    var news: [OutageNews] = []
    if let counted {
      news.append(
        counted.count == 1
          ? .ended(from: counted.from, to: counted.to)
          : .often(counted.count, from: counted.from, to: counted.to, gone: counted.gone))
    }
    counted = nil
    if let began, !isTold, excuse == nil {
      isTold = true
      news.append(.began(began))
    }
    return news
  }
}
