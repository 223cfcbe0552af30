// How much a wearable may send unasked.

public import EventLoop

/// A cap on what arrives unasked, as a bucket of air time: every PDU costs a fixed time and a time per byte; debts up
/// to `burst` are let through, what would exceed it is dropped. Costs nothing per PDU but two additions, and rounds
/// nothing.
public struct FloodGuard: Sendable, Hashable {
  /// Nanoseconds.
  let costPerPDU: Int64
  let costPerByte: Int64
  let burst: Int64
  /// Dropped cost since the bucket was last empty, at which the peer is a flood rather than a gust.
  let hangUp: Int64

  /// When the bucket will be empty.
  private var settled = Int64.min
  private var droppedCost: Int64 = 0

  /// Air time of LE 1M in round numbers, so that no link at that rate can ever owe: a packet costs about 0.5 ms beside
  /// its payload (two gaps of 0.15 ms, the empty answer and the headers of both, 0.2 ms), a byte 8 µs. Taking 6.25 µs
  /// for the byte lets 120 kB/s of 244-byte PDUs pass (the busiest raw ECG streams need 100 kB/s), 160 kB/s at most,
  /// and 2,000 tiny PDUs a second. Two seconds of burst are 240 kB: what a kernel queue may hold after the loop was
  /// held up 40 times longer than it may be. Ten bursts dropped without a moment's rest: nobody who means well does
  /// that.
  public static let standard = FloodGuard(
    perPDU: .microseconds(500), perByte: .nanoseconds(6250), burst: .seconds(2), hangUp: .seconds(20))

  /// Nothing is capped, for benchmarks that push faster than any radio.
  public static let off = FloodGuard(perPDU: .zero, perByte: .zero, burst: .zero, hangUp: .zero)

  public init(perPDU: Duration, perByte: Duration, burst: Duration, hangUp: Duration) {
    costPerPDU = perPDU.wholeNanoseconds
    costPerByte = perByte.wholeNanoseconds
    self.burst = burst.wholeNanoseconds
    self.hangUp = hangUp.wholeNanoseconds
  }

  public enum Verdict: Sendable { case pass, drop, hangUp }

  /// Judges one arrival.
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
