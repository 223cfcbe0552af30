// Attempts that meet a link of before.

import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

@Suite("An attempt that the kernel answers with EBUSY")
struct PatientAttemptTests {
  @LoopActor
  private final class Busy: ChannelAttempt {
    let error: LinkError
    init(_ error: LinkError) { self.error = error }
    func run() async throws(LinkError) -> any RadioBearer { throw error }
    func abort(_ error: LinkError) {}
  }

  @LoopActor
  private static func outcome(
    _ loop: VirtualLoop, deadline: Duration, _ errors: @escaping @LoopActor (Int) -> LinkError
  )
    async -> (error: LinkError?, tries: Int, time: Duration)
  {
    var tries = 0
    let start = loop.now
    let attempt = PatientAttempt(loop: loop, deadline: loop.now + deadline, counters: RadioCounters()) {
      tries += 1
      return Busy(errors(tries))
    }
    do throws(LinkError) {
      _ = try await attempt.run()
      return (nil, tries, loop.now - start)
    } catch {
      return (error, tries, loop.now - start)
    }
  }

  @Test("is made again until it is no longer busy, for four seconds at most and never past its deadline")
  func patience() throws {
    try VirtualLoop.run { loop in
      let passing = await Self.outcome(loop, deadline: .seconds(10)) { $0 < 9 ? .system(errno: EBUSY) : .notHeard }
      #expect(passing.error == .notHeard && passing.tries == 9)
      let held = await Self.outcome(loop, deadline: .seconds(10)) { _ in .system(errno: EBUSY) }
      #expect(held.error == .system(errno: EBUSY))
      #expect(held.time <= .seconds(4))
      let short = await Self.outcome(loop, deadline: .seconds(1)) { _ in .system(errno: EBUSY) }
      #expect(short.time < .seconds(1))
      let other = await Self.outcome(loop, deadline: .seconds(10)) { _ in .linkLost }
      #expect(other.tries == 1 && other.error == .linkLost)
    }
  }

  /// An attempt that waits until it is ended.
  @LoopActor
  private final class Waiting: ChannelAttempt {
    private let loop: any Loop
    private let after: Duration
    private var isAborted: LinkError?
    init(_ loop: any Loop, after: Duration) { (self.loop, self.after) = (loop, after) }
    func run() async throws(LinkError) -> any RadioBearer {
      let end = loop.now + after
      while isAborted == nil, loop.now < end { try? await loop.sleep(for: .milliseconds(50)) }
      throw isAborted ?? .notHeard
    }
    func abort(_ error: LinkError) { isAborted = error }
  }

  @Test("is made again each second while other advertisements hide the wearable's, and not past its deadline")
  func masked() throws {
    try VirtualLoop.run { loop in
      var tries = 0
      var isMasked = true
      let attempt = PatientAttempt(
        loop: loop, deadline: loop.now + .seconds(4), counters: RadioCounters(), isMasked: { isMasked }
      ) {
        tries += 1
        return Waiting(loop, after: .seconds(4))
      }
      let start = loop.now
      loop.schedule(after: .milliseconds(2500)) { isMasked = false }
      do throws(LinkError) {
        _ = try await attempt.run()
        #expect(Bool(false), "there is nobody")
      } catch { #expect(error == .notHeard) }
      #expect(tries == 3 && loop.now - start < .milliseconds(6200))
      isMasked = true
      loop.schedule(after: .milliseconds(1700)) { attempt.abort(.adapterGone) }
      do throws(LinkError) { _ = try await attempt.run() } catch { #expect(error == .adapterGone) }
    }
  }
}
