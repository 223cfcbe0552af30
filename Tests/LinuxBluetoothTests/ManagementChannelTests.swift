import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

/// A kernel that keeps what it was sent and answers when told.
@LoopActor
private final class Endpoint: ManagementPort {
  var sent: [[UInt8]] = []
  var failure: Int32 = 0
  func send(_ frame: [UInt8]) -> Int32 {
    sent.append(frame)
    return failure
  }
  func drain() {}
  func close() {}
}

@LoopActor
private final class Setting {
  let channel: ManagementChannel
  let counters = RadioCounters()
  let endpoint = Endpoint()
  var outcomes: [String] = []

  init(_ loop: any Loop) {
    channel = ManagementChannel(loop: loop, counters: counters)
    channel.port = endpoint
  }

  func send(_ command: ManagementCommand, _ index: UInt16 = 0, _ name: String) {
    channel.send(command, index: index) { [self] outcome in
      switch outcome {
      case .success(let parameters): outcomes.append("\(name): \(hexadecimal(parameters))")
      case .failure(let error): outcomes.append("\(name): \(error)")
      }
    }
  }

  func answer(_ hex: String) { ([UInt8](hexadecimal: hex) ?? []).withUnsafeBytes { channel.receive($0) } }
}

@Suite("The management channel")
struct ManagementChannelTests {
  @Test("does not send more equal commands than may wait, and says so")
  func queueFull() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      for _ in 0..<200 { setting.send(.setPowered(true), 0, "a") }
      try await loop.sleep(for: .milliseconds(1))
      #expect(setting.outcomes == Array(repeating: "a: not sent, errno \(EBUSY)", count: 72))
    }
  }

  @Test("gives each reply to the command of its opcode and index, in whatever order they come")
  func matching() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      setting.send(.setPowered(true), 0, "a")
      setting.send(.setPowered(true), 1, "b")
      setting.send(.getConnections, 0, "c")
      setting.answer("0100 0000 0500 1500 00 0000")
      setting.answer("0200 0100 0300 0500 11")
      setting.answer("0100 0000 0700 0500 00 01020000")
      #expect(setting.outcomes == ["c: 0000", "b: invalid index", "a: 01020000"])
    }
  }

  @Test("has one command of a kind with the kernel at a time")
  func queue() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      setting.send(.setPowered(false), 0, "off")
      setting.send(.setPowered(true), 0, "on")
      #expect(setting.endpoint.sent.count == 1)
      setting.answer("0100 0000 0700 0500 00 00020000")
      #expect(setting.endpoint.sent.count == 2)
      setting.answer("0100 0000 0700 0500 00 01020000")
      #expect(setting.outcomes == ["off: 00020000", "on: 01020000"])
    }
  }

  @Test("gives up after ten seconds, counts a reply that comes later, and goes on with what waited")
  func timeout() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      setting.send(.getConnections, 0, "first")
      setting.send(.getConnections, 0, "second")
      try await loop.sleep(for: .milliseconds(9_999))
      #expect(setting.outcomes.isEmpty)
      try await loop.sleep(for: .milliseconds(2))
      #expect(setting.outcomes == ["first: no answer"])
      #expect(setting.endpoint.sent.count == 2)
      setting.answer("0100 0000 0500 1500 00 0000")
      #expect(setting.outcomes == ["first: no answer", "second: 0000"])
      setting.answer("0100 0000 0500 1500 00 0000")
      #expect(setting.counters.managementUnmatched == 1)
      #expect(setting.counters.managementTimeouts == 1)
    }
  }

  @Test("does not take a reply about another wearable")
  func peers() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      setting.send(.disconnect(strap), 0, "disconnect")
      setting.answer("0100 0000 0A00 1400 00 09F4F3F2F1F002")
      #expect(setting.outcomes.isEmpty)
      setting.answer("0100 0000 0A00 1400 00 00F4F3F2F1F002")
      #expect(setting.outcomes == ["disconnect: 00F4F3F2F1F002"])
    }
  }

  @Test("reports a failed send, and ends every wait when it closes")
  func failures() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      setting.endpoint.failure = EPERM
      setting.send(.readExtendedIndexList, 0xFFFF, "refused")
      #expect(setting.outcomes == ["refused: not sent, errno \(EPERM)"])
      setting.endpoint.failure = 0
      setting.send(.readInfo, 0, "a")
      setting.send(.readInfo, 0, "b")
      setting.channel.failAll()
      #expect(setting.outcomes.dropFirst() == ["a: channel closed", "b: channel closed"])
      setting.channel.port = nil
      setting.send(.readInfo, 0, "c")
      #expect(setting.outcomes.last == "c: channel closed")
    }
  }

  @Test("counts what is malformed and hands on what is an event")
  func events() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop)
      var events: [ManagementEvent] = []
      setting.channel.onEvent = { _, event in events.append(event) }
      setting.answer("0400 0000 0000")
      setting.answer("0600 0000 0400 0102")
      setting.answer("06")
      #expect(events == [.indexAdded])
      #expect(setting.counters.managementMalformed == 2)
    }
  }

  @Test(
    "of a real socket takes a send that returns 0 for sent, and delivers whole datagrams until the other end is gone")
  func socket() throws {
    try EpollLoop.run { loop in
      let (ours, theirs) = try seqpacketPair()
      var received: [[UInt8]] = []
      var failures: [SystemError] = []
      let socket = ManagementSocket(
        loop: loop, descriptor: ours, receive: { received.append(Array($0)) }, failed: { failures.append($0) })
      #expect(socket.send([]) == 0)
      #expect(socket.send([1, 2, 3]) == 0)
      for size in [6, 2000] {
        _ = [UInt8](repeating: 9, count: size).withUnsafeBytes { send(theirs, $0.baseAddress, $0.count, 0) }
      }
      socket.drain()
      #expect(received.map(\.count) == [6, 2000])
      close(theirs)
      try await loop.sleep(for: .milliseconds(20))
      #expect(failures.count == 1)
      #expect(socket.send([1]) == EBADF)
      socket.close()
    }
  }
}

/// Message boundaries as on Bluetooth sockets. Both ends non-blocking.
func seqpacketPair() throws -> (Int32, Int32) {
  var pair: [Int32] = [-1, -1]
  let result = socketpair(
    AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
  try #require(result == 0)
  return (pair[0], pair[1])
}
