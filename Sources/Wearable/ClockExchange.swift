// How a wearable's clock is read beside the hub's.

import EventLoop
public import Health

/// The moments before a clock was asked for and after its answer came.
public struct ClockExchange: Sendable, Hashable {
  public let before, after: HubTime

  public init(before: HubTime, after: HubTime) { (self.before, self.after) = (before, after) }

  /// ns between request and answer, by the hub's monotonic clock.
  public var took: Int64 { max(0, after.monotonic - before.monotonic) }

  /// What the clock showed, taken to be of the middle: half of `took` is as much as that may be wrong by.
  ///
  /// - Parameters:
  ///   - device: µs since 1970, as the wearable means it.
  ///   - offset: minutes east of Greenwich by which it says that its time is local.
  public func evidence(_ device: Int64, offset: Int? = nil) -> ClockEvidence {
    ClockEvidence(
      device: device, monotonic: after.monotonic - took / 2, wall: after.wall.microseconds - took / 2000,
      isTrusted: after.isTrusted, offset: offset)
  }
}

extension WearableLink {
  /// Asks for a clock up to three times, until an answer was quick. Of several that took long the quickest counts: on a
  /// link that was out of range meanwhile nobody knows on which way the time was spent.
  ///
  /// - Parameters:
  ///   - quick: ns within which an answer is good enough.
  ///   - ask: one request; nil where the clock does not tell a time, which ends the asking.
  /// - Returns: nil where the first answer told none.
  public func readClock<Answer>(within quick: Int64, _ ask: () async throws(VisitTrouble) -> Answer?)
    async throws(VisitTrouble) -> (answer: Answer, exchange: ClockExchange)?
  {
    var best: (answer: Answer, exchange: ClockExchange)?
    for _ in 0..<3 {
      let before = hubTime
      guard let answer = try await ask() else { break }
      let exchange = ClockExchange(before: before, after: hubTime)
      if best.map({ exchange.took < $0.exchange.took }) ?? true { best = (answer, exchange) }
      if exchange.took <= quick { break }
    }
    return best
  }
}
