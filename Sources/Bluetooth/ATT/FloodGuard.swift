// Rate limit for notifications and indications of a wearable.

public import EventLoop

/// Token bucket measured in air time: every PDU costs a fixed time and a time per byte. Debts up to `burst` are
/// allowed; PDUs that would exceed it are dropped. Each PDU costs two additions, without rounding.
public struct FloodGuard: Sendable, Hashable {
  /// Cost of a PDU beside its bytes, ns of air time.
  let costPerPDU: Int64
  let costPerByte: Int64
  let burst: Int64
  /// Dropped cost since the bucket was last empty at which the peer counts as a flood, and no longer as a burst.
  let hangUp: Int64

  /// Time when the bucket will be empty.
  private var settled = Int64.min
  private var droppedCost: Int64 = 0

  /// Air time of LE 1M in round numbers, so that no link at that rate can exceed it. A packet costs about 0.5 ms beside
  /// its payload: two gaps of 0.15 ms, the empty response and the headers of both, 0.2 ms. A byte costs 8 µs. Counting
  /// only 6.25 µs a byte lets 120 kB/s of 244-byte PDUs pass; the busiest raw ECG streams need 100 kB/s. The limits are
  /// 160 kB/s, and 2,000 tiny PDUs a second. Two seconds of burst are 240 kB: a kernel queue holds that much if the
  /// loop was blocked 40 times longer than allowed. No correct wearable has ten bursts dropped without a pause between.
  public static let standard = FloodGuard(
    perPDU: .microseconds(500), perByte: .nanoseconds(6250), burst: .seconds(2), hangUp: .seconds(20))

  /// Guard without limit, for benchmarks that push faster than any radio.
  public static let off = FloodGuard(perPDU: .zero, perByte: .zero, burst: .zero, hangUp: .zero)

  /// A limit with these costs in air time. Debts up to `burst` pass; a wearable is disconnected beyond `hangUp` of
  /// dropped cost.
  public init(perPDU: Duration, perByte: Duration, burst: Duration, hangUp: Duration) {
    costPerPDU = perPDU.wholeNanoseconds
    costPerByte = perByte.wholeNanoseconds
    self.burst = burst.wholeNanoseconds
    self.hangUp = hangUp.wholeNanoseconds
  }

  /// Decision about one PDU: deliver it, drop it, or close the link.
  public enum Verdict: Sendable { case pass, drop, hangUp }

  /// Decides about one PDU.
  public mutating func admit(_ byteCount: Int, now: Instant) -> Verdict {
    let time = now.nanoseconds
    if settled <= time {
      settled = time
      droppedCost = 0
    }
    let cost = costPerPDU + Int64(byteCount) * costPerByte
    if settled + cost - time <= burst {
      settled += cost
      return .pass
    }
    droppedCost += cost
    return droppedCost > hangUp ? .hangUp : .drop
  }
}
