// What if the kernel still has the link before this one?

import Bluetooth
import EventLoop
import Glibc

/// An attempt that is made again while the kernel answers EBUSY: it has a channel to this wearable that is about to go,
/// or a connection of before that it has not yet taken leave of, as after a controller that was pulled out. That passes
/// by itself and is no fault of the wearable's.
///
/// Another program that holds the channel for good is what is left after `patience`.
///
/// It is made anew also while the wearable is masked: somebody advertises under its address and takes no connection.
/// The kernel's wait scans with the controller's filter of duplicates, which may go by the address alone: the
/// wearable's own advertisement is one then, until the scan is begun anew.
@LoopActor
final class PatientAttempt: ChannelAttempt {
  /// The kernel ends a link two seconds after its last channel, and one whose controller is gone about as late.
  static let patience: Duration = .seconds(4)
  /// Between two tries: some system calls, and no air time.
  static let step: Duration = .milliseconds(250)

  /// From one look to the next whether it is masked: the wearable advertises several times in it.
  static let look: Duration = .seconds(1)

  private let loop: any Loop
  private let deadline: Instant
  private let counters: RadioCounters
  private let isMasked: @LoopActor () -> Bool
  private let make: @LoopActor () -> any ChannelAttempt
  private var current: (any ChannelAttempt)?
  private var aborted: LinkError?
  private var timer: LoopTimer?
  /// The current one was ended to be made anew.
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
