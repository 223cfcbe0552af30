import CLinux
import EventLoop
import Foundation
import Testing

/// What the log is written to, with another end that reads when the test wants it.
private enum Reader: CaseIterable {
  case stream, datagrams, pipe, terminal

  func open() throws -> (log: Int32, reader: Int32) {
    var ends: [Int32] = [-1, -1]
    switch self {
    case .stream: try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    case .datagrams: try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
    case .pipe:
      try #require(Glibc.pipe(&ends) == 0)
      ends.swapAt(0, 1)
    case .terminal:
      // TIOCSPTLCK, and TIOCGPTPEER (ioctl_tty(2)): posix_openpt is hidden without _GNU_SOURCE.
      let master = hearth_open("/dev/ptmx", O_RDWR | O_NOCTTY, 0)
      try #require(master >= 0)
      var isLocked: CInt = 0
      _ = withUnsafeMutablePointer(to: &isLocked) { hearth_ioctl_int(master, 0x4004_5431, Int(bitPattern: $0)) }
      ends = [hearth_ioctl_int(master, 0x5441, Int(O_RDWR | O_NOCTTY)), master]
      try #require(ends[0] >= 0)
      var modes = termios()
      tcgetattr(ends[0], &modes)
      cfmakeraw(&modes)
      tcsetattr(ends[0], TCSANOW, &modes)
    }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }
}

/// All that waits for the reader.
private func drain(_ reader: Int32) -> String {
  var text: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(reader, &buffer, buffer.count)
    if count <= 0 { return String(decoding: text, as: UTF8.self) }
    text += buffer[..<count]
  }
}

@Suite("A log that another process reads")
struct LogOutputTests {
  @Test(
    "a reader that stands still stops no writer, and gets the number of missed lines later", arguments: Reader.allCases)
  private func standsStill(_ kind: Reader) throws {
    let (log, reader) = try kind.open()
    let before = fcntl(log, F_GETFL)
    let output = LogOutput(log)
    func say(_ line: Int) { output.write("line \(line) \(String(repeating: "x", count: 90))\n") { "\($0) missing\n" } }

    // 20 MB: no buffer of the kernel holds that by default.
    for line in 0..<200_000 { say(line) }
    #expect(fcntl(log, F_GETFL) == before, "the flags are those of whoever opened it")
    let first = drain(reader).split(separator: "\n")
    for line in 200_000..<200_003 { say(line) }
    let lines = first + drain(reader).split(separator: "\n")
    close(log)
    close(reader)

    // A line that was cut by the end of the buffer is put together again.
    let text = lines.joined(separator: "\n")
    let whole = text.split(separator: "\n").filter { $0.hasPrefix("line ") && $0.utf8.last == UInt8(ascii: "x") }
    let missing = lines.compactMap { line in line.hasSuffix(" missing") ? Int(line.dropLast(8)) : nil }
    // What a terminal holds the kernel moves on by itself, when it gets to it: then there is room for a while.
    #expect(missing.count == 1 || kind == .terminal && missing.count > 1, "\(missing)")
    #expect(whole.count + missing.reduce(0, +) >= 200_002, "\(whole.count) lines and \(missing) missing")
    #expect(lines.suffix(4).map { String($0.prefix(11)) }.suffix(3) == ["line 200000", "line 200001", "line 200002"])
  }

  @Test("a reader that is gone causes no fault") func gone() throws {
    signal(SIGPIPE, SIG_IGN)
    let (log, reader) = try Reader.stream.open()
    close(reader)
    let output = LogOutput(log)
    for line in 0..<10 { output.write("line \(line)\n") { "\($0) missing\n" } }
    close(log)
  }
}
