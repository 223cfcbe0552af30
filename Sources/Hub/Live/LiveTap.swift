// Who analyses live values beside the journal: told on the same way, in the order of the wire, synchronously.

import EventLoop
import Health

/// Analyses what one wearable sends. Told of every value: it must not allocate for each.
///
///     packetBegan   contact   value, values …   packetEnded
///
/// What comes by no notification (an advertisement, a value that was read or confirmed) comes without a packet around
/// it.
@LoopActor
protocol LiveTap: AnyObject {
  /// A notification came; what follows was in it.
  func packetBegan(at time: Instant)
  /// What its sensor says of its contact with the skin.
  func contact(_ isOnSkin: Bool, at time: Instant)
  /// One number.
  ///
  /// - Parameter time: when it came; of a reading that tells its own time, when it was measured.
  func value(_ sample: Sample, at time: Instant)
  /// One number of a reading that its wearable kept.
  ///
  /// - Parameters:
  ///   - time: when it was measured; when it came, where that is not known.
  ///   - isSure: as sure as the hub's own clock.
  ///   - isKnown: false: nothing tells how old it is.
  func reading(_ sample: Sample, at time: Instant, isSure: Bool, isKnown: Bool)
  /// The components of one moment.
  ///
  /// - Parameter time: when they came.
  func values(_ series: Series, _ values: UnsafeBufferPointer<Int64>, at time: Instant)
  func packetEnded()
}

extension LiveTap {
  func reading(_ sample: Sample, at time: Instant, isSure: Bool, isKnown: Bool) { value(sample, at: time) }
}
