// Excuses of the judge: values at a wrong time if the right one cannot be known. Each cause is counted, listed and
// bounded.

import EventLoop
import Health
import RingStore
import Simulation

/// A clock that was set or lost between two readings, and the values with wrong times because of it.
struct PolarExcuse: Sendable {
  let wearable: String
  /// Time of the setting or loss, and the span in which every time is in doubt, ns of the run.
  let setAt: Int64
  let span: ClosedRange<Int64>
  let cause: PolarDoubts.Span.Cause
  /// Amount of doubt, ns.
  let amount: Int64
  /// Time for which a hub was linked between the readings before and after, ns.
  let unread: Int64
  /// Values at wrong times, and the largest error, ns.
  private(set) var values = 0
  private(set) var worst: Int64 = 0
  /// Number of these that the hub stored as the wearable gave them, marked as unsure.
  private(set) var given = 0
  /// Number of these that were refused as future ones, and are in no series.
  private(set) var refused = 0

  @LoopActor
  init(_ wearable: String, _ doubt: PolarDoubts.Span, since start: Instant) {
    self.wearable = wearable
    setAt = doubt.setAt - start.nanoseconds
    span = Self.shifted(doubt.doubted.lowerBound, start)...Self.shifted(doubt.doubted.upperBound, start)
    (cause, amount, unread) = (doubt.cause, doubt.amount + doubt.again, doubt.unread)
  }

  private static func shifted(_ moment: Int64, _ start: Instant) -> Int64 {
    abs(moment) > .max / 4 ? moment : moment - start.nanoseconds
  }

  mutating func note(_ error: Int64) {
    values += 1
    worst = max(worst, error)
  }

  mutating func noteGiven() {
    values += 1
    given += 1
  }

  mutating func noteRefused() {
    values += 1
    refused += 1
  }

  /// Number of values of a series that the hub reports as refused. A waveform is refused as a whole, with any number of
  /// values.
  @LoopActor
  static func refused(_ series: Series, of wearable: WearableID, _ hub: SimulatedHub) throws -> Int {
    let marks = try hub.store.watermarks(of: wearable)
    guard let count = marks.first(where: { $0.series == series.id })?.refused, count > 0 else { return 0 }
    if case .waveform = series.layout { return .max }
    return Int(clamping: count)
  }

  // MARK: Bounds

  /// Limit of excuses: a clock a day for each wearable, with a few on top. The number of values in a single run depends
  /// on the recordings under way; for many runs it is known (`FreshSum`).
  static func objections(_ excuses: [PolarExcuse], wearables: Int, days: Int) -> [String] {
    var found = excuses.compactMap(\.objection)
    if excuses.count > wearables * days + 4 {
      found.append("\(excuses.count) clocks excuse values, of \(wearables) wearables in \(days) days")
    }
    return found
  }

  /// A linked hub reads the clock with each visit, every quarter of an hour, and waits for others meanwhile; ns.
  static let unreadBound: Int64 = 3600 * 1_000_000_000

  /// Reason why it is no valid excuse; nil: it is.
  var objection: String? {
    unread > Self.unreadBound
      ? "\(wearable): its clock was not read for \(unread / 1_000_000_000) s of links around \(Self.text(setAt))" : nil
  }

  // MARK: For people

  var text: String {
    let how =
      switch cause {
      case .setByOthers: "clock set by others"
      case .lost: "clock lost"
      case .setBackByHub: "clock set back by the hub"
      case .hubsOwnSetBack: "the hub's own clock set back"
      }
    let asGiven = given > 0 ? ", \(given) at the time that the lost clock showed, as not sure" : ""
    return
      """
      \(wearable): \(how) at \(Self.text(setAt)), times from \(Self.text(span.lowerBound)) to \
      \(Self.text(span.upperBound)) in doubt by \(Self.text(amount)): 
      """
        + "\(values - given - refused) values off by at most \(Self.text(worst))\(asGiven)"
        + (refused > 0 ? ", \(refused) refused as of the future" : "")
        + " (a hub was linked for \(unread / 1_000_000_000) s meanwhile)"
  }

  private static func text(_ moment: Int64) -> String { seconds(moment, since: Instant(nanoseconds: 0)) }

  /// Writes a moment in seconds of the run.
  static func seconds(_ moment: Int64, since start: Instant) -> String {
    if moment <= .min / 4 { return "ever" }
    return moment >= .max / 4 ? "the end" : "\(Double((moment - start.nanoseconds) / 1_000_000) / 1000) s"
  }
}
