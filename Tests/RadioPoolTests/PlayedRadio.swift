// A radio that does what a test says.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class PlayedRadio: Radio {
  let loop: any Loop
  private(set) var state = RadioState.starting
  var address: BluetoothAddress
  var name: String
  var slots = 5
  var open: Set<BluetoothAddress> = []
  /// How attempts fail, the next first; empty: they succeed.
  var failures: [LinkError] = []
  var attemptTime: Duration = .milliseconds(100)
  var warnings: [HearthError] = []
  /// Wearables that it hears and does not reach.
  var unreachable: Set<BluetoothAddress> = []
  /// Attempts that wait now.
  private(set) var running = 0
  private(set) var attempts: [BluetoothAddress] = []
  private(set) var keys: [BondKeys] = []
  private(set) var ownedAtStart: Set<BluetoothAddress>?
  private(set) var secured: [BluetoothAddress] = []
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  var onStateChange: (@LoopActor (RadioState) -> Void)?
  var onRung: (@LoopActor (RadioRung) -> Void)?
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?
  var asksForNames = false

  init(_ loop: any Loop, _ number: UInt64) {
    self.loop = loop
    name = "hci\(number)"
    address = BluetoothAddress(value: 0xAABB_CC00_0000 + number, kind: .lePublic)
  }

  var facts: RadioFacts {
    RadioFacts(
      adapter: name, address: address, bus: "USB", links: open.count, slots: slots, isScanning: state == .ready,
      warnings: warnings, counters: [("advertisements", 3), ("connect.attempts", UInt64(attempts.count))])
  }

  func start() {}
  func start(owning owned: Set<BluetoothAddress>) { ownedAtStart = owned }

  func change(to state: RadioState) {
    self.state = state
    onStateChange?(state)
  }

  func hear(_ address: BluetoothAddress, _ rssi: Int8, data: [UInt8] = [2, 1, 6], isScanResponse: Bool = false) {
    onAdvertisement?(
      Advertisement(
        address: address, rssi: rssi, isConnectable: true, isScanResponse: isScanResponse, data: data, time: loop.now))
  }

  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    attempts.append(address)
    running += 1
    defer { running -= 1 }
    do { try await loop.sleep(for: attemptTime) } catch { throw .aborted }
    if !failures.isEmpty { throw failures.removeFirst() }
    if unreachable.contains(address) { throw .timedOut }
    open.insert(address)
    return PlayedBearer(address)
  }

  func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    guard let now = self.parameters(of: address) else { throw .linkLost }
    return now
  }

  func parameters(of address: BluetoothAddress) -> EffectiveParameters? {
    guard open.contains(address) else { return nil }
    return EffectiveParameters(interval: 40, latency: 0, timeout: 400, source: .observed, since: loop.now)
  }

  func setKeys(_ keys: [BondKeys]) { self.keys = keys }
  func secure(_ bearer: any Bearer) async throws(LinkError) { secured.append(bearer.address) }
  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {}
  func forgetKeys(of address: BluetoothAddress) async {}
  func recover() {}
  func shutDown() async {}
}

@LoopActor
final class PlayedBearer: Bearer {
  let address: BluetoothAddress
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  init(_ address: BluetoothAddress) { self.address = address }
  func send(_ pdu: [UInt8]) -> Bool { true }
  func close(immediately: Bool) {}
}
