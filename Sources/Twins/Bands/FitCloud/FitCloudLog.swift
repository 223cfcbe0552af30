// Log of all frames between a FitCloud band and its host, with times that determine the shortest possible visit.

internal import EventLoop
internal import Simulation

/// Frames that one band sent and received: the newest of each direction.
public struct FitCloudLog: Sendable {
  /// Frame of the band.
  struct Said: Sendable {
    /// Number of the link, from 1 on.
    let link: Int
    let sentAt: Instant
    /// Arrival of its last piece, if all arrived.
    var deliveredAt: Instant?
  }

  /// A complete frame of the host.
  struct Heard: Sendable {
    let link: Int
    let at: Instant
    /// Length of the frame.
    let bytes: Int
    /// Connection interval at that time.
    let event: Duration
  }

  /// Maximum number of stored frames of each direction.
  static let limit = 2048
  private(set) var said: [Said] = []
  private(set) var heard: [Heard] = []
  /// Frames of the band that are no longer stored.
  private var forgotten = 0

  /// - Returns: its number.
  mutating func noteSaid(link: Int, at now: Instant) -> Int {
    if said.count == Self.limit {
      said.removeFirst(Self.limit / 2)
      forgotten += Self.limit / 2
    }
    said.append(Said(link: link, sentAt: now))
    return forgotten + said.count - 1
  }

  mutating func noteDelivered(_ number: Int, at now: Instant) {
    if number >= forgotten { said[number - forgotten].deliveredAt = now }
  }

  mutating func noteHeard(bytes: Int, link: Int, event: Duration, at now: Instant) {
    if heard.count == Self.limit { heard.removeFirst(Self.limit / 2) }
    heard.append(Heard(link: link, at: now, bytes: bytes, event: event))
  }

  // MARK: For judges

  /// Part of a period of one link that no host could have avoided. Frames of the band take until the arrival of their
  /// last piece, and the band takes time to answer. In between it waits for the host's acknowledgement or next request.
  /// That takes one connection event, and a pause between two pieces.
  ///
  /// - Parameters:
  ///   - piece: bytes of a piece of the host's frames.
  ///   - pause: between two pieces.
  func forced(link: Int, _ stretch: Range<Instant>, piece: Int, pause: Duration) -> Duration {
    var forced = Duration.zero
    /// End of the part that is accounted for.
    var reached = stretch.lowerBound
    let frames = said.filter { $0.link == link && stretch.contains($0.sentAt) }.sorted { $0.sentAt < $1.sentAt }
    for frame in frames {
      if frame.sentAt > reached {
        let awaited = heard.filter { $0.link == link && $0.at > reached && $0.at <= frame.sentAt }
        if let last = awaited.last {
          let pauses = awaited.reduce(0) { $0 + ($1.bytes - 1) / piece }
          forced = forced + min(last.at - reached, last.event + pause * pauses)
          reached = last.at
        }
        forced = forced + (frame.sentAt - reached)
        reached = frame.sentAt
      }
      guard let end = frame.deliveredAt.map({ min($0, stretch.upperBound) }), end > reached else { continue }
      forced = forced + (end - reached)
      reached = end
    }
    return forced
  }
}
