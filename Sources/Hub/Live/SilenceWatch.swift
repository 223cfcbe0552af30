// Silent links: whether one is still there, and since when it is no longer live.

import Bluetooth
import EventLoop

/// Watches one settled link: requests a proof after a minute without values, and reports when the link ceases to be
/// live.
@LoopActor
final class SilenceWatch {
  private let client: GATTClient
  private let intake: LiveIntake
  private let loop: any Loop
  /// Time of the last check after a silence.
  private var lastCheck: Instant
  private var checkTimer: LoopTimer?
  private var silenceTimer: LoopTimer?
  /// Handle of a value that can be read.
  private var proof: UInt16?
  private var isProving = false
  /// Called when the link is no longer live, to update what is shown; no other event happens then.
  var onSilent: @LoopActor () -> Void = {}

  /// A strap sends about one value a second, so a minute of silence is odd: it was taken off, or the link is dead
  /// unnoticed. A read decides. An answer proves the link; without one within 30 s the link ends (ATT transaction
  /// time-out).
  static let bound: Duration = .seconds(60)

  init(_ client: GATTClient, _ intake: LiveIntake, loop: any Loop) {
    self.client = client
    self.intake = intake
    self.loop = loop
    lastCheck = loop.now
  }

  /// The link has settled, and was not closed since.
  var isWatching: Bool { checkTimer != nil }

  /// Sets the value to read; the first one counts.
  func proves(by handle: UInt16) { if proof == nil { proof = handle } }

  /// Starts the watch when the link has settled.
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

  /// Watches from now on, until the link is no longer live.
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
      // The answer itself is the proof. Without one the bearer closes, and the hub gets `onClosed`.
      _ = try? await self?.client.read(handle)
      self?.isProving = false
    }
  }
}
