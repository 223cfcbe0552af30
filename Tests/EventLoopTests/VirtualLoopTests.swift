import EventLoop
import Testing

@Suite("Virtual time")
struct VirtualLoopTests {
  @Test("a thousand sleepers wake in the order of their deadlines, and a day passes in no time")
  func sleepersWakeInOrder() throws {
    let order = try VirtualLoop.run { loop in
      let log = Log()
      let start = loop.now
      for index in 0..<1000 {
        loop.spawn {
          try? await loop.sleep(for: .seconds(86_400 - Int64(index * 7 % 1000)))
          log.entries.append(index * 7 % 1000)
        }
      }
      try await loop.sleep(for: .seconds(86_400))
      #expect((loop.now - start) == .seconds(86_400))
      return log.entries
    }
    #expect(order == Array((1..<1000).reversed()) + [0] || order == Array((1..<1000).reversed()))
  }

  @Test("a flow that waits for what cannot come ends as stuck, not as a hang")
  func stuckIsFound() {
    #expect(throws: VirtualLoopError.stuck) {
      try VirtualLoop.run { _ in await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
  }

  @Test("cancelling a sleeping flow wakes it at once")
  func cancelledSleepEndsAtOnce() throws {
    let waited = try VirtualLoop.run { loop in
      let start = loop.now
      let task = loop.spawn { try? await loop.sleep(for: .seconds(3600)) }
      try await loop.sleep(for: .seconds(1))
      task.cancel()
      await task.value
      return loop.now - start
    }
    #expect(waited == .seconds(1))
  }

  @Test("a cancelled timer never fires, also when its neighbours do")
  func cancelledTimersStaySilent() throws {
    let fired = try VirtualLoop.run { loop in
      let log = Log()
      let timers = (0..<200).map { index in
        loop.schedule(after: .milliseconds(Int64(index))) { log.entries.append(index) }
      }
      for timer in timers where timer != timers[7] { loop.cancel(timer) }
      try await loop.sleep(for: .seconds(1))
      return log.entries
    }
    #expect(fired == [7])
  }
}

@LoopActor
private final class Log {
  var entries: [Int] = []
}
