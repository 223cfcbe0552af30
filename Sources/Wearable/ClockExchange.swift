// Reading of a wearable's clock beside the hub's.

import EventLoop
public import Health

/// Moments before the request for a clock and after its answer.
public struct ClockExchange: Sendable, Hashable {
  /// The hub's clocks before the request and after the answer.
  public let before, after: HubTime

  /// An exchange between two moments.
  public init(before: HubTime, after: HubTime) { (self.before, self.after) = (before, after) }

  /// Time between request and answer, ns, by the hub's monotonic clock.
  public var took: Int64 { max(0, after.monotonic - before.monotonic) }

  /// Evidence from the time that the clock showed, assigned to the middle of the exchange. Half of `took` is the
  /// largest error of that.
  ///
  /// - Parameters:
  ///   - device: µs since 1970, as the wearable means it.
  ///   - offset: minutes east of UTC, if the wearable reports local time with its offset.
  public func evidence(_ device: Int64, offset: Int? = nil) -> ClockEvidence {
    ClockEvidence(
      device: device, monotonic: after.monotonic - took / 2, wall: after.wall.microseconds - took / 2000,
      isTrusted: after.isTrusted, offset: offset)
  }
}

extension WearableLink {
  /// Requests a clock up to three times, until an answer is quick. If all were slow, the quickest counts: on a link
  /// with retransmissions it is unknown in which direction the time was spent.
  ///
  /// - Parameters:
  ///   - quick: time within which an answer is good enough, ns.
  ///   - ask: one request; nil if the clock reports no time, which ends the requests.
  /// - Returns: nil if the first answer had no time.
  /// - Throws: the trouble of the first request that fails, also after a slow answer.
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
