// Tap of a hostile peer: which trick it plays on which link, and when.

public import Bluetooth
public import EventLoop
public import Simulation

/// Plays one trick between a genuine twin and the hub. Everything that the trick does not affect comes from the twin.
public final class HostileTap: PeerTap {
  /// Trick that it plays.
  public let trick: HostileTrick
  /// Twin that it looks like.
  public let guise: HostileGuise
  /// Trick of the present link; `mixed` and `earnsThenCheats` choose another one each time.
  public private(set) var playing: HostileTrick?
  /// Number of links, with start and end of each; the newest 512.
  public private(set) var links = 0
  /// Begin and end of its links.
  public private(set) var spans: [(from: Instant, until: Instant?)] = []
  /// PDUs received from the hub, over all links.
  public private(set) var heard = 0
  /// Actions of the trick: PDUs withheld, delayed or added, disconnects, stalls.
  public private(set) var plays = 0

  var random: SeededRandom
  /// Handle at which its family's transfers are notified; nil: any.
  let transfer: UInt16?
  /// True if it neither sends nor receives any more on this link.
  var isMute = false
  /// Handles of values from discovery, by their 16-bit types. Kept over links, as the database does not change.
  var learned: [UInt16: UInt16] = [:]
  /// Type that the hub last requested in 0x08 and 0x10.
  var askedType: UInt16 = 0
  var mtu = 23
  /// Answers on this link.
  var answers = 0
  /// Values sent on this link.
  var values = 0
  var lastValueAt: Instant?
  /// Links of a minute and more.
  private var honestLinks = 0
  // State of a transfer.
  var transferred = 0
  /// Octets of content after which a transfer goes wrong.
  var transferLimit = 0
  var firstFrame: [UInt8] = []
  /// Octets still to be sent slowly, at most `dribbleLimit`.
  var dribble: [UInt8] = []
  var sequence: UInt8 = 0
  var isStuck = false

  init(_ trick: HostileTrick, _ guise: HostileGuise, random: SeededRandom, transfer: UInt16?) {
    self.trick = trick
    self.guise = guise
    self.random = random
    self.transfer = transfer
    super.init(isHostile: true)
    playing = choose()
  }

  var loop: any Loop {
    guard let peripheral else { preconditionFailure("a tap before nobody") }
    return peripheral.world.loop
  }

  // MARK: Link

  /// False while the trick refuses connections.
  public override var letsIn: Bool {
    if playing == .letsNobodyIn { plays += 1 }
    return playing != .letsNobodyIn
  }

  /// nil: an honest link.
  private func choose() -> HostileTrick? {
    switch trick {
    case .mixed: any()
    case .earnsThenCheats: honestLinks < 3 ? nil : any()
    default: trick
    }
  }

  private func any() -> HostileTrick {
    let all = HostileTrick.allCases.filter { $0.suits(guise) && $0 != .mixed && $0 != .earnsThenCheats }
    return all[random.below(all.count)]
  }

  /// Begins a link.
  public override func linkOpened(_ link: VirtualLink) {
    links += 1
    if spans.count >= 512 { spans.removeFirst(256) }
    spans.append((loop.now, nil))
    (isMute, mtu, answers, values, lastValueAt) = (false, 23, 0, 0, nil)
    (transferred, firstFrame, dribble, sequence, isStuck) = (0, [], [], 0, false)
    // Every second transfer fails at the first frames: a login has a few octets, and a file thousands.
    transferLimit = [random.below(16), random.below(16), random.below(200), random.below(6000)][random.below(4)]
    begin(link)
  }

  /// Ends a link.
  public override func linkClosed(_ link: VirtualLink) {
    if let last = spans.indices.last { spans[last].until = loop.now }
    if playing == nil, loop.now - link.openedAt > .seconds(60) { honestLinks += 1 }
    if playing == .vanishesInTheLink { peripheral?.arrive() }
    playing = choose()
    // A peer with several tricks refuses links only for a while.
    if playing == .letsNobodyIn, trick != .letsNobodyIn {
      loop.schedule(after: .seconds(30)) { [weak self] in
        guard let self, playing == .letsNobodyIn else { return }
        playing = choose()
      }
    }
  }

  /// Runs once on this link, unless the link ends before.
  func after(_ delay: Duration, _ link: VirtualLink, _ body: @escaping @LoopActor (VirtualLink) -> Void) {
    loop.schedule(after: delay) { [weak self, weak link] in
      guard let self, let link, link.isOpen else { return }
      plays += 1
      body(link)
    }
  }

  private func begin(_ link: VirtualLink) {
    switch playing {
    case .breaksAtTheFirstEvent:
      isMute = true
      after(.microseconds(1250 * 6 * Int64(link.parameters.interval)), link) { $0.breaks() }
    case .hangsUpAtOnce: after(.milliseconds(5), link) { $0.peripheralHangsUp() }
    case .hangsUpAfterASecond:
      isMute = true
      after(.seconds(1), link) { $0.peripheralHangsUp() }
    case .breaksEachThreeSeconds: after(.seconds(3), link) { $0.breaks() }
    case .stretchesTheLink:
      plays += 1
      link.askForParameters(
        ConnectionParameters(minimumInterval: 3200, maximumInterval: 3200, latency: 0, timeout: 3200))
    case .vanishesInTheLink: after(.milliseconds(50), link) { $0.peripheral.leave() }
    case .mute: isMute = true
    case .stallsFeatures, .stallsExchange, .crawlsExchange, .stallsEncryption:
      link.askForSecurity()
    case .honestForAMinute: after(.seconds(60), link) { [weak self] _ in self?.isMute = true }
    case .alternates: alternate(link)
    case .alwaysChanging: changeServices(link)
    default: break
    }
  }

  private func alternate(_ link: VirtualLink) {
    after(.seconds(60), link) { [weak self] link in
      self?.isMute.toggle()
      self?.alternate(link)
    }
  }

  /// Stall of a security step, if any.
  public override func stall(at step: SecurityStep) -> SecurityStall? {
    let stall = drawnStall(at: step)
    if stall != nil { plays += 1 }
    return stall
  }

  private func drawnStall(at step: SecurityStep) -> SecurityStall? {
    switch (playing, step) {
    case (.stallsFeatures, .features), (.stallsExchange, .exchange), (.stallsEncryption, .encryption): .silent
    case (.demandsEncryption, .exchange), (.demandsEncryption, .encryption): .silent
    // Public key, confirmation, nonce, check, keys.
    case (.crawlsExchange, .exchange): .slow(.seconds(5 * 29))
    case (.crawlsExchange, _): .slow(.seconds(29))
    default: nil
    }
  }

  // MARK: PDUs

  /// False: the twin does not receive the PDU.
  public override func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool {
    heard += 1
    if isMute { plays += 1 }
    guard !isMute, let opcode = pdu.first else { return false }
    if opcode == 0x02, pdu.count == 3 { mtu = Int(pdu[1]) | Int(pdu[2]) << 8 }
    if opcode == 0x08 || opcode == 0x10, pdu.count == 7 { askedType = UInt16(pdu[5]) | UInt16(pdu[6]) << 8 }
    let isHeard = passes(pdu, opcode, link)
    if !isHeard { plays += 1 }
    return isHeard
  }

  /// Fate of a PDU of the twin.
  public override func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate {
    let fate = drawnFate(of: pdu, on: link)
    if case .swallowed = fate { plays += 1 }
    return fate
  }

  private func drawnFate(of pdu: [UInt8], on link: VirtualLink) -> Fate {
    if isMute { return .swallowed }
    guard let opcode = pdu.first else { return .passes }
    learn(pdu)
    if opcode == 0x03, pdu.count == 3 { mtu = max(23, min(mtu, Int(pdu[1]) | Int(pdu[2]) << 8)) }
    if opcode == 0x1B || opcode == 0x1D { return fate(ofValue: pdu, link) }
    // Responses and errors.
    if opcode & 1 == 1, opcode < 0x1B { return fate(ofAnswer: pdu, link) }
    return .passes
  }

  /// Stores handles from a list of characteristics: those of values with a 16-bit type.
  private func learn(_ pdu: [UInt8]) {
    guard pdu.count > 2, pdu[0] == 0x09, pdu[1] == 7, askedType == 0x2803 else { return }
    for begin in stride(from: 2, through: pdu.count - 7, by: 7) {
      let type = UInt16(pdu[begin + 5]) | UInt16(pdu[begin + 6]) << 8
      learned[type] = UInt16(pdu[begin + 3]) | UInt16(pdu[begin + 4]) << 8
    }
  }
}
