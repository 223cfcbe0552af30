import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

/// A bearer on one end of a socket pair; the test plays the kernel and the wearable on the other.
@LoopActor
private final class Setting {
  let loop: EpollLoop
  let counters = RadioCounters()
  let bearer: L2CAPBearer
  let theirs: Int32
  var received: [[UInt8]] = []
  var ends: [LinkError] = []
  var endings: [Bool] = []
  var writable = 0

  init(_ loop: EpollLoop, sendBuffer: Int32? = nil) throws {
    self.loop = loop
    let (ours, theirs) = try seqpacketPair()
    self.theirs = theirs
    if let sendBuffer { setOption(ours, SO_SNDBUF, sendBuffer) }
    let box = Box()
    let request = ChannelRequest(
      local: strap, peer: strap, deadline: loop.now, explain: { code, _ in LinkTrouble.whileConnected(code) },
      ended: { _, immediately in box.setting?.endings.append(immediately) })
    bearer = L2CAPBearer(loop: loop, descriptor: ours, counters: counters, request: request)
    box.setting = self
  }

  @LoopActor
  private final class Box {
    weak var setting: Setting?
    nonisolated init() {}
  }

  func listen() {
    bearer.onClosed = { [weak self] in self?.ends.append($0) }
    bearer.onWritable = { [weak self] in self?.writable += 1 }
    bearer.onReceive = { [weak self] in self?.received.append(Array($0)) }
  }

  func say(_ pdu: [UInt8]) { _ = pdu.withUnsafeBytes { send(theirs, $0.baseAddress, $0.count, 0) } }
  func hangUp() { close(theirs) }
  func settle(_ time: Duration = .milliseconds(200)) async throws { try await loop.sleep(for: time) }
}

@Suite("An ATT channel")
struct BearerTests {
  @Test(
    "delivers all that was queued before it says that the wearable hung up, once, also to a late listener",
    arguments: [false, true])
  func queuedThenClosed(late: Bool) throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      if !late { setting.listen() }
      for number in 0..<20 { setting.say([0x1B, UInt8(number)]) }
      setting.hangUp()
      try await setting.settle()
      if late {
        #expect(setting.received.isEmpty)
        setting.listen()
        #expect(setting.received.isEmpty, "not inside the setter")
        try await setting.settle()
      }
      #expect(setting.received == (0..<20).map { [0x1B, UInt8($0)] })
      #expect(setting.ends == [.peerClosed])
      #expect(setting.endings == [false])
      #expect(setting.bearer.send([1]), "nothing will become writable")
    }
  }

  @Test("does not spin the loop after a hang-up, listened to or not", arguments: [false, true])
  func noSpin(listened: Bool) throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      if listened { setting.listen() }
      setting.hangUp()
      try await setting.settle()
      let before = loop.statistics.wakeUps
      try await setting.settle(.milliseconds(300))
      #expect(loop.statistics.wakeUps - before < 5)
      setting.bearer.close(immediately: true)
      setting.bearer.close(immediately: true)
      #expect(setting.endings.count == 1)
    }
  }

  @Test("closed by its owner it makes no callback, whatever is queued, and its descriptor is gone")
  func ownClose() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      setting.listen()
      setting.say([1])
      setting.bearer.close(immediately: true)
      try await setting.settle()
      #expect(setting.received.isEmpty)
      #expect(setting.ends.isEmpty)
      #expect(setting.endings == [true])
      var byte: UInt8 = 0
      #expect(
        recv(setting.theirs, &byte, 1, 0) < 0 && errno == ECONNRESET, "the other end sees it closed with data unread")
    }
  }

  @Test("closed inside the delivery of a PDU delivers no other")
  func closeInside() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      setting.listen()
      var count = 0
      setting.bearer.onReceive = { _ in
        count += 1
        setting.bearer.close(immediately: false)
      }
      for _ in 0..<5 { setting.say([1]) }
      try await setting.settle()
      #expect(count == 1)
      #expect(setting.ends.isEmpty)
    }
  }

  @Test("closed by its owner while a hang-up is being judged it makes no callback")
  func closeDuringJudgement() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      setting.listen()
      setting.hangUp()
      try await setting.settle(.milliseconds(30))
      #expect(setting.ends.isEmpty, "judged after a grace")
      setting.bearer.close(immediately: true)
      try await setting.settle()
      #expect(setting.ends.isEmpty)
      #expect(setting.endings == [true])
    }
  }

  @Test("makes a sender wait when the queue is full, then go on; order is kept and each value is sent once")
  func backPressure() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop, sendBuffer: 8192)
      setting.listen()
      func pdu(_ number: Int) -> [UInt8] { half(UInt16(number)) + [UInt8](repeating: 7, count: 200) }
      var next = 0
      while next < 1000, setting.bearer.send(pdu(next)) { next += 1 }
      #expect(next > 2 && next < 1000)
      #expect(setting.counters.sendsDeferred == 1)
      try await setting.settle(.milliseconds(50))
      #expect(setting.writable == 0)
      var heard: [Int] = []
      var buffer = [UInt8](repeating: 0, count: 1024)
      while heard.count < 1000 {
        while recv(setting.theirs, &buffer, buffer.count, 0) > 0 { heard.append(Int(buffer[0]) | Int(buffer[1]) << 8) }
        let writable = setting.writable
        try await setting.settle(.milliseconds(5))
        if next < 1000 { #expect(setting.writable == writable + 1) }
        while next < 1000, setting.bearer.send(pdu(next)) { next += 1 }
        if next == 1000, heard.count + 100 < next, setting.writable > 500 { break }
      }
      #expect(heard == Array(0..<1000))
      setting.bearer.close(immediately: false)
      setting.hangUp()
    }
  }

  @Test("hands on empty PDUs, and what no wearable may send as far as it goes, for the channel to count")
  func hostile() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      setting.listen()
      for _ in 0..<20 { setting.say([]) }
      setting.say([UInt8](repeating: 1, count: 1024))
      setting.say([UInt8](repeating: 2, count: 1025))
      setting.say([3])
      try await setting.settle()
      #expect(setting.received.map(\.count) == [Int](repeating: 0, count: 20) + [1024, 1024, 1])
      #expect(setting.counters.receivedOversize == 1)
      #expect(setting.counters.receivedEmpty == 20)
      #expect(setting.ends.isEmpty, "empty PDUs are not an end")
      setting.bearer.close(immediately: false)
      setting.hangUp()
    }
  }

  @Test("of a flooding wearable leaves the loop to others between batches")
  func fairness() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      var atTimer: Int?
      setting.bearer.onReceive = { _ in
        if setting.counters.received == 1 { loop.schedule(after: .zero) { atTimer = Int(setting.counters.received) } }
      }
      for _ in 0..<200 { setting.say([0x1B]) }
      try await setting.settle()
      #expect(setting.counters.received == 200)
      #expect(try #require(atTimer) <= 64)
      setting.bearer.close(immediately: false)
      setting.hangUp()
    }
  }

  @Test("of 100,000 notifications is received without memory growing")
  func volume() throws {
    try EpollLoop.run { loop in
      let setting = try Setting(loop)
      var sum = 0
      setting.bearer.onReceive = { sum += Int($0[0]) }
      let before = residentPages()
      for round in 1...1000 {
        for _ in 0..<100 { setting.say([1, 2, 3]) }
        while sum < round * 100 { try await loop.sleep(for: .zero) }
      }
      #expect(setting.counters.received == 100_000)
      #expect(residentPages() - before < 500, "2 MB")
      setting.bearer.close(immediately: false)
      setting.hangUp()
    }
  }
}

private func residentPages() -> Int {
  readSmallFile("/proc/self/statm").flatMap { Int($0.split(separator: " ")[1]) } ?? 0
}
