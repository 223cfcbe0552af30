// Stability: what a wearable's links cost and deliver, counted in seconds. A wearable that streams all the time it is
// linked is stable, and its slot is reserved for a moment when its link is lost.

import EventLoop

/// Seconds with values over a wearable's links, minus those in which it held a slot silently.
///
/// `Reputation` counts whether any data came, and one value on each link is enough for that. Stability measures
/// whether a link is worth its slot.
package struct LinkStability: Equatable {
  /// The initial count: six links that break at once, or fifteen silent seconds.
  private static let benefit = 30.0
  /// Count from which it is stable: it streamed for a minute more than it cost.
  private static let enough = 90.0
  /// Limit: ten minutes of streaming. A wearable with this count may be silent for some four before it is like any
  /// other.
  private static let most = 600.0
  /// A strap that was taken off is like a new one after a minute of values.
  private static let least = -60.0
  /// Making a link costs the radio a second or two, and the discovery four.
  private static let linkCost = 5.0
  /// A silent second takes the slot from a wearable that would stream, and loses as much.
  private static let silentCost = 2.0

  private var seconds = Self.benefit

  package init() {}

  package var isStable: Bool { seconds >= Self.enough }
  /// Level in thirds of the limit: a wearable that streamed longer keeps its slot before others.
  package var level: Int { Int(max(seconds, 0) * 3 / Self.most) }
  /// Whether it cost more than it delivered (unstable).
  package var isUnstable: Bool { seconds < 0 }

  /// Notes that it was stable in an earlier life of the hub: it stays so after six links that break at once.
  package mutating func remembered() { seconds = max(seconds, Self.enough + 6 * Self.linkCost) }

  /// - Parameters:
  ///   - heard: time with values over a link.
  ///   - silent: time without values.
  package mutating func add(heard: Duration, silent: Duration) {
    seconds += heard.inSeconds - Self.silentCost * silent.inSeconds
    seconds = min(max(seconds, Self.least), Self.most)
  }

  package mutating func linkEnded() { seconds = max(seconds - Self.linkCost, Self.least) }
}
