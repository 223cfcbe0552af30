// Misbehaving straps, which must not harm another wearable.

public import Bluetooth
import EventLoop
public import Simulation

/// Kind of misbehaviour of a simulated strap.
public enum HostileConduct: String, CaseIterable, Sendable {
  /// Accepts the link and never answers a request.
  case neverAnswers
  /// Disconnects right after each connection.
  case closesAtOnce
  /// Sends 2,000 notifications a second from the first moment.
  case floods
  /// Answers discovery for ever, with new entries or with the same again.
  case endlessDiscovery
  /// Sends values with a length that does not match their flags, between good ones.
  case malformedValues
  /// Sends notifications and indications for undeclared handles, between good ones.
  case unknownHandles
  /// Strap that has a name of 512 bytes of control characters and broken UTF-8.
  case monstrousName
  /// Sends requests to the hub: MTU, services, attributes, reads, writes, and invalid ones.
  case asksBack
  /// Sends PDUs longer than any MTU.
  case oversizedPDUs
}

/// Strap that misbehaves.
public final class HostileStrap: VirtualStrap {
  /// Misbehaviour of the strap.
  public let conduct: HostileConduct
  /// The hub's answers to the requests of `asksBack`.
  public private(set) var answersFromHub: [[UInt8]] = []
  private var flood: LoopTimer?

  init(
    _ world: VirtualWorld, address: BluetoothAddress, traits: StrapTraits, random: SeededRandom, conduct: HostileConduct
  ) {
    self.conduct = conduct
    super.init(
      world, address: address, traits: traits, random: random,
      deviceName: conduct == .monstrousName ? Self.monstrousName : nil)
  }

  /// Some only do odd things beside good values, and must be served like a good strap.
  public override var mustBeServed: Bool { isServedInSpiteOfItself }
  /// True if a hub has to serve it all the same.
  public override var hasExactTruth: Bool { isServedInSpiteOfItself }

  private var isServedInSpiteOfItself: Bool {
    switch conduct {
    case .malformedValues, .unknownHandles, .monstrousName, .asksBack: true
    case .neverAnswers, .closesAtOnce, .floods, .endlessDiscovery, .oversizedPDUs: false
    }
  }

  /// Control characters, terminal escapes, truncated and overlong UTF-8, repeated to the longest possible value.
  private static let monstrousName: [UInt8] = {
    let pattern: [UInt8] = [
      0x1B, 0x5B, 0x32, 0x4A, 0x00, 0x07, 0xC0, 0xAF, 0xFF, 0xE2, 0x80, 0xAE, 0xED, 0xA0, 0x80, 0x0A, 0x41, 0xF0, 0x9F,
    ]
    return (0..<ATT.maximumValueLength).map { pattern[$0 % pattern.count] }
  }()

  /// Advertisement, with a monstrous name if that is its misbehaviour.
  public override var advertisingData: [UInt8] {
    guard conduct == .monstrousName else { return super.advertisingData }
    // Flags and services, the longest name, then a structure that claims more bytes than exist.
    return [0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18, 0xFF, 0x09] + Self.monstrousName.prefix(254) + [0x20, 0xFF, 0x01]
  }

  /// Starts a link, and its misbehaviour.
  public override func linkOpened(_ link: VirtualLink) {
    super.linkOpened(link)
    switch conduct {
    case .closesAtOnce: world.loop.schedule(after: .milliseconds(5)) { [weak self] in self?.hangUp() }
    case .floods: pour()
    case .asksBack: for question in Self.questions { link.carry(question, .protocolData) }
    case .oversizedPDUs: link.carry([0x1B, 0x01, 0x00] + [UInt8](repeating: 0x55, count: 597), .protocolData)
    default: break
    }
  }

  /// Ends a link.
  public override func linkClosed() {
    super.linkClosed()
    if let flood { world.loop.cancel(flood) }
    flood = nil
  }

  /// Takes a PDU of the host, and misbehaves.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    switch conduct {
    case .neverAnswers: return
    case .endlessDiscovery:
      if let answer = endlessAnswer(to: pdu) { return link.carry(answer, .protocolData) }
    case .asksBack:
      // Odd opcodes are responses, to which a strap with requests is entitled.
      if let opcode = pdu.first, opcode & 1 == 1, opcode < 0x1B, answersFromHub.count < 64 {
        return answersFromHub.append(Array(pdu))
      }
    default: break
    }
    super.received(pdu, on: link)
  }

  override func sendMeasurement(on link: VirtualLink) {
    switch conduct {
    case .malformedValues:
      let prefix: [UInt8] = [0x1B, UInt8(truncatingIfNeeded: measurementHandle), UInt8(measurementHandle >> 8)]
      link.carry(prefix + Self.malformed[random.below(Self.malformed.count)], .malformedMeasurement, direct: true)
    case .unknownHandles:
      link.carry([0x1B, 0x77, 0x77, 0x00, 0x48], .protocolData, direct: true)
      link.carry([0x1B, 0x00, 0x00, 0x00, 0x48], .protocolData, direct: true)
      link.carry([0x1D, 0x78, 0x77, 0x00, 0x48], .protocolData, direct: true)
    case .oversizedPDUs:
      return link.carry(
        [0x1B, UInt8(truncatingIfNeeded: measurementHandle), UInt8(measurementHandle >> 8), 0x10, 0x48]
          + [UInt8](repeating: 0x03, count: 600), .protocolData, direct: true)
    case .floods: return
    default: break
    }
    super.sendMeasurement(on: link)
  }

  /// Heart rate values that are shorter than their flags require.
  private static let malformed: [[UInt8]] = [
    [], [0x00], [0x01, 0x48], [0x08, 0x48], [0x08, 0x48, 0x01], [0x09, 0x48, 0x00, 0x01], [0x19, 0x48],
  ]

  /// Requests of a curious, careless or broken wearable.
  private static let questions: [[UInt8]] = [
    [0x02, 0xF7, 0x00],  // exchange MTU, 247
    [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28],  // services
    [0x04, 0x01, 0x00, 0xFF, 0xFF],  // attributes
    [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18],  // the heart rate service, of all
    [0x0A, 0x03, 0x00],  // read
    [0x12, 0x03, 0x00, 0x01, 0x00],  // write
    [0x04, 0x05],  // cut short
    [0x3E],  // no such request
  ]

  /// 20 notifications every 10 ms. The values are good, so that only their number is wrong.
  private func pour() {
    guard let link, link.isOpen else { return }
    for _ in 0..<20 { link.carry(encode(measure()), .protocolData) }
    flood = world.loop.schedule(after: .milliseconds(10)) { [weak self] in self?.pour() }
  }

  /// Endless discovery. On each link either honest steps through all 65,535 handles, one per response, or the first one
  /// again and again.
  private func endlessAnswer(to pdu: RawBytes) -> [UInt8]? {
    guard pdu.count >= 5 else { return nil }
    let start = arrivals & 1 == 0 ? (low: pdu[1], high: pdu[2]) : (low: 1, high: 0)
    switch pdu[0] {
    case 0x10: return [0x11, 0x06, start.low, start.high, start.low, start.high, 0x0D, 0x18]
    case 0x08 where pdu.count == 7 && pdu[5] == 0x03 && pdu[6] == 0x28:
      return [0x09, 0x07, start.low, start.high, 0x10, start.low, start.high, 0x37, 0x2A]
    case 0x04: return [0x05, 0x01, start.low, start.high, 0x02, 0x29]
    case 0x06: return [0x07, start.low, start.high, start.low, start.high]
    default: return nil
    }
  }
}
