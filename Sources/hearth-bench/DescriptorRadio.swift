// A radio with one wearable, with a connected descriptor as its ATT channel.

import Bluetooth
import EventLoop
import LinuxBluetooth

/// Replaces the kernel's radio in `notify`; the hub above it is the same as in the daemon.
@LoopActor
final class DescriptorRadio: Radio {
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  var onStateChange: (@LoopActor (RadioState) -> Void)?
  var onRung: (@LoopActor (RadioRung) -> Void)?
  var asksForNames = false
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?
  private(set) var state = RadioState.starting
  let facts: RadioFacts

  private static let wearable = BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom)
  private let loop: any Loop
  /// Channel of the one link it will make.
  private var channel: (descriptor: Int32, loop: EpollLoop)?

  /// Takes over a connected, non-blocking descriptor, for the one link it will make.
  init(_ descriptor: Int32, _ loop: EpollLoop) {
    channel = (descriptor, loop)
    self.loop = loop
    facts = RadioFacts(adapter: "descriptor", bus: "none", slots: 1)
  }

  /// A radio that makes no link, as its only slot is taken.
  init(_ loop: any Loop) {
    self.loop = loop
    facts = RadioFacts(adapter: "descriptor", bus: "none", links: 1, slots: 1)
  }

  func start() {
    state = .ready
    onStateChange?(.ready)
    if channel != nil { advertise() }
  }

  /// Advertises once a second until the link is made, as the hub connects to what it has just heard.
  private func advertise() {
    guard channel != nil else { return }
    // Flags: general discoverable; the Heart Rate Service; a name.
    let data: [UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18, 6, 0x09] + Array("strap".utf8)
    onAdvertisement?(Advertisement(address: Self.wearable, rssi: -40, isConnectable: true, data: data, time: loop.now))
    loop.schedule(after: .seconds(1)) { [weak self] in self?.advertise() }
  }

  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    guard let channel else { throw .notHeard }
    self.channel = nil
    return attributeChannel(over: channel.descriptor, to: address, loop: channel.loop)
  }

  // A descriptor has neither connection events nor keys.
  func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  { throw .adapterGone }
  func parameters(of address: BluetoothAddress) -> EffectiveParameters? { nil }
  func setKeys(_ keys: [BondKeys]) {}
  func secure(_ bearer: any Bearer) async throws(LinkError) { throw .authenticationFailed }
  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {}
  func forgetKeys(of address: BluetoothAddress) async {}
  func recover() {}

  func shutDown() async { state = .starting }
}
