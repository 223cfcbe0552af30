// Attempt that waits while the kernel still has the previous link.

import Bluetooth
import EventLoop
import Glibc

/// Attempt that is repeated while the kernel returns EBUSY. The kernel then has a channel to this wearable that is
/// closing, or an earlier connection that it has not yet cleaned up. That happens after a controller was unplugged, for
/// example. This passes by itself and is no fault of the wearable.
///
/// EBUSY after `patience` means that another program holds the channel for good.
///
/// The attempt is also repeated while the wearable is masked: another device advertises under its address and accepts
/// no connection. The kernel scans with the controller's duplicate filter, which may compare addresses only. The
/// wearable's own advertisement then counts as a duplicate until the scan restarts.
@LoopActor
final class PatientAttempt: ChannelAttempt {
  /// The kernel ends a link two seconds after its last channel, and a link without a controller about as late.
  static let patience: Duration = .seconds(4)
  /// Wait between two tries: some system calls, and no air time.
  static let step: Duration = .milliseconds(250)

  /// Wait between two checks whether the wearable is masked; it advertises several times meanwhile.
  static let look: Duration = .seconds(1)

  private let loop: any Loop
  private let deadline: Instant
  private let counters: RadioCounters
  private let isMasked: @LoopActor () -> Bool
  private let make: @LoopActor () -> any ChannelAttempt
  private var current: (any ChannelAttempt)?
  private var aborted: LinkError?
  private var timer: LoopTimer?
  /// Whether the current attempt was ended in order to repeat it.
  private var isAnew = false

  init(
    loop: any Loop, deadline: Instant, counters: RadioCounters, isMasked: @escaping @LoopActor () -> Bool = { false },
    make: @escaping @LoopActor () -> any ChannelAttempt
  ) {
    (self.loop, self.deadline, self.counters, self.isMasked) = (loop, deadline, counters, isMasked)
    self.make = make
  }

  func run() async throws(LinkError) -> any RadioBearer {
    watch()
    defer { if let timer { loop.cancel(timer) } }
    var until = min(deadline, loop.now + Self.patience)
    while true {
      if let aborted { throw aborted }
      let attempt = make()
      current = attempt
      do throws(LinkError) { return try await attempt.run() } catch {
        if isAnew, aborted == nil, !Task.isCancelled {
          isAnew = false
          until = min(deadline, loop.now + Self.patience)
          continue
        }
        if error != .system(errno: EBUSY) || loop.now + Self.step >= until { throw error }
        counters.attemptsBusy += 1
      }
      do { try await loop.sleep(for: Self.step) } catch { throw .aborted }
    }
  }

  private func watch() {
    timer = loop.schedule(after: Self.look) { [weak self] in
      guard let self else { return }
      watch()
      guard isMasked(), loop.now + Self.step < deadline else { return }
      isAnew = true
      current?.abort(.aborted)
    }
  }

  func abort(_ error: LinkError) {
    if aborted == nil { aborted = error }
    current?.abort(error)
  }
}
