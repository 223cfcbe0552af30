// Requests of a simulated insole to the hub: its firmware is also a client, and searches for its other foot.

import Bluetooth
import EventLoop
import Simulation

extension VirtualInsole {
  func ask(_ number: Int) {
    guard let link else { return }
    question = number
    if number == 1 {
      link.carry([0x02, 121, 0], .protocolData)
    } else {
      link.carry([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + InsoleUUID.otherFoot.wireBytes, .protocolData)
    }
    // Without an answer its client stops working for this link.
    questionTimer = world.loop.schedule(after: .seconds(30)) { [weak self] in
      self?.question = 0
      self?.forbid("question \(number) was not answered")
    }
  }

  func answered(_ pdu: RawBytes) {
    if answersFromHub.count < 64 { answersFromHub.append(Array(pdu)) }
    if let questionTimer { world.loop.cancel(questionTimer) }
    questionTimer = nil
    let asked = question
    question = 0
    if asked == 1 {
      if pdu.count == 3, pdu[0] == 0x03 { server.settleMTU(peer: Int(pdu[1]) | Int(pdu[2]) << 8) }
      if traits.hasLeftFoot { link?.askForSecurity() } else { ask(2) }
    } else if asked == 2 {
      if pdu[0] == 0x07 { mistookHubForItsOtherFoot = true } else { link?.askForSecurity() }
    }
  }
}
