// Sending of frames: division into pieces in sequence, faults, and detection of their fate.

internal import Bluetooth
internal import EventLoop
internal import Simulation

/// Pieces that wait to be sent, and numbers for frames.
struct TopStepOutbox {
  /// Maximum number of pieces in flight: half of what a link queues before it drops new ones.
  @LoopActor static var window: Int { VirtualLink.receiveLimit / 2 }

  private(set) var waiting: [(bytes: [UInt8], frame: Int)] = []
  var onAir = 0
  var isPumping = false
  private var sequence: UInt16 = 0
  /// Called with the result: whether the host received the whole frame.
  var whenEnded: [Int: @LoopActor (Bool) -> Void] = [:]

  mutating func nextSequence() -> UInt16 {
    sequence &+= 1
    return sequence
  }

  mutating func append(_ bytes: [UInt8], frame: Int) { waiting.append((bytes, frame)) }

  mutating func next() -> (bytes: [UInt8], frame: Int)? { waiting.isEmpty ? nil : waiting.removeFirst() }

  /// Cancels frames that have not begun. Returns their numbers, one for each piece.
  mutating func drop(_ frames: [Int]) -> [Int] {
    // The first waiting frame may have begun.
    let begun = waiting.first?.frame
    let gone = waiting.filter { $0.frame != begun && frames.contains($0.frame) }.map(\.frame)
    waiting.removeAll { $0.frame != begun && frames.contains($0.frame) }
    return gone
  }

  mutating func clear() -> [Int] {
    defer { waiting = [] }
    return waiting.map(\.frame)
  }
}

extension VirtualTopStepBand {
  /// Sends a frame, with its faults. Returns its number in the log.
  ///
  /// - Parameter done: called with the result: whether the host received all of it, undamaged.
  @discardableResult
  func send(
    _ frame: TopStepWireFrame, items: [Int] = [], done: @escaping @LoopActor (Bool) -> Void = { _ in }
  ) -> Int {
    let isCorrupt = random.chance(traits.wrongChecksums)
    guard random.chance(next.air.doubled) else {
      let number = put(frame, items, isCorrupt: isCorrupt, done)
      pump()
      return number
    }
    // The first arrival is enough: a host that has the frame goes on while its repetition is still in flight.
    var (left, isOver) = (2, false)
    let both: @LoopActor (Bool) -> Void = { arrived in
      left -= 1
      if isOver || !arrived && left > 0 { return }
      isOver = true
      done(arrived)
    }
    let number = put(frame, items, isCorrupt: isCorrupt, both)
    var again = frame
    again.flags |= next.air.repeatFlag
    log.sent[number].repeatedBy = put(again, items, isCorrupt: false, both)
    pump()
    return number
  }

  private func put(
    _ frame: TopStepWireFrame, _ items: [Int], isCorrupt: Bool, _ done: @escaping @LoopActor (Bool) -> Void
  ) -> Int {
    let number = log.sent.count
    var sent = TopStepSent(frame: frame, items: items, link: ledger.links.count, sentAt: world.loop.now)
    sent.isIntact = !isCorrupt
    let size = sendsWholeMTU ? max(20, server.mtu - 3) : 20
    var pieces: [[UInt8]] = []
    for part in fragments(of: frame) {
      var bytes = part.bytes
      if isCorrupt { bytes[7] ^= 0x5A }
      pieces += stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
    if random.chance(next.air.lostPiece) {
      pieces.remove(at: random.below(pieces.count))
      sent.isIntact = false
    }
    sent.underWay = pieces.count
    log.sent.append(sent)
    outbox.whenEnded[number] = done
    for piece in pieces { outbox.append(piece, frame: number) }
    // A frame of a single piece, which was left out.
    if pieces.isEmpty { frameEnded(number) }
    return number
  }

  /// Fragments with two numbers of four bytes each in front: length of the message, index of the fragment.
  private func fragments(of frame: TopStepWireFrame) -> [TopStepWireFrame] {
    guard let size = next.air.fragmentSize, size > 0, frame.payload.count > size else { return [frame] }
    func word(_ value: Int) -> [UInt8] { stride(from: 24, through: 0, by: -8).map { UInt8(value >> $0 & 0xFF) } }
    return stride(from: 0, to: frame.payload.count, by: size).enumerated().map { index, start in
      var part = frame
      part.flags |= next.air.fragmentFlag
      part.payload =
        word(frame.payload.count) + word(index) + frame.payload[start..<min(start + size, frame.payload.count)]
      return part
    }
  }

  func pump() {
    if outbox.isPumping { return }
    outbox.isPumping = true
    let link = ledger.links.count
    while outbox.onAir < TopStepOutbox.window, let piece = outbox.next() {
      outbox.onAir += 1
      notify(TopStepPlace.answer, [piece.bytes]) { [weak self] arrived in
        guard let self else { return }
        if ledger.links.count == link { outbox.onAir -= 1 }
        pieceEnded(piece.frame, arrived)
      }
    }
    outbox.isPumping = false
  }

  func pieceEnded(_ number: Int, _ arrived: Bool) {
    log.sent[number].underWay -= 1
    if !arrived { log.sent[number].wasLost = true }
    if log.sent[number].underWay == 0 { frameEnded(number) }
    pump()
  }

  private func frameEnded(_ number: Int) {
    if !log.sent[number].wasLost { log.sent[number].deliveredAt = world.loop.now }
    outbox.whenEnded.removeValue(forKey: number)?(log.sent[number].wasDelivered)
  }
}
