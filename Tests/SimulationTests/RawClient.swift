// A client of a few lines, so that the radio and the straps are tested without the hub's own GATT client.

import Bluetooth
import EventLoop
import Simulation
import Testing

@LoopActor
final class RawClient {
  let bearer: any Bearer
  private(set) var received: [[UInt8]] = []
  private(set) var closed: [LinkError] = []
  private(set) var writable = 0
  private var answer: CheckedContinuation<[UInt8]?, Never>?

  init(_ bearer: any Bearer) {
    self.bearer = bearer
    bearer.onReceive = { [weak self] in self?.take(Array($0)) }
    bearer.onClosed = { [weak self] in self?.end($0) }
    bearer.onWritable = { [weak self] in self?.writable += 1 }
  }

  var notifications: [[UInt8]] { received.filter { $0.first == 0x1B } }

  /// The next response; nil if the link ended first.
  func request(_ pdu: [UInt8]) async -> [UInt8]? {
    guard closed.isEmpty, bearer.send(pdu) else { return nil }
    return await withCheckedContinuation { answer = $0 }
  }

  /// Finds the Heart Rate Measurement value and writes its client configuration, which follows it.
  func subscribe() async -> Bool {
    guard let found = await request([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x37, 0x2A]) else { return false }
    // A measurement cannot be read, so the server names its handle in the refusal.
    guard found.count == 5, found[0] == 0x01 else { return false }
    let configuration = UInt16(found[2]) + 1
    let written = await request([0x12, UInt8(truncatingIfNeeded: configuration), 0, 1, 0])
    return written == [0x13]
  }

  private func take(_ pdu: [UInt8]) {
    received.append(pdu)
    guard let opcode = pdu.first, opcode & 1 == 1, opcode < 0x1B, let answer else { return }
    self.answer = nil
    answer.resume(returning: pdu)
  }

  private func end(_ error: LinkError) {
    closed.append(error)
    answer?.resume(returning: nil)
    answer = nil
  }
}

@LoopActor
func readyRadio(_ world: VirtualWorld, slots: Int = 5) async throws -> VirtualRadio {
  var options = VirtualRadioOptions()
  options.slots = slots
  let radio = VirtualRadio(world, options: options)
  radio.start()
  try await world.loop.sleep(for: .seconds(1))
  #expect(radio.state == .ready)
  return radio
}
