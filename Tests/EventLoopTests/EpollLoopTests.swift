import CLinux
import EventLoop
import Foundation
import Testing

@Suite("The epoll loop")
struct EpollLoopTests {
  @Test("a whole run with tasks, yields and nonisolated async calls stays on one thread")
  func oneThread() throws {
    let seen = try EpollLoop.run { loop in
      let log = ThreadLog()
      for _ in 0..<20 {
        loop.spawn {
          log.note()
          await Task.yield()
          log.note()
          await nonisolatedWork(log)
        }
      }
      try await loop.sleep(for: .milliseconds(20))
      return log.threads.count
    }
    #expect(seen == 1)
  }

  @Test("both clocks are one reading: their distance is the same at the end of a long turn as at its beginning")
  func oneReading() throws {
    try EpollLoop.run { loop in
      @LoopActor func distance() -> Int64 { loop.wall.microseconds - loop.now.nanoseconds / 1000 }
      let before = distance()
      let end = Date() + 0.04
      let time = loop.wall
      var isSame = true
      while Date() < end { isSame = isSame && loop.wall == time }
      #expect(isSame, "two times within one event")
      #expect(abs(distance() - before) <= 1, "\(distance() - before) µs")
      try await loop.sleep(for: .milliseconds(1))
      #expect(abs(distance() - before) <= 1, "\(distance() - before) µs")
    }
  }

  @Test("a descriptor's handler is called when it is readable, and never after its watch ended")
  func watchesEnd() throws {
    let count = try EpollLoop.run { loop in
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
      let log = ThreadLog()
      let reader = ends[0]
      let watch = loop.watch(reader, for: .readable) { _ in
        var byte: UInt8 = 0
        _ = read(reader, &byte, 1)
        log.calls += 1
      }
      _ = write(ends[1], [1], 1)
      try await loop.sleep(for: .milliseconds(10))
      watch.end()
      _ = write(ends[1], [2], 1)
      try await loop.sleep(for: .milliseconds(10))
      close(ends[0])
      close(ends[1])
      return log.calls
    }
    #expect(count == 1)
  }

  @Test("disk work runs on another thread and its result comes back to the loop")
  func diskThreadReturns() throws {
    let (same, value) = try EpollLoop.run { loop in
      let disk = DiskThread()
      let mine = UInt(pthread_self())
      let theirs = try await disk.perform { UInt(pthread_self()) }
      LoopExecutor.shared.checkIsolated()
      await #expect(throws: CancellationError.self) { try await disk.perform { throw CancellationError() } }
      disk.shutDown()
      return (mine == theirs, theirs)
    }
    #expect(!same)
    #expect(value != 0)
  }

  @Test("an idle loop with one far timer does not wake up")
  func idleIsQuiet() throws {
    let wakeUps = try EpollLoop.run { loop in
      loop.schedule(after: .seconds(60)) {}
      let before = loop.statistics.wakeUps
      try await loop.sleep(for: .milliseconds(200))
      return loop.statistics.wakeUps - before
    }
    #expect(wakeUps <= 2)
  }
}

private func nonisolatedWork(_ log: ThreadLog) async { await log.note() }

@LoopActor
private final class ThreadLog {
  var threads: Set<UInt> = []
  var calls = 0
  func note() { threads.insert(UInt(pthread_self())) }
}
