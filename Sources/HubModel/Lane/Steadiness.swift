// What a wearable's links cost and bring, counted in seconds: who streams all the time it is linked is steady, and its
// slot is its own for a moment when its link is lost.

import EventLoop

/// Seconds for which values came over a wearable's links, less those for which it held a slot and was silent.
///
/// `Trust` says that something came; one value on each link is enough for that. This says whether a link is worth its
/// slot.
package struct Steadiness: Equatable {
  /// What everybody begins with: six links that break at once, or fifteen silent seconds.
  private static let benefit = 30.0
  /// Who has so much is steady: it streamed for a minute more than it cost.
  private static let enough = 90.0
  /// Ten minutes of streaming; who has them may be silent for some four before it is as anybody else.
  private static let most = 600.0
  /// A strap that was taken off is as good as new after a minute of values.
  private static let least = -60.0
  /// Making a link costs the radio a second or two, and the discovery four.
  private static let linkCost = 5.0
  /// A silent second takes the slot from somebody who streams and loses as much.
  private static let silentCost = 2.0

  private var seconds = Self.benefit

  package init() {}

  package var isSteady: Bool { seconds >= Self.enough }
  /// In thirds of what can be had: who streamed longer than others keeps its slot before them.
  package var level: Int { Int(max(seconds, 0) * 3 / Self.most) }
  /// It cost more than it brought.
  package var isPoor: Bool { seconds < 0 }

  /// It was steady in an earlier life of the hub: it still is after six links that break at once.
  package mutating func remembered() { seconds = max(seconds, Self.enough + 6 * Self.linkCost) }

  /// - Parameters:
  ///   - heard: how long values came over a link.
  ///   - silent: how long none did.
  package mutating func add(heard: Duration, silent: Duration) {
    seconds += heard.inSeconds - Self.silentCost * silent.inSeconds
    seconds = min(max(seconds, Self.least), Self.most)
  }

  package mutating func linkEnded() { seconds = max(seconds - Self.linkCost, Self.least) }
}
