// Hostile notifications: values that never come, floods of values, and transfers without an end.

import Bluetooth
import EventLoop
import Simulation

extension HostileTap {
  /// Decides about a notification or an indication of the twin.
  func fate(ofValue pdu: [UInt8], _ link: VirtualLink) -> Fate {
    switch playing {
    case .neverSendsAValue: return .swallowed
    case .oneValueThenMute:
      values += 1
      if values > 1 { isMute = true }
      return values > 1 ? .swallowed : .passes
    case .oneValueEach25:
      if let last = lastValueAt, loop.now - last < .seconds(25) { return .swallowed }
      lastValueAt = loop.now
      return .passes
    case .transferMute, .transferStalls, .transferDribbles, .transferKeepsAlive, .transferRestarts:
      guard pdu.count >= 3, transfer.map({ $0 == UInt16(pdu[1]) | UInt16(pdu[2]) << 8 }) ?? true else {
        return .passes
      }
      return transferFate(pdu, link)
    default: return .passes
    }
  }

  // MARK: Floods

  /// Sends plausible heart rates in excess: twenty every 100 ms, `left` times.
  func flood(_ link: VirtualLink, _ left: Int) {
    guard let handle = learned[0x2A37] else { return }
    let value: [UInt8] = [0x1B, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 0x00, 0x48]
    for _ in 0..<20 { link.inject(value) }
    if left <= 80 {
      isMute = true
    } else {
      after(.milliseconds(100), link) { [weak self] in self?.flood($0, left - 1) }
    }
  }

  /// Indicates one pressure: flags, 120, 80 and 93 mmHg as SFLOATs.
  func indicate(_ link: VirtualLink) {
    guard let handle = learned[0x2A35] else { return }
    link.inject([
      0x1D, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 0x00, 0x78, 0x00, 0x50, 0x00, 0x5D, 0x00,
    ])
  }

  // MARK: Transfers

  /// Octets that wait to be sent slowly.
  private static let dribbleLimit = 4096

  private func transferFate(_ pdu: [UInt8], _ link: VirtualLink) -> Fate {
    if playing == .transferMute { return .swallowed }
    if !isStuck {
      if firstFrame.isEmpty { firstFrame = pdu }
      transferred += pdu.count - 3
      sequence = (pdu.count > 3 ? pdu[3] >> 4 : 0)
      if transferred < transferLimit { return .passes }
      isStuck = true
      switch playing {
      case .transferDribbles: dribbleOn(link)
      case .transferKeepsAlive: keepAlive(link)
      case .transferRestarts: startAgain(link)
      default: break
      }
    }
    if playing == .transferDribbles, dribble.count < Self.dribbleLimit { dribble += pdu.dropFirst(isPolar ? 4 : 3) }
    return .swallowed
  }

  private var isPolar: Bool { guise == .polarStrap || guise == .polarSensor }

  private func head() -> [UInt8] { Array(firstFrame.prefix(3)) }

  /// Header of the next frame in a file transfer: bit 0 not the first, bits 1–2 more to come, bits 4–7 its number.
  private func nextHeader() -> [UInt8] {
    guard isPolar else { return [] }
    sequence = (sequence + 1) & 15
    return [sequence << 4 | 3 << 1 | 1]
  }

  private func dribbleOn(_ link: VirtualLink) {
    after(.seconds(10), link) { [weak self] link in
      guard let self else { return }
      let byte = dribble.isEmpty ? 0 : dribble.removeFirst()
      link.inject(head() + nextHeader() + [byte])
      dribbleOn(link)
    }
  }

  /// Sends a frame with a header only, which is valid while more is to come. In a family without frames it is an empty
  /// notification.
  private func keepAlive(_ link: VirtualLink) {
    after(.seconds(1), link) { [weak self] link in
      guard let self else { return }
      link.inject(head() + nextHeader())
      keepAlive(link)
    }
  }

  private func startAgain(_ link: VirtualLink) {
    after(.seconds(1), link) { [weak self] link in
      guard let self else { return }
      link.inject(firstFrame)
      startAgain(link)
    }
  }
}
