// Readings that nothing tells from others of the same values, of which a link ended before anything showed that their
// wearable knows that they are here: they may come again over the next one.

internal import EventLoop
public import Health
public import Reasons
internal import StateCodec

/// A reading without a time stamp, by its bytes.
public struct UnsettledReading: Sendable, Hashable {
  /// Of the characteristic by which it came.
  public let kind: ReadingMark
  /// Of the characteristic and the whole value.
  public let mark: ReadingMark

  /// Of one wearable, each of another characteristic: more kinds of reading than any has.
  static let limit = 4

  init(kind: ReadingMark, mark: ReadingMark) { (self.kind, self.mark) = (kind, mark) }

  /// - Parameters:
  ///   - characteristic: as it is on the wire.
  ///   - value: as it came.
  public init(characteristic: [UInt8], value: some Sequence<UInt8>) {
    self.init(kind: ReadingMark(of: characteristic), mark: ReadingMark(of: characteristic + Array(value)))
  }
}

extension Store {
  /// A reading is in the store, or on its way there, and its wearable may not know. That is remembered once the reading
  /// is durable, with the next commit, or by `keepReadings`.
  public func leaveUnsettled(_ reading: UnsettledReading, _ ticket: ReadingTicket, of wearable: WearableID) {
    ledger(of: wearable) { $0.leave(reading, ticket.through) }
    noteChangedReadings(wearable)
  }

  /// The one of this kind that an earlier link left, which is forgotten herewith; on disk with the next commit, or by
  /// `keepReadings`.
  public func takeUnsettled(_ kind: ReadingMark, of wearable: WearableID) -> (mark: ReadingMark, ticket: ReadingTicket)?
  {
    guard let left = ledger(of: wearable, { $0.takeUnsettled(kind) }) else { return nil }
    noteChangedReadings(wearable)
    return (left.mark, ReadingTicket(through: left.through))
  }

  private func noteChangedReadings(_ wearable: WearableID) {
    changedReadings.insert(wearable)
    armEventTimer()
  }

  /// Returns when the disk has what is known of readings now, and the readings themselves.
  public func keepReadings() async throws(HearthError) {
    try await flush()
    if !changedReadings.isEmpty { try await writeEvents() }
  }

  /// What has changed without a reading that would take it along to the disk, and is not overtaken by one there.
  func takeChangedReadings() -> [StateRecord<HubStates>] {
    let ready = changedReadings.filter { wearable in
      readingLedgers[wearable]?.isDurable(below: durableBelow) ?? true
        && !inFlight.contains { $0.batch.readings.contains { $0.wearable == wearable } }
    }
    changedReadings.subtract(ready)
    return ready.sorted { $0.number < $1.number }.compactMap { wearable in
      readingLedgers[wearable].map { ledger in
        StateRecord(wearable, ReadingMarks.name, RememberedStates.Entry(ledger.marks(below: durableBelow)))
      }
    }
  }
}
