// The file that tells whether the clock is synchronised.

import CLinux
import Glibc
import Testing

@testable import EventLoop

@Suite("The word of whether the clock is synchronised")
struct ClockWordTests {
  @Test("is what the kernel says, and counts while it is fresh and a plain file")
  func told() throws {
    let path = "/tmp/hearth-clock-\(getpid())"
    defer { unlink(path) }
    let word = ClockWord(path: path)
    #expect(!word.isHeard)
    guard let kernel = ClockWord.kernel() else { return }
    #expect(word.tell())
    #expect(word.isHeard == kernel)
    #expect(word.tell(), "again")
    #expect(ClockWord.isSynchronised == kernel)

    unlink(path)
    #expect(close(hearth_open(path, O_WRONLY | O_CREAT, 0o644)) == 0)
    #expect(word.isHeard)
    for age in [ClockWord.freshness + 5, -ClockWord.freshness - 5] {
      let old = timespec(tv_sec: time(nil) - age, tv_nsec: 0)
      let times = [old, old]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      #expect(!word.isHeard, "\(age) s old")
    }
    unlink(path)
    #expect(symlink("/etc/hostname", path) == 0)
    #expect(!word.isHeard, "a link is nobody's word")
    #expect(!ClockWord(path: "/nowhere/at/all").isHeard)
  }
}
