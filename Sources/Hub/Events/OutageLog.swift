// Which outages of one thing are told one by one and which are counted: a link, the radio, the store. Pure.

import EventLoop

/// What is to be told of something that goes and comes back.
enum OutageNews: Equatable {
  case began(Instant)
  case ended(from: Instant, to: Instant)
  /// That often between the first beginning and the last end; `gone` altogether.
  case often(Int, from: Instant, to: Instant, gone: Duration)
}

/// The outages of one thing.
///
/// One that comes after a quiet hour is told when it begins and when it ends. Those that follow within an hour of the
/// one before are counted, and told in one piece by the hour (`hourly`): three pieces of news an hour at most, whatever
/// happens.
struct OutageLog {
  static let quiet: Duration = .seconds(3600)
  /// One that ends this soon after its excuse is told by whatever excuses it: a start of the hub, the radio's return.
  static let grace: Duration = .seconds(120)

  private var began: Instant?
  private var isTold = false
  /// What excuses it lasts until then; nil: nothing does.
  private var excuse: Instant?
  /// When the last one began that nothing excused.
  private(set) var lastBegan: Instant?
  private var counted: (count: Int, from: Instant, to: Instant, gone: Duration)?

  init() {}

  /// - Parameter lastBegan: as an earlier run told it.
  init(lastBegan: Instant) { self.lastBegan = lastBegan }

  var isOut: Bool { began != nil }
  /// Nothing is under way, and what comes is told at once.
  func isIdle(_ now: Instant) -> Bool { began == nil && counted == nil && !isRecent(now) }

  private func isRecent(_ now: Instant) -> Bool { lastBegan.map { now - $0 < Self.quiet } ?? false }

  mutating func begin(_ now: Instant) -> OutageNews? {
    if began != nil { return nil }
    let isRecent = isRecent(now)
    (began, isTold, excuse, lastBegan) = (now, !isRecent, nil, now)
    return isRecent ? nil : .began(now)
  }

  /// It is out because of something that is told for all; until `excuse` moves on it is excused.
  mutating func beginExcused(_ now: Instant, until excuse: Instant) {
    if began == nil { (began, isTold) = (now, false) }
    if !isTold { self.excuse = excuse }
  }

  /// What excuses it, if anything does, lasts until then.
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

  /// It ended for a reason that makes it no outage.
  mutating func forget() { (began, isTold, excuse) = (nil, false, nil) }

  /// What was counted; told every hour, and when the hub is stopped.
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
