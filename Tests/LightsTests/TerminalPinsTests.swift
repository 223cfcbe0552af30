import CLinux
import EventLoop
import Foundation
import Lights
import Testing

@Suite("Lights without GPIO")
struct TerminalPinsTests {
  @Test("are a line of text that changes with each edge")
  func line() throws {
    try VirtualLoop.run { _ in
      let pins = TerminalPins()
      #expect(pins.line == "HUB [ ]  LINK [ ]  STORE [ ]")
      pins.set(.hub, true)
      pins.set(.link, true)
      #expect(pins.line == "HUB [*]  LINK [*]  STORE [ ]")
      pins.set(.hub, false)
      #expect(pins.line == "HUB [ ]  LINK [*]  STORE [ ]")
    }
  }

  @Test("are drawn on a terminal, once per change, and not into a file or a pipe")
  func drawing() throws {
    let (terminal, other) = try pseudoTerminal()
    defer {
      close(terminal)
      close(other)
    }
    let pipe = Pipe()
    try VirtualLoop.run { _ in
      let drawn = TerminalPins(drawingOn: other)
      drawn.set(.hub, true)
      drawn.set(.hub, true)
      let piped = TerminalPins(drawingOn: pipe.fileHandleForWriting.fileDescriptor)
      piped.set(.hub, true)
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(terminal, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "\rHUB [*]  LINK [ ]  STORE [ ]\r")
    try pipe.fileHandleForWriting.close()
    #expect(pipe.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }

  /// Both ends of a pseudo-terminal: the reading end, and the end that is a terminal to its writer. By ioctl_tty(2),
  /// since the library's calls for it are not in Swift's Glibc module.
  private func pseudoTerminal() throws -> (Int32, Int32) {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    var unlocked: Int32 = 0
    let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
    let peer: UInt = 0x5441  // TIOCGPTPEER
    let isUnlocked = withUnsafeMutablePointer(to: &unlocked) {
      hearth_ioctl_int(terminal, setLock, Int(bitPattern: $0)) == 0
    }
    let other = hearth_ioctl_int(terminal, peer, Int(O_RDWR | O_NOCTTY))
    try #require(isUnlocked && other >= 0)
    return (terminal, other)
  }
}
