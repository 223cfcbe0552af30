import Bluetooth
import EventLoop
import Simulation

/// A strap, a cuff, two scales, a thermometer, a foot pod and a bike sensor in one, with all that describes them. Each
/// tells what it measured once it is listened to. Written from the services' own tables: it shares no line with the
/// driver.
final class SensorShelf: VirtualPeripheral {
  private(set) var links = 0
  private var server: GATTServer
  private var outgoing: [(uuid: BluetoothUUID, value: [UInt8])] = []
  private var told: Set<BluetoothUUID> = []
  private var awaitsConfirmation = false
  private var pump: LoopTimer?

  /// What describes: by service, each value with its number.
  nonisolated static let describing: [(service: BluetoothUUID, number: BluetoothUUID, value: [UInt8])] = [
    (0x180D, 0x2A38, [1]),
    (0x1810, 0x2A49, [0x1F, 0]),
    (0x181D, 0x2A9E, [7, 0, 0, 0]),
    (0x181B, 0x2A9B, [0xFF, 3, 0, 0]),
    (0x1809, 0x2A1D, [2]), (0x1809, 0x2A21, [60, 0]),
    (0x1814, 0x2A54, [3, 0]), (0x1814, 0x2A5D, [1]),
    (0x1816, 0x2A5C, [3, 0]),
    (0x180A, 0x2A23, [1, 2, 3, 4, 5, 6, 7, 8]),
  ]

  /// Measured values:
  ///
  /// - 72 beats a minute
  /// - 120/80, 93
  /// - 70 kg, 20 % fat
  /// - 36.6 °C
  /// - 16.3 km/h and 78 steps a minute
  /// - a turn of the crank a second
  nonisolated static let measured: [(service: BluetoothUUID, number: BluetoothUUID, values: [[UInt8]])] = [
    (0x180D, 0x2A37, [[0, 72]]),
    (0x1810, 0x2A35, [[0, 120, 0, 80, 0, 93, 0]]),
    (0x181D, 0x2A9D, [[0, 0xB0, 0x36]]),
    (0x181B, 0x2A9C, [[0, 0, 0xC8, 0]]),
    (0x1809, 0x2A1C, [[0, 0x6E, 1, 0, 0xFF]]),
    (0x1814, 0x2A53, [[0, 0x87, 4, 78]]),
    (0x1816, 0x2A5B, [[2, 10, 0, 0, 4], [2, 11, 0, 0, 8]]),
  ]

  /// - Parameter said: what is read of it in place of what is right.
  init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, said: [BluetoothUUID: [UInt8]],
    telling measured: [BluetoothUUID: [[UInt8]]] = [:]
  ) {
    var all: [BluetoothUUID: [GATTCharacteristicDefinition]] = [:]
    for (service, number, value) in Self.describing {
      all[service, default: []].append(GATTCharacteristicDefinition(number, .read, value: said[number] ?? value))
    }
    for (service, number, _) in Self.measured {
      let isKept = Self.kept.contains(number)
      all[service, default: []].append(GATTCharacteristicDefinition(number, isKept ? .indicate : .notify))
    }
    values = Dictionary(uniqueKeysWithValues: Self.measured.map { ($0.number, measured[$0.number] ?? $0.values) })
    let name = GATTCharacteristicDefinition(.deviceName, .read, value: [0x53])
    let services = Self.order.map { GATTServiceDefinition($0, all[$0] ?? []) }
    server = GATTServer([GATTServiceDefinition(.genericAccess, [name])] + services, ownMTU: 185)
    super.init(world, address: address, advertisingInterval: .milliseconds(250), rssi: -60, random: random)
  }

  private let values: [BluetoothUUID: [[UInt8]]]
  private static let order: [BluetoothUUID] = [0x180D, 0x1810, 0x181D, 0x181B, 0x1809, 0x1814, 0x1816, 0x180A]
  private static let kept: Set<BluetoothUUID> = [0x2A35, 0x2A9D, 0x2A9C, 0x2A1C]

  override var label: String { "shelf" }
  override var advertisingData: [UInt8] {
    [0x02, 0x01, 0x06, 0x05, 0x03, 0x0D, 0x18, 0x16, 0x18, 0x03, 0x09, 0x53, 0x68]
  }

  override func linkOpened(_ link: VirtualLink) { links += 1 }

  override func linkClosed() {
    server.reset()
    (outgoing, awaitsConfirmation) = ([], false)
    if let pump { world.loop.cancel(pump) }
    pump = nil
  }

  override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if pdu.first == 0x1E { awaitsConfirmation = false }
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() where write.attribute == .clientCharacteristicConfiguration {
      // Once each, whatever becomes of the link.
      guard write.value.contains(where: { $0 != 0 }), told.insert(write.characteristic).inserted else { continue }
      outgoing += (values[write.characteristic] ?? []).map { (write.characteristic, $0) }
    }
    send()
  }

  private func send() {
    while let next = outgoing.first, let link, link.isOpen, link.waitingForHub < 8 {
      guard let handle = server.valueHandle(of: next.uuid) else { return }
      let isIndicated = server.subscription(at: handle) & 2 != 0
      if isIndicated, awaitsConfirmation { break }
      awaitsConfirmation = awaitsConfirmation || isIndicated
      outgoing.removeFirst()
      let pdu =
        isIndicated
        ? server.indication(at: handle, value: next.value) : server.notification(at: handle, value: next.value)
      link.carry(pdu, .protocolData)
    }
    if outgoing.isEmpty || pump != nil { return }
    pump = world.loop.schedule(after: .milliseconds(20)) { [weak self] in
      self?.pump = nil
      self?.send()
    }
  }
}
