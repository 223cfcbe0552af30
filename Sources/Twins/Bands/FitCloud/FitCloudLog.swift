// Every frame between a FitCloud band and its host, with the times from which follows how long a visit must take.

internal import EventLoop
internal import Simulation

/// What one band said and heard: the newest frames either way.
public struct FitCloudLog: Sendable {
  /// A frame of the band.
  struct Said: Sendable {
    /// Number of the link, from 1 on.
    let link: Int
    let sentAt: Instant
    /// When its last piece arrived, where all of them did.
    var deliveredAt: Instant?
  }

  /// A whole frame of the host.
  struct Heard: Sendable {
    let link: Int
    let at: Instant
    /// Of the frame.
    let bytes: Int
    /// From one connection event to the next, then.
    let event: Duration
  }

  /// Frames either way that are kept.
  static let limit = 2048
  private(set) var said: [Said] = []
  private(set) var heard: [Heard] = []
  /// Frames of the band that are not kept any more.
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

  // MARK: What judges ask

  /// How much of a stretch of one link no host could have spared. The band's frames take what they take until their
  /// last piece has arrived, and so does the band itself before it answers. Between two of them it waits for the host:
  /// for an acknowledgement, or for the next request. That takes one connection event, and a pause between two pieces.
  ///
  /// - Parameters:
  ///   - piece: bytes of a piece of the host's frames.
  ///   - pause: between two of them.
  func forced(link: Int, _ stretch: Range<Instant>, piece: Int, pause: Duration) -> Duration {
    var forced = Duration.zero
    /// All until here is accounted for.
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
