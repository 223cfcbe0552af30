// Several radios as one: an advertisement heard by any of them is reported, and a link uses the best adapter.

public import Bluetooth
public import EventLoop
import Glibc

/// `Radio` made of radios, each with its own adapter. Radios may be added at any time; one without an adapter waits and
/// does not disturb the others. With one member it behaves like that member.
@LoopActor
public final class RadioPool: Radio {
  /// Highest number of members; hubs of this kind have four to eight adapters.
  public nonisolated static let limit = 8

  private let links: PoolLinks
  private var told = RadioState.starting
  private var owned: Set<BluetoothAddress>?

  /// Called for each advertisement, of any radio.
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// Called when the state of the pool changes.
  public var onStateChange: (@LoopActor (RadioState) -> Void)?
  /// Called for each rung of a radio's reset ladder.
  public var onRung: (@LoopActor (RadioRung) -> Void)?
  /// Called when parameters of a link change.
  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  /// Called for a pairing that needs a person.
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)? {
    didSet { for member in members { member.radio.onPairingRequest = onPairingRequest } }
  }
  /// Called for new keys; decides whether they are kept.
  public var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  /// Called for a failed pairing.
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?
  /// True: radios ask for names with scan requests.
  public var asksForNames = false {
    didSet { for member in members { member.radio.asksForNames = asksForNames } }
  }

  /// A pool without radios.
  public init(_ loop: any Loop, listening: ListeningRule = .automatic) { links = PoolLinks(loop, listening) }

  // MARK: Members

  private var members: [PoolMember] { links.members }

  /// Adds a radio, and starts it if the pool was started.
  ///
  /// - Returns: false with `limit` members already.
  @discardableResult
  public func add(_ radio: any Radio) -> Bool {
    if members.count >= Self.limit { return false }
    let member = PoolMember(radio, place: members.count)
    links.add(member)
    radio.onAdvertisement = { [weak self, place = member.place] in self?.heard($0, at: place) }
    radio.onStateChange = { [weak self, weak member] state in if let member { self?.changed(member, state) } }
    radio.onRung = { [weak self, weak member] rung in if let member { self?.climbed(member, rung) } }
    radio.onParameters = { [weak self] in self?.onParameters?($0, $1) }
    radio.onPairingRequest = onPairingRequest
    radio.onKeys = { [weak self, weak member] link, made in
      var made = made
      made.adapter = member?.address
      return self?.onKeys?(link, made) ?? .refused(.keyNotGiven)
    }
    radio.onPairingFailed = { [weak self] in self?.onPairingFailed?($0, $1) }
    radio.asksForNames = asksForNames
    member.noteAddress()
    shareKeys()
    if let owned { radio.start(owning: owned) }
    return true
  }

  /// Whether another member than this one is in service.
  public func serves(without radio: any Radio) -> Bool { members.contains { $0.radio !== radio && $0.isReady } }

  // MARK: Life

  /// Starts without wearables of its own.
  public func start() { start(owning: []) }

  /// Starts all radios.
  public func start(owning owned: Set<BluetoothAddress>) {
    self.owned = owned
    for member in members { member.radio.start(owning: owned) }
  }

  /// Shuts all members down at once: each may wait for a controller that does not respond.
  public func shutDown() async {
    let ends = members.map { member in links.loop.spawn { await member.radio.shutDown() } }
    for end in ends { await end.value }
  }

  /// Starts the recovery of all radios.
  public func recover() { for member in members { member.radio.recover() } }

  /// Ready if any radio is ready.
  public var state: RadioState { Self.sum(members.map(\.radio.state)) }

  /// State of the pool: ready if any member is ready, else starting if any is starting.
  private static func sum(_ states: [RadioState]) -> RadioState {
    if states.contains(.ready) { return .ready }
    return states.contains(.starting) ? .starting : states.first ?? .starting
  }

  /// Facts of all radios.
  public var facts: RadioFacts { RadioFacts(of: links) }

  private func changed(_ member: PoolMember, _ state: RadioState) {
    member.told = state
    if state == .ready {
      let before = member.address
      member.noteAddress()
      for other in members where other !== member && other.address == member.address { other.forgetAddress() }
      if member.address != before { shareKeys() }
    }
    let now = Self.sum(members.map(\.told))
    if now == told { return }
    told = now
    onStateChange?(now)
  }

  private func climbed(_ member: PoolMember, _ rung: RadioRung) {
    if members.count == 1 { return onRung?(rung) ?? () }
    onRung?(RadioRung("\(member.radio.facts.adapter): \(rung.name)", endsLinks: rung.endsLinks))
  }

  private func heard(_ advertisement: Advertisement, at place: Int) {
    if let told = links.heard(advertisement, at: place) { onAdvertisement?(told) }
  }

  // MARK: Links

  /// Tries the next adapter if one is full, gone or fails, until the deadline.
  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    try await links.connect(to: address, deadline: deadline, parameters: parameters)
  }

  /// Slots of each adapter that an attempt leaves to other wearables.
  public var slotsKept: (@LoopActor (_ from: BluetoothAddress) -> [Int])? {
    get { links.slotsKept }
    set { links.slotsKept = newValue }
  }

  /// Adapters of a wearable.
  public func place(of address: BluetoothAddress) -> AdapterPlace? { links.place(of: address) }

  /// Requests other parameters for a link.
  ///
  /// - Throws: why the request failed.
  public func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    guard let member = links.carrier(of: address) ?? members.first else { throw .adapterGone }
    return try await member.radio.update(address, to: parameters)
  }

  /// Parameters in effect; nil: unknown.
  public func parameters(of address: BluetoothAddress) -> EffectiveParameters? {
    links.carrier(of: address)?.radio.parameters(of: address)
  }

  // MARK: Pairing and keys

  /// Replaces the keys of all radios.
  public func setKeys(_ keys: [BondKeys]) {
    links.keys.list = keys
    shareKeys()
  }

  private func shareKeys() {
    for member in members { member.radio.setKeys(links.keys.share(of: member, among: members)) }
  }

  /// Encrypts a link.
  ///
  /// - Throws: why it failed.
  public func secure(_ bearer: any Bearer) async throws(LinkError) {
    guard let member = links.last(of: bearer.address) else { throw .system(errno: ENOTCONN) }
    try await member.radio.secure(bearer)
  }

  /// Answers a request; an answer without an open request is ignored.
  public func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {
    for member in members { member.radio.answer(address, answer) }
  }

  /// Deletes the keys of a wearable in all radios.
  public func forgetKeys(of address: BluetoothAddress) async {
    for member in members { await member.radio.forgetKeys(of: address) }
  }
}
