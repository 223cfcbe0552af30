// Rate limit in bytes: what may be sent now, and when the next message may be.

internal import EventLoop

/// Rate of one link: in total, and for messages other than rows.
@LoopActor
final class LinkRate {
  var total: TokenBucket
  var said: TokenBucket

  init(bits: Int?, now: Instant) {
    total = TokenBucket(bits: bits, now: now)
    said = TokenBucket(bits: bits, now: now)
  }
}

/// Token bucket that holds one second of its rate and may be overdrawn by one message. Without a rate it is never
/// empty.
struct TokenBucket {
  /// Bytes a second; nil: no limit.
  let rate: Double?
  private var level: Double
  private var filled: Instant

  init(bits: Int?, now: Instant) {
    rate = bits.map { Double($0) / 8 }
    level = rate ?? 0
    filled = now
  }

  private mutating func fill(_ now: Instant) {
    guard let rate else { return }
    level = min(rate, level + (now - filled).inSeconds * rate)
    filled = now
  }

  mutating func isOpen(_ now: Instant) -> Bool {
    fill(now)
    return rate == nil || level > 0
  }

  /// Time until a message may be sent; zero: now.
  mutating func wait(_ now: Instant) -> Duration {
    fill(now)
    guard let rate, level <= 0 else { return .zero }
    return .nanoseconds(Int64((-level / rate + 0.005) * 1e9))
  }

  mutating func take(_ bytes: Int, _ now: Instant) {
    fill(now)
    if rate != nil { level -= Double(bytes) }
  }
}
