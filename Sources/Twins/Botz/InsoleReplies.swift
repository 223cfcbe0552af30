// Frames of the management protocol as notifications of a simulated insole, and a record of those that arrived.

import Bluetooth
import EventLoop
import Health
import Simulation

extension VirtualInsole {
  /// Longest pause between requests of one fetch. A hub that continues sends the next request at once. After a fetch
  /// from another insole, a hub first reads state and clock.
  private static let spanGap: Duration = .milliseconds(60)

  func takeSMP(_ bytes: [UInt8], _ link: VirtualLink) {
    if state.isStream { framesWhileStreaming += 1 }
    boost()
    guard let frame = smp.take(bytes) else { return }
    switch smp.act(on: frame, &memory) {
    case .silence: break
    case .reply(let bytes, let serves): send(bytes, serves: serves, on: link)
    case .replyAndReboot(let bytes):
      send(bytes, serves: nil, on: link)
      world.loop.schedule(after: .milliseconds(500)) { [weak self] in self?.reboot() }
    }
  }

  /// Sends one frame in notifications of the MTU's size.
  func send(_ frame: [UInt8], serves: (id: UInt8, generation: Int, offset: Int, count: Int)?, on link: VirtualLink) {
    guard let handle = database.handle(.smp), server.subscription(at: handle) & 1 != 0 else { return }
    let size = server.mtu - 3
    var start = 0
    var isWhole = true
    while start < frame.count {
      let end = min(start + size, frame.count)
      let isLast = end == frame.count
      if traits.losesReplies, random.chance(traits.notificationLoss) {
        isWhole = false
      } else {
        var pdu: [UInt8] = []
        pdu.reserveCapacity(end - start + 3)
        pdu.append(0x1B)
        pdu.append(littleEndian: handle)
        pdu += frame[start..<end]
        var freight = Freight.protocolData
        if isLast, isWhole, let serves, serves.count > 0 {
          freight = .piece(nextPiece)
          onAir.append((nextPiece, serves.id, serves.generation, serves.offset, serves.count, world.loop.now))
          nextPiece += 1
        }
        link.carry(pdu, freight)
      }
      start = end
    }
  }

  func noteDelivered(_ freight: Freight) {
    guard case .piece(let piece) = freight else { return }
    if let index = recordsOnAir.firstIndex(where: { $0.piece == piece }) {
      return noteRecord(recordsOnAir.remove(at: index).record)
    }
    guard let index = onAir.firstIndex(where: { $0.piece == piece }) else { return }
    let served = onAir.remove(at: index)
    let now = world.loop.now
    memory.serve(served.id, generation: served.generation, offset: served.offset, count: served.count, at: now)
    if let last = fetchSpans.indices.last, served.asked - fetchSpans[last].to <= Self.spanGap {
      fetchSpans[last].to = now
    } else {
      if fetchSpans.count == 8192 { fetchSpans.removeFirst(4096) }
      fetchSpans.append((served.asked, now))
    }
  }

  func noteLost(_ freight: Freight) {
    guard case .piece(let piece) = freight else { return }
    onAir.removeAll { $0.piece == piece }
    recordsOnAir.removeAll { $0.piece == piece }
  }

  /// Section 9.2: cadence at 8, pace at 10 (0: no walking), speed at 12. A record that is repeated counts once.
  func noteRecord(_ record: [UInt8]) {
    if record == lastRecord { return }
    lastRecord = record
    guard world.options.keepsGroundTruth else { return }
    func number(_ offset: Int) -> Int64 { Int64(record[offset]) | Int64(record[offset + 1]) << 8 }
    records.append(number(8), of: .cadence, world.loop)
    if number(10) == 0 { return }
    records.append(number(10), of: .pace, world.loop)
    records.append(number(12), of: .speed, world.loop)
  }
}
