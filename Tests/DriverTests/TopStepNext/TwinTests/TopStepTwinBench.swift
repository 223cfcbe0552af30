// A simulated band of the new platform on a simulated radio. Beside it a host of a few lines that does exactly what a
// test says.

import Bluetooth
import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

@LoopActor
final class TopStepTwinBench {
  let loop: any Loop
  let world: VirtualWorld
  let radio: VirtualRadio
  let band: VirtualTopStepBand
  private(set) var bearer: (any Bearer)?
  /// Whole frames of this link with a right checksum, in order, and those with a wrong one.
  private(set) var frames: [TopStepWireFrame] = []
  private(set) var corrupt = 0
  /// The same as they came.
  private(set) var pieces: [[UInt8]] = []
  private(set) var isClosed = false
  /// Between the pieces of a frame.
  var pace = Duration.zero
  private var assembler = TopStepAssembler()
  private var answer: CheckedContinuation<[UInt8]?, Never>?
  private var sequence: UInt16 = 100

  static let user = "ward7bed3"
  /// s by which a band's times may lie ahead of its clock: a telephone had set that to another zone.
  static let furthest: Int64 = 93_600

  init(_ loop: any Loop, seed: UInt64 = 17, _ traits: TopStepTraits) async throws {
    self.loop = loop
    world = VirtualWorld(loop: loop, seed: seed)
    band = world.add { VirtualTopStepBand($0, address: $1, random: $2, traits: traits) }
    radio = VirtualRadio(world)
    radio.start()
    try await loop.sleep(for: .seconds(1))
  }

  convenience init(_ loop: any Loop, adjust: (inout TopStepTraits) -> Void = { _ in }) async throws {
    var traits = TopStepTraits()
    adjust(&traits)
    try await self.init(loop, traits)
  }

  /// Connected and subscribed.
  func connect(mtu: UInt16? = nil) async throws {
    frames = []
    pieces = []
    corrupt = 0
    isClosed = false
    assembler = TopStepAssembler()
    let bearer = try await radio.connect(to: band.address, deadline: loop.now + .seconds(5), parameters: .foreground)
    self.bearer = bearer
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] _ in
      self?.isClosed = true
      self?.resume(nil)
    }
    if let mtu { _ = await exchange([0x02, UInt8(truncatingIfNeeded: mtu), UInt8(mtu >> 8)]) }
    let handle = try #require(band.answerHandle) + 1
    #expect(await exchange([0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 1, 0]) == [0x13])
  }

  func hangUp() async throws {
    bearer?.close(immediately: true)
    bearer = nil
    try await loop.sleep(for: .milliseconds(200))
  }

  private func exchange(_ pdu: [UInt8]) async -> [UInt8]? {
    guard let bearer, bearer.send(pdu) else { return nil }
    return await withCheckedContinuation { answer = $0 }
  }

  private func take(_ pdu: [UInt8]) {
    guard pdu.first == 0x1B, pdu.count >= 3 else { return resume(pdu) }
    let piece = Array(pdu.dropFirst(3))
    pieces.append(piece)
    switch assembler.take(piece, at: loop.now) {
    case .frame(let frame): frames.append(frame)
    case .corrupt: corrupt += 1
    case .stray, nil: break
    }
  }

  private func resume(_ pdu: [UInt8]?) {
    answer?.resume(returning: pdu)
    answer = nil
  }

  /// Writes these bytes without response, in pieces.
  func write(_ bytes: [UInt8], size: Int = 20) async throws {
    let handle = try #require(band.commandHandle)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = bytes[start..<min(start + size, bytes.count)]
      let pdu = [0x52, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + piece
      while bearer?.send(pdu) == false, !isClosed { try await loop.sleep(for: .milliseconds(20)) }
      if pace > .zero { try await loop.sleep(for: pace) }
    }
  }

  /// Sends a frame and waits for the next one of its command and key; nil: it did not come in time.
  func ask(_ command: UInt8, _ key: UInt8, _ payload: [UInt8] = [], for patience: Duration = .seconds(6)) async throws
    -> TopStepWireFrame?
  {
    sequence += 1
    return try await ask(TopStepWireFrame(command, key, sequence: sequence, payload).bytes, for: patience)
  }

  func ask(_ bytes: [UInt8], for patience: Duration = .seconds(6)) async throws -> TopStepWireFrame? {
    let before = frames.count
    try await write(bytes)
    return try await next(bytes[1], bytes[2], after: before, for: patience)
  }

  /// The first frame of this command and key after so many.
  func next(_ command: UInt8, _ key: UInt8, after count: Int, for patience: Duration = .seconds(6)) async throws
    -> TopStepWireFrame?
  {
    let deadline = loop.now + patience
    while loop.now < deadline, !isClosed {
      if let frame = frames.dropFirst(count).first(where: { $0.command == command && $0.key == key }) { return frame }
      try await loop.sleep(for: .milliseconds(25))
    }
    return nil
  }

  // MARK: What hosts say

  /// What hosts write: the time is the world's.
  func time(zone: Int64 = 3600, ahead: Int64 = 0) -> [UInt8] {
    TopStepWriter.make {
      $0.number(1, loop.wall.microseconds / 1_000_000 - VirtualTopStepBand.epoch + ahead)
      $0.number(2, zone)
    }
  }

  func who(_ user: String = user) -> [UInt8] {
    TopStepWriter.make {
      $0.text(1, user)
      $0.number(2, 1 as Int64)
      $0.message(8, time())
    }
  }

  /// The result of a bind; nil: no answer.
  func bind(_ user: String = user, for patience: Duration = .seconds(40)) async throws -> TopStepMessage? {
    try await ask(3, 1, who(user), for: patience).flatMap { TopStepMessage($0.payload) }
  }

  func login(_ user: String = user) async throws -> TopStepMessage? {
    try await ask(3, 2, who(user)).flatMap { TopStepMessage($0.payload) }
  }

  func result(_ frame: TopStepWireFrame?) throws -> Int64 {
    let payload = try #require(frame).payload
    return try #require(TopStepMessage(payload)).number(1)
  }

  /// A sync from begin to end: the answer to the start, and the days; nil: it did not come to its end.
  func sync(_ kind: TopStepKind, from start: Int64 = 0, for patience: Duration = .seconds(60)) async throws -> (
    result: Int64, days: [TopStepMessage]
  )? {
    let before = frames.count
    let payload = TopStepWriter.make {
      $0.number(1, start)
      $0.number(2, band.shown + Self.furthest)
      $0.number(3, Int64(kind.rawValue))
    }
    guard let started = try await ask(5, 0x21, payload), let reply = TopStepMessage(started.payload),
      reply.number(1) == Int64(kind.rawValue)
    else { return nil }
    if reply.number(2) != 0 { return (reply.number(2), []) }
    guard try await next(5, 0x22, after: before, for: patience) != nil else { return nil }
    let days = frames.dropFirst(before).filter { $0.command == 5 && $0.key == kind.rawValue }
    return (0, days.compactMap { TopStepMessage($0.payload) })
  }
}

extension TopStepTwinBench {
  /// What stands in a slot that is still to come, and was never measured.
  func isFiller(_ item: ToldItem, _ kind: TopStepKind) -> Bool {
    let filler = Int64(band.next.days.fillsFuture)
    return filler > 0 && item.kind == .automatic && item.time > band.shown && item.values.allSatisfy { $0 == filler }
  }

  /// What the band's memory holds of a kind, and no newer item of the same slot hides, as a host should read it.
  func truth(_ kind: TopStepKind) -> [ToldItem] {
    band.catchUp()
    let items = band.recorder.held.filter { band.log.hidden[$0.number] == nil && $0.recordedAt <= loop.now }
    func told(_ item: BandItem, _ kind: ToldItem.Kind, _ values: [Int64]) -> ToldItem {
      ToldItem(kind: kind, time: band.told(item), values: values)
    }
    let all: [ToldItem]
    switch kind {
    case .heartRate, .oxygen, .stress, .pressure:
      all = items.filter { $0.series == kind.series }.map { item in
        let sort: ToldItem.Kind =
          item.kind == .resting ? .resting : item.kind != .normal ? .marked : item.isManual ? .manual : .automatic
        return told(item, sort, item.values.map { $0 / (kind == .pressure ? 100 : 1) })
      }
    case .sleep:
      all = items.filter { $0.series == .sleepStage }.map { item in
        let seconds = item.length.wholeNanoseconds / 1_000_000_000
        return told(
          item, .stage,
          [band.next.days.sleepInMinutes ? seconds / 60 : seconds, [0, 0, 3, 1, 2][Int(item.value)]])
      }
    case .activity:
      let slots = items.filter { $0.series == .steps }
      all = slots.map { item in
        func beside(_ series: Series) -> Int64 {
          items.last { $0.series == series && $0.shown == item.shown && $0.stretch == item.stretch }?.value ?? 0
        }
        return told(item, .slot, [item.value, beside(.calories) * 100, beside(.distance) / 10])
      }
    case .sport:
      all = items.filter { $0.series == .training }.map { item in
        told(item, .training, [1, 2, 3, 4, 6, 5].map { item.values[$0] })
      }
    }
    return Array(Set(all)).sorted()
  }
}
