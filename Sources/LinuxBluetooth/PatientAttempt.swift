// What if the kernel still has the link before this one?

import Bluetooth
import EventLoop
import Glibc

/// An attempt that is made again while the kernel answers EBUSY: it has a channel to this wearable that is about to go,
/// or a connection of before that it has not yet taken leave of, as after a controller that was pulled out. That passes
/// by itself and is no fault of the wearable's.
///
/// Another program that holds the channel for good is what is left after `patience`.
@LoopActor
final class PatientAttempt: ChannelAttempt {
  /// The kernel ends a link two seconds after its last channel, and one whose controller is gone about as late.
  static let patience: Duration = .seconds(4)
  /// Between two tries: some system calls, and no air time.
  static let step: Duration = .milliseconds(250)

  private let loop: any Loop
  private let deadline: Instant
  private let counters: RadioCounters
  private let make: @LoopActor () -> any ChannelAttempt
  private var current: (any ChannelAttempt)?
  private var aborted: LinkError?

  init(
    loop: any Loop, deadline: Instant, counters: RadioCounters, make: @escaping @LoopActor () -> any ChannelAttempt
  ) {
    (self.loop, self.deadline, self.counters, self.make) = (loop, deadline, counters, make)
  }

  func run() async throws(LinkError) -> any RadioBearer {
    let until = min(deadline, loop.now + Self.patience)
    while true {
      if let aborted { throw aborted }
      let attempt = make()
      current = attempt
      do throws(LinkError) { return try await attempt.run() } catch {
        if error != .system(errno: EBUSY) || loop.now + Self.step >= until { throw error }
        counters.attemptsBusy += 1
      }
      do { try await loop.sleep(for: Self.step) } catch { throw .aborted }
    }
  }

  func abort(_ error: LinkError) {
    if aborted == nil { aborted = error }
    current?.abort(error)
  }
}
