// A radio for tests of the lane: links that work, or end when a test says so; parameters and pairing by script.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class RecorderBearer: Bearer {
  let address: BluetoothAddress
  let twin: RecorderTwin
  private let loop: any Loop
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  private(set) var isClosed = false
  var onEnd: (@LoopActor () -> Void)?

  init(_ address: BluetoothAddress, _ twin: RecorderTwin, _ loop: any Loop) {
    self.address = address
    self.twin = twin
    self.loop = loop
  }

  func send(_ pdu: [UInt8]) -> Bool {
    if isClosed { return false }
    loop.schedule(after: .milliseconds(5)) { [self] in if !isClosed { twin.received(pdu) } }
    return true
  }

  func deliver(_ pdu: [UInt8]) {
    loop.schedule(after: .milliseconds(5)) { [self] in if !isClosed { pdu.withUnsafeBytes { onReceive?($0) } } }
  }

  func close(immediately: Bool) { end(nil) }
  func cut(_ error: LinkError) { end(error) }

  private func end(_ error: LinkError?) {
    if isClosed { return }
    isClosed = true
    onEnd?()
    if let error { onClosed?(error) }
    onReceive = nil
    onClosed = nil
  }
}

@LoopActor
final class LaneRadio: Radio {
  let loop: any Loop
  var twins: [(address: BluetoothAddress, twin: RecorderTwin)] = []
  private(set) var bearers: [RecorderBearer] = []
  var state = RadioState.starting
  var slots = 5
  /// Links that another program made.
  var foreignLinks = 0
  var warnings: [HearthError] = []
  var facts: RadioFacts {
    var facts = RadioFacts(
      adapter: "test", bus: "virtual", links: foreignLinks + bearers.count { !$0.isClosed }, slots: slots)
    facts.warnings = warnings
    return facts
  }
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  var onStateChange: (@LoopActor (RadioState) -> Void)?
  var onRung: (@LoopActor (RadioRung) -> Void)?
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  var asksForNames = false
  var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?
  private(set) var updates: [(address: BluetoothAddress, parameters: ConnectionParameters)] = []
  /// How long the controller takes to change a link.
  var updatesTake: Duration?
  var updateFails: LinkError?
  /// Changes of a link that its wearable refuses: it stays as it is.
  var refusedUpdates = 0
  var connectFails: LinkError?
  var connectTakes: Duration = .milliseconds(50)
  private(set) var effective: [BluetoothAddress: EffectiveParameters] = [:]
  var keys: [BondKeys] = []
  private(set) var forgotten: [BluetoothAddress] = []
  private(set) var answers: [PairingAnswer] = []
  var secureFails: LinkError?
  private(set) var secured = 0
  private(set) var connects = 0
  private var connecting: Set<BluetoothAddress> = []
  /// Connects to a wearable that had an attempt or a link already.
  private(set) var taken = 0
  /// No wearable advertises or can be connected.
  var isQuiet = false
  /// Wearables advertise only as a test says; all can be connected.
  var isScripted = false
  /// What raising security finds out, beside the link: the wearable pairs and gives these keys.
  var pairsWith: BondKeys?

  init(_ loop: any Loop) { self.loop = loop }

  func add(_ number: UInt64, _ twin: RecorderTwin) -> BluetoothAddress {
    let address = BluetoothAddress(value: 0xC0_0000_0000_00 | number, kind: .leRandom)
    twins.append((address, twin))
    return address
  }

  func start() {
    state = .ready
    onStateChange?(state)
    advertise()
  }

  private func advertise() {
    for (address, _) in twins where !isQuiet && !isScripted && !isLinked(address) {
      // Complete list of 16-bit services.
      onAdvertisement?(
        Advertisement(address: address, rssi: -50, isConnectable: true, data: [3, 3, 0xF0, 0xFF], time: loop.now))
    }
    loop.schedule(after: .seconds(1)) { [weak self] in self?.advertise() }
  }

  private func isLinked(_ address: BluetoothAddress) -> Bool {
    bearers.contains { $0.address == address && !$0.isClosed }
  }

  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    connects += 1
    if isLinked(address) || !connecting.insert(address).inserted {
      taken += 1
      throw .taken
    }
    defer { connecting.remove(address) }
    try? await loop.sleep(for: connectTakes)
    if let connectFails { throw connectFails }
    guard let twin = twins.first(where: { $0.address == address })?.twin, !isQuiet else { throw .notHeard }
    let bearer = RecorderBearer(address, twin, loop)
    bearers.removeAll { $0.isClosed }
    bearers.append(bearer)
    set(address, parameters, .assumed)
    twin.linked(bearer)
    return bearer
  }

  func set(_ address: BluetoothAddress, _ parameters: ConnectionParameters, _ source: EffectiveParameters.Source) {
    let now = EffectiveParameters(
      interval: parameters.maximumInterval, latency: parameters.latency, timeout: parameters.timeout, source: source,
      since: loop.now)
    effective[address] = now
    onParameters?(address, now)
  }

  func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    updates.append((address, parameters))
    if let updateFails { throw updateFails }
    if let updatesTake { try? await loop.sleep(for: updatesTake) }
    if refusedUpdates > 0 { refusedUpdates -= 1 } else { set(address, parameters, .observed) }
    guard let now = effective[address] else { throw .adapterGone }
    return now
  }

  func parameters(of address: BluetoothAddress) -> EffectiveParameters? { effective[address] }
  func setKeys(_ keys: [BondKeys]) { self.keys = keys }

  func secure(_ bearer: any Bearer) async throws(LinkError) {
    secured += 1
    try? await loop.sleep(for: .milliseconds(20))
    if let secureFails {
      onPairingFailed?(bearer.address, secureFails)
      throw secureFails
    }
    if keys.contains(where: { $0.address == bearer.address }) { return }
    onPairingRequest?(PairingRequest(address: bearer.address, kind: .justWorks))
    guard answers.last == .yes, let pairsWith else { throw .authenticationFailed }
    if case .refused(let error) = onKeys?(bearer.address, pairsWith) ?? .refused(.keyNotGiven) {
      onPairingFailed?(bearer.address, error)
      throw error
    }
  }

  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) { answers.append(answer) }
  func forgetKeys(of address: BluetoothAddress) async {
    keys.removeAll { $0.address == address }
    forgotten.append(address)
  }
  func recover() {}
  func shutDown() async {
    for bearer in bearers { bearer.close(immediately: true) }
    onAdvertisement = nil
  }
}
