// Hostile reactions to requests: no answer, late answers, minimal answers, endless answers. All of them are PDUs that a
// server may send (Core specification, volume 3, part F, 3.4).

import Bluetooth
import EventLoop
import Simulation

extension HostileTap {
  /// Whether a request, command or confirmation of the hub reaches the twin.
  func passes(_ pdu: RawBytes, _ opcode: UInt8, _ link: VirtualLink) -> Bool {
    switch playing {
    case .muteAfterMTU: return opcode == 0x02
    case .muteAfterServices: return [0x02, 0x06, 0x10].contains(opcode)
    case .muteAtDescriptors: return fallSilent(opcode == 0x04)
    // A hub with a cached database subscribes without discovery.
    case .muteAtSubscription: return fallSilent(isSubscription(pdu))
    case .muteAtReads: return fallSilent(opcode == 0x0A || opcode == 0x0C)
    case .endlessServices, .endlessCharacteristics, .endlessDescriptors, .endlessReads:
      guard let answer = endless(pdu, opcode) else { return true }
      link.inject(answer)
      return false
    case .alwaysOutOfSync:
      guard [0x0A, 0x0C, 0x12].contains(opcode), pdu.count >= 3 else { return true }
      link.inject([0x01, opcode, pdu[1], pdu[2], 0x12])
      return false
    // A hub pairs with a strap only after a refusal.
    case .demandsEncryption, .stallsFeatures, .stallsExchange, .crawlsExchange, .stallsEncryption:
      guard isSubscription(pdu), !link.isSecured else { return true }
      link.inject([0x01, opcode, pdu[1], pdu[2], 0x05])
      return false
    case .transferMute:
      // Commands of bands and insoles exist with and without response.
      return true
    case .indicatesForEver:
      if opcode == 0x1E { indicate(link) }
      if isSubscription(pdu), pdu[3] & 2 != 0 { after(.milliseconds(100), link) { [weak self] in self?.indicate($0) } }
      return true
    case .hangsUpAtEachSubscription:
      if isSubscription(pdu) { after(.milliseconds(80), link) { $0.peripheralHangsUp() } }
      return true
    case .reconnectsEachSecond:
      if isSubscription(pdu) { after(.seconds(1), link) { $0.peripheralHangsUp() } }
      return true
    case .floodsThenMute:
      if isSubscription(pdu) { after(.milliseconds(100), link) { [weak self] in self?.flood($0, 100) } }
      return true
    default: return true
    }
  }

  private func fallSilent(_ now: Bool) -> Bool {
    if now { isMute = true }
    return !now
  }

  /// Whether a request is a write of a two-byte value from 1 to 3; only subscriptions have this form.
  private func isSubscription(_ pdu: RawBytes) -> Bool {
    pdu.count == 5 && pdu[0] == 0x12 && pdu[4] == 0 && (1...3).contains(pdu[3])
  }

  // MARK: Late and minimal answers

  /// Decides about a response or an error of the twin.
  func fate(ofAnswer pdu: [UInt8], _ link: VirtualLink) -> Fate {
    switch playing {
    case .answersAfter29: return late(pdu, .seconds(29), link)
    case .oneStepEach25: return late(least(of: pdu), .seconds(25), link)
    case .growsSlower:
      answers += 1
      if answers == 1 { return .passes }
      var delay = Duration.seconds(1)
      for _ in 2..<min(answers, 12) { delay = min(delay * 3 / 2, .seconds(29)) }
      return late(pdu, delay, link)
    default: return .passes
    }
  }

  private func late(_ pdu: [UInt8], _ delay: Duration, _ link: VirtualLink) -> Fate {
    after(delay, link) { $0.inject(pdu) }
    return .swallowed
  }

  /// Lists of services, characteristics and descriptors, reduced to their first entry.
  private func least(of pdu: [UInt8]) -> [UInt8] {
    guard pdu.count > 2 else { return pdu }
    switch pdu[0] {
    case 0x09, 0x11: return Array(pdu.prefix(2 + Int(pdu[1])))
    case 0x05: return Array(pdu.prefix(2 + (pdu[1] == 1 ? 4 : 18)))
    default: return pdu
    }
  }

  // MARK: Endless answers

  /// Answer to a discovery or read request; nil: the twin answers.
  private func endless(_ pdu: RawBytes, _ opcode: UInt8) -> [UInt8]? {
    if playing == .endlessReads {
      // The longest possible value, so that every read continues.
      guard opcode == 0x0A || opcode == 0x0C else { return nil }
      return [opcode + 1] + [UInt8](repeating: 0x41, count: mtu - 1)
    }
    guard pdu.count >= 5 else { return nil }
    let start = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
    func low(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    func high(_ value: UInt16) -> UInt8 { UInt8(value >> 8) }
    switch (playing, opcode, askedType) {
    case (.endlessServices, 0x10, 0x2800):
      return [0x11, 0x06, low(start), high(start), low(start), high(start), 0x0D, 0x18]
    case (.endlessServices, _, _): return nil
    // A single service over all handles.
    case (_, 0x10, 0x2800) where start == 1: return [0x11, 0x06, 0x01, 0x00, 0xFF, 0xFF, 0x0D, 0x18]
    case (_, 0x10, _): return [0x01, 0x10, pdu[1], pdu[2], 0x0A]
    case (.endlessCharacteristics, 0x08, 0x2803):
      guard start < 0xFFFE else { return nil }
      let value = start + 1
      return [0x09, 0x07, low(start), high(start), 0x10, low(value), high(value), 0x37, 0x2A]
    case (.endlessDescriptors, 0x08, 0x2803):
      if start > 2 { return [0x01, 0x08, pdu[1], pdu[2], 0x0A] }
      return [0x09, 0x07, 0x02, 0x00, 0x10, 0x03, 0x00, 0x37, 0x2A]
    case (.endlessDescriptors, 0x04, _): return [0x05, 0x01, low(start), high(start), 0x01, 0x29]
    default: return nil
    }
  }

  /// Indicates Service Changed over all handles.
  func changeServices(_ link: VirtualLink) {
    after(.seconds(1), link) { [weak self] link in
      guard let self else { return }
      if let handle = learned[0x2A05] {
        link.inject([0x1D, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 0x01, 0x00, 0xFF, 0xFF])
      }
      changeServices(link)
    }
  }
}
