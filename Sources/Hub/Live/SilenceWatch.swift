// Whether a link over which nothing comes is still there, and since when it is no longer live.

import Bluetooth
import EventLoop

/// Watches one settled link: asks for a proof where nothing came for a minute, and says when the link ceases to be
/// live.
@LoopActor
final class SilenceWatch {
  private let client: GATTClient
  private let intake: LiveIntake
  private let loop: any Loop
  /// When silence was last looked into.
  private var lastCheck: Instant
  private var checkTimer: LoopTimer?
  private var silenceTimer: LoopTimer?
  /// Handle of a value that can be read.
  private var proof: UInt16?
  private var isProving = false
  /// Whoever shows the link is told when it is no longer live: nothing else happens then.
  var onSilent: @LoopActor () -> Void = {}

  /// A strap reports about once a second, so a minute of silence is odd: taken off, or a link that is dead without
  /// knowing. A read tells: an answer proves the link, none within 30 s ends it (ATT transaction time-out).
  static let bound: Duration = .seconds(60)

  init(_ client: GATTClient, _ intake: LiveIntake, loop: any Loop) {
    self.client = client
    self.intake = intake
    self.loop = loop
    lastCheck = loop.now
  }

  /// The link has settled, and was not closed since.
  var isWatching: Bool { checkTimer != nil }

  /// The first such value counts.
  func proves(by handle: UInt16) { if proof == nil { proof = handle } }

  /// The link has settled.
  func begin() {
    if let checkTimer { loop.cancel(checkTimer) }
    armCheck()
    watch()
  }

  func end() {
    if let checkTimer { loop.cancel(checkTimer) }
    checkTimer = nil
    if let silenceTimer { loop.cancel(silenceTimer) }
    silenceTimer = nil
  }

  /// From now on, until it is no longer live.
  func watch() {
    if let silenceTimer { loop.cancel(silenceTimer) }
    silenceTimer = loop.schedule(at: intake.liveUntil + .nanoseconds(1)) { [weak self] in
      guard let self else { return }
      silenceTimer = nil
      if loop.now <= intake.liveUntil { return watch() }
      onSilent()
    }
  }

  private var lastSign: Instant { max(lastCheck, intake.lastNotification) }

  private func armCheck() {
    checkTimer = loop.schedule(at: lastSign + Self.bound) { [weak self] in self?.check() }
  }

  private func check() {
    if loop.now - lastSign < Self.bound { return armCheck() }
    lastCheck = loop.now
    armCheck()
    guard let handle = proof, !isProving else { return }
    isProving = true
    loop.spawn { [weak self] in
      // The answer itself is the proof; no answer closes the bearer, and the hub hears of that by onClosed.
      _ = try? await self?.client.read(handle)
      self?.isProving = false
    }
  }
}
