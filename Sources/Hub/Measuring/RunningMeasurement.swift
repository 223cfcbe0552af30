// An ordered measurement, from the order to its end: values go to the journal and to the caller, and several parties
// can end it. `MeasurementKeeper` handles its session.

import EventLoop
import Health
import Reasons
import Wearable

@LoopActor
final class RunningMeasurement: MeasurementSink {
  let order: MeasurementOrder
  private(set) var values = 0
  private let loop: any Loop
  private let isWanted: @LoopActor () -> Bool
  private let onValue: @LoopActor (Series, [Int64]) -> Bool
  private var wasStopped = false
  private var began: Instant
  /// Time at which its end was requested.
  private var stoppedAt: Instant?
  /// The time is over, and the wearable continues.
  private(set) var isOverdue = false
  private var timer: LoopTimer?
  /// Limit of the rate of values. A wearable sends one value a second, or three at once (a cuff's); further ones are
  /// dropped.
  private var pace = TokenBucket(capacity: 16, period: .milliseconds(250))

  /// Limit of an order without one: people watch one value for at most an hour, and a terminal may be left open over
  /// night.
  static let longest: Duration = .seconds(3600)
  /// A wearable that knows the limit ends by itself, some seconds late if its clock is slow.
  private static let lateness: Duration = .seconds(15)
  /// Time for the end: a session checks once a second whether it should end, and then informs its wearable.
  static let closing: Duration = .seconds(15)
  private static let look: Duration = .seconds(1)

  /// - Parameters:
  ///   - isWanted: whether the caller is still there.
  ///   - onValue: takes a value; false if it is not one of its series.
  init(
    _ order: MeasurementOrder, _ loop: any Loop, isWanted: @escaping @LoopActor () -> Bool,
    onValue: @escaping @LoopActor (Series, [Int64]) -> Bool
  ) {
    self.order = order
    self.loop = loop
    self.isWanted = isWanted
    self.onValue = onValue
    began = loop.now
  }

  func stop() { wasStopped = true }

  var isStopped: Bool { wasStopped || isOverdue || !isWanted() }

  func append(_ series: Series, _ values: [Int64]) {
    guard pace.take(loop.now), onValue(series, values) else { return }
    self.values += 1
  }

  // MARK: Time limit

  func begin(_ link: HubLink) {
    began = loop.now
    watch(link)
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Ends a link over which a measurement does not end.
  private func watch(_ link: HubLink) {
    timer = loop.schedule(after: Self.look) { [weak self, weak link] in
      guard let self, let link else { return }
      let limit = order.limit.map { .seconds(Int64($0)) + Self.lateness } ?? Self.longest
      if loop.now - began >= limit { isOverdue = true }
      if isStopped {
        let since = stoppedAt ?? loop.now
        stoppedAt = since
        if loop.now - since >= Self.closing { return link.giveUp(.silent(what: "the end of a measurement")) }
      }
      watch(link)
    }
  }
}
