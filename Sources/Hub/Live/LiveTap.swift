// Analysers of live values beside the journal: called on the same path, in the order of the wire, synchronously.

import EventLoop
import Health

/// Analyses the values of one wearable. Called for every value, so it must not allocate memory for each.
///
///     packetBegan   contact   value, values …   packetEnded
///
/// A value that comes by no notification (advertised, read or confirmed) comes without a packet around it.
@LoopActor
protocol LiveTap: AnyObject {
  /// A notification came; the calls until its end belong to it.
  func packetBegan(at time: Instant)
  /// The sensor's report of its contact with the skin.
  func contact(_ isOnSkin: Bool, at time: Instant)
  /// A scalar value.
  ///
  /// - Parameter time: arrival; for a reading with its own time, its measurement.
  func value(_ sample: Sample, at time: Instant)
  /// A scalar value of a reading that its wearable had stored.
  ///
  /// - Parameters:
  ///   - time: measurement; arrival if that is unknown.
  ///   - isSure: as sure as the hub's own clock.
  ///   - isKnown: false: the age is unknown.
  func reading(_ sample: Sample, at time: Instant, isSure: Bool, isKnown: Bool)
  /// The components of one moment.
  ///
  /// - Parameter time: arrival.
  func values(_ series: Series, _ values: UnsafeBufferPointer<Int64>, at time: Instant)
  func packetEnded()
}

extension LiveTap {
  func reading(_ sample: Sample, at time: Instant, isSure: Bool, isKnown: Bool) { value(sample, at: time) }
}
