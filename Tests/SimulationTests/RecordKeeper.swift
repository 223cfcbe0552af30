import Bluetooth
import EventLoop
import Simulation

/// A wearable that stores measurements without a link, behind a Record Access Control Point. It is a spot-check
/// oximeter (1822, with Current Time) or a generic health sensor (1840, with Device Time). The code shares no line with
/// the driver.
final class RecordKeeper: VirtualPeripheral {
  enum Kind { case oximeter, sensor }

  struct Record {
    let number: UInt32
    /// µs since 1970, by a clock that is right.
    let at: Int64
    let saturation: UInt8
    let bytes: [UInt8]
  }

  let kind: Kind
  private(set) var kept: [Record] = []
  private(set) var ever: [Record] = []
  /// µs that its clock is ahead.
  var ahead: Int64
  private(set) var requests: [[UInt8]] = []
  private(set) var clockWrites = 0
  private(set) var links = 0
  private(set) var deleted = 0
  /// What is read of it in place of what is right.
  var said: [BluetoothUUID: [UInt8]] = [:]
  /// How its control point words its answers.
  var worded: ([UInt8]) -> [UInt8] = { $0 }

  private var server: GATTServer
  private var outgoing: [(uuid: BluetoothUUID, value: [UInt8])] = []
  private var awaitsConfirmation = false
  private var pump: LoopTimer?

  init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, kind: Kind, ahead: Int64) {
    (self.kind, self.ahead) = (kind, ahead)
    server = GATTServer(Self.services(kind), ownMTU: 185)
    super.init(world, address: address, advertisingInterval: .milliseconds(250), rssi: -60, random: random)
  }

  private static func services(_ kind: Kind) -> [GATTServiceDefinition] {
    let access = GATTServiceDefinition(
      .genericAccess, [GATTCharacteristicDefinition(.deviceName, .read, value: [0x4B])])
    let control = GATTCharacteristicDefinition(0x2A52, [.write, .indicate])
    let described = describing.map { service, values in
      GATTServiceDefinition(service, values.map { GATTCharacteristicDefinition($0, .read, value: $1) })
    }
    switch kind {
    case .oximeter:
      let time = [
        GATTCharacteristicDefinition(0x2A2B, [.read, .write, .notify]),
        GATTCharacteristicDefinition(0x2A0F, [.read, .write], value: [0, 0]),
      ]
      let oximeter = [
        GATTCharacteristicDefinition(0x2A5E, .indicate), GATTCharacteristicDefinition(0x2A60, .read, value: [0x0C, 0]),
        control,
      ]
      return [access, GATTServiceDefinition(0x1822, oximeter), GATTServiceDefinition(0x1805, time)] + described
    case .sensor:
      let sensor = [
        GATTCharacteristicDefinition(0x2B8B, .notify), GATTCharacteristicDefinition(0x2BDD, .notify), control,
        GATTCharacteristicDefinition(0x2BF3, .read, value: [0, 1, 0xB8, 0x4B, 2, 0]),
      ]
      let time = [GATTCharacteristicDefinition(0x2BF2, [.read, .write, .indicate])]
      return [access, GATTServiceDefinition(0x1840, sensor), GATTServiceDefinition(0x183F, time)] + described
    }
  }

  /// What says of it what it is: by service, each value with its number. Names and numbers, charge, reconnection.
  nonisolated static let describing: [(BluetoothUUID, [(BluetoothUUID, [UInt8])])] = [
    (
      0x180A,
      [
        (0x2A29, Array("Lab".utf8)), (0x2A24, Array("Keeper".utf8)), (0x2A25, Array("K-1".utf8)),
        (0x2A26, Array("1.0".utf8)), (0x2A27, Array("A".utf8)), (0x2A28, Array("2".utf8)),
        (0x2A50, [2, 1, 0, 1, 0, 1, 0]),
      ]
    ),
    (0x180F, [(0x2A19, [80]), (0x2BED, [0, 0x61, 0])]),
    (0x1829, [(0x2B1D, [0xFF, 0xFF, 1, 0, 0])]),
  ]

  override var label: String { "keeper" }
  override var advertisingData: [UInt8] {
    [0x02, 0x01, 0x06, 0x03, 0x03] + (kind == .oximeter ? [0x22, 0x18] : [0x40, 0x18]) + [0x03, 0x09, 0x4B, 0x70]
  }

  // MARK: What it measures

  /// - Parameter at: µs since 1970, by a clock that is right.
  func measure(at: Int64) {
    let number = UInt32(ever.count + 1)
    let saturation = UInt8(85 + Int(number * 7 % 15))
    let shown = at + ahead
    let bytes: [UInt8]
    switch kind {
    // Time and measurement status: fully qualified, from storage.
    case .oximeter: bytes = [3, saturation, 0, 70, 0] + Self.civil(shown) + [0, 1 | Self.fromStorage]
    case .sensor:
      bytes = [1, 21, 0, 3, 0, 0xB8, 0x4B, 2, 0] + Self.stamp(shown) + [0x20, 2, saturation, 0, 0, 0]
    }
    let record = Record(number: number, at: at, saturation: saturation, bytes: bytes)
    kept.append(record)
    ever.append(record)
  }

  /// High byte of the measurement status.
  private static let fromStorage: UInt8 = 1 << 1

  /// True while it sends its memory.
  var isReporting: Bool { outgoing.count > 20 }

  /// Indicates the last measurement too, as oximeters with spot-checks do: at once, also while it sends its memory. The
  /// value stays a record.
  func indicate() {
    guard kind == .oximeter, let last = kept.last, let link, link.isOpen else { return }
    var bytes = last.bytes
    bytes[bytes.count - 1] &= ~Self.fromStorage
    outgoing.insert((0x2A5E, bytes), at: isReporting ? 0 : outgoing.count)
    send()
  }

  // MARK: The link

  override func linkOpened(_ link: VirtualLink) { links += 1 }

  override func linkClosed() {
    server.reset()
    outgoing = []
    awaitsConfirmation = false
    if let pump { world.loop.cancel(pump) }
    pump = nil
  }

  override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if pdu.first == 0x1E { awaitsConfirmation = false }
    let now = world.loop.wall.microseconds + ahead
    if kind == .oximeter {
      server.setValue(Self.civil(now) + [0, UInt8(now % 1_000_000 * 256 / 1_000_000), 0], for: 0x2A2B)
    } else {
      server.setValue(Self.stamp(now), for: 0x2BF2)
    }
    for (uuid, value) in said { server.setValue(value, for: uuid) }
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() where write.attribute != .clientCharacteristicConfiguration {
      switch write.characteristic {
      case 0x2A2B, 0x2BF2:
        clockWrites += 1
        ahead += Self.read(write.value) - now
      case 0x2A52: answer(write.value)
      default: break
      }
    }
    send()
  }

  private func answer(_ request: [UInt8]) {
    requests.append(request)
    let wide = kind == .sensor
    let operation = request[0]
    if operation == 3 {
      outgoing = []
      return tell([6, 0, 3, 1])
    }
    var chosen = kept
    if request.count == 7 {
      let number = request[3...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      chosen = kept.filter { request[1] == 3 ? $0.number >= number : $0.number <= number }
    }
    let digits = (0..<(wide ? 4 : 2)).map { UInt8(truncatingIfNeeded: chosen.count >> (8 * $0)) }
    switch operation {
    case 4: tell([5, 0] + digits)
    case 2:
      let gone = Set(chosen.map(\.number))
      deleted += gone.count
      kept.removeAll { gone.contains($0.number) }
      tell([6, 0, 2, 1])
    case 1 where !wide, 7 where wide:
      if chosen.isEmpty { return tell([6, 0, operation, 6]) }
      for (place, record) in chosen.enumerated() {
        guard wide else {
          outgoing.append((0x2A5E, record.bytes))
          continue
        }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: record.number >> (8 * UInt32($0))) }
        outgoing.append((0x2BDD, [UInt8(place & 63) << 2 | 3] + number + record.bytes))
      }
      tell(wide ? [8, 0] + digits : [6, 0, 1, 1])
    default: tell([6, 0, operation, 2])
    }
  }

  private func tell(_ answer: [UInt8]) { outgoing.append((0x2A52, worded(answer))) }

  /// Indications one at a time; notifications as long as few of them wait.
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

  // MARK: Bytes

  /// Days are counted from 2026-01-01, and no test leaves that year.
  private static let newYear: Int64 = 1_767_225_600_000_000
  private static let months: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  private static func civil(_ time: Int64) -> [UInt8] {
    var day = (time - newYear) / 86_400_000_000
    var month = 0
    while month < 11, day >= months[month] {
      day -= months[month]
      month += 1
    }
    let second = (time - newYear) / 1_000_000 % 86_400
    return [
      0xEA, 7, UInt8(month + 1), UInt8(day + 1), UInt8(second / 3600), UInt8(second / 60 % 60), UInt8(second % 60),
    ]
  }

  /// UTC in milliseconds since 2000, on the current timeline.
  private static func stamp(_ time: Int64) -> [UInt8] {
    let count = (time - 946_684_800_000_000) / 1000
    return [0x2A] + (0..<6).map { UInt8(truncatingIfNeeded: count >> (8 * Int64($0))) } + [1, 0]
  }

  private static func read(_ value: [UInt8]) -> Int64 {
    if value.count == 9 {
      let count = value[1...6].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      return count * 1000 + 946_684_800_000_000
    }
    let days = months.prefix(Int(value[2]) - 1).reduce(0, +) + Int64(value[3]) - 1
    let second = Int64(value[4]) * 3600 + Int64(value[5]) * 60 + Int64(value[6])
    return newYear + days * 86_400_000_000 + second * 1_000_000 + Int64(value[8]) * 1_000_000 / 256
  }
}
