// Everything the hub is not: wearables, the people who wear them, and the air. One seed makes it all.

public import Bluetooth
public import EventLoop

/// How a world is built.
public struct WorldOptions: Sendable {
  /// A wearable is reported at most this often, however fast it advertises. About a second looks natural to people; a
  /// simulated day needs no more than a few reports per presence time.
  public var advertisementSpacing: Duration = .seconds(1)
  /// Delivers a notification in the body that made it when nothing waits before it, instead of at the next connection
  /// event: saves half of the timers of a simulated day, costs the jitter of a real link.
  public var directNotifications = false
  /// Keeps a record of every delivered value (memory grows with time).
  public var keepsGroundTruth = true

  public init() {}
}

/// The simulated surroundings of one hub. It outlives the hub: a test may kill a hub and start another in the same
/// world.
///
/// Everything that happens is decided by the seed, by the order in which wearables were added and by what the hub does.
/// Nothing iterates over a set or a dictionary.
@LoopActor
public final class VirtualWorld {
  public let loop: any Loop
  public let seed: UInt64
  public let options: WorldOptions
  public var faults: FaultPlan
  public private(set) var peripherals: [VirtualPeripheral] = []

  /// The controllers of the hub's machine.
  public private(set) var controllers: [VirtualController] = []
  /// PDUs that went over the air in connection events.
  public internal(set) var pdusCarried: UInt64 = 0
  /// A wearable is about to remove what it holds: the moment at which a hub must have it. Told by twins, heard by
  /// checkers.
  public var onErase: (@LoopActor (VirtualPeripheral, [(name: String, content: HeldContent)]) -> Void)?
  let random: SeededRandom
  /// Radios so far, one for each life of a hub: every one has a stream of its own.
  var radiosMade: UInt64 = 0

  public init(loop: any Loop, seed: UInt64, options: WorldOptions = WorldOptions(), faults: FaultPlan = FaultPlan()) {
    self.loop = loop
    self.seed = seed
    self.options = options
    self.faults = faults
    random = SeededRandom(seed: seed)
    controllers = [VirtualController(number: 0)]
  }

  /// The radio of the hub that lives in this world now, over the first controller.
  public var radio: VirtualRadio? { controllers[0].radio }
  /// A controller does nothing until it is reset.
  public var isHung: Bool { controllers.contains(where: \.isHung) }

  /// A controller by its number, from 0; those up to it come into being.
  func controller(_ number: Int) -> VirtualController {
    while controllers.count <= number { controllers.append(VirtualController(number: controllers.count)) }
    return controllers[number]
  }

  /// A wearable can be connected, or no longer.
  func connectabilityChanged(of peripheral: VirtualPeripheral) {
    for controller in controllers { controller.radio?.connectabilityChanged(of: peripheral) }
  }

  /// Adds a device that only advertises and is no heart-rate strap: a beacon, a phone, a lock.
  @discardableResult
  public func addBystander(_ presence: PresenceSchedule = .always) -> VirtualPeripheral {
    add(presence) { world, address, stream in
      var draw = stream.split(4)
      return Bystander(
        world, address: address, advertisingInterval: .milliseconds(Int64(draw.integer(in: 100...1000))),
        rssi: draw.integer(in: -90 ... -40), random: stream)
    }
  }

  /// Adds a wearable of any kind: `make` builds it from its address and its stream of chance, which come from the seed
  /// and from how many wearables were added before.
  ///
  /// - Parameter address: for wearables that must have a certain one, such as two of one address.
  @discardableResult
  public func add<P: VirtualPeripheral>(
    _ presence: PresenceSchedule = .always, address: BluetoothAddress? = nil,
    _ make: (VirtualWorld, BluetoothAddress, SeededRandom) -> P
  ) -> P {
    let number = peripherals.count
    let stream = random.split(UInt64(number))
    var draw = stream.split(0)
    let drawn = Self.address(number, random: &draw)
    let peripheral = make(self, address ?? drawn, stream)
    peripherals.append(peripheral)
    peripheral.follow(presence)
    return peripheral
  }

  public func peripheral(_ address: BluetoothAddress) -> VirtualPeripheral? {
    peripherals.first { $0.address == address }
  }

  /// Three of four are random static (the two top bits set), as most straps are; the rest have public addresses.
  public static func address(_ number: Int, random: inout SeededRandom) -> BluetoothAddress {
    let isPublic = random.chance(0.25)
    let drawn = random.next() & 0x3FFF_FFFF_0000 | UInt64(number & 0xFFFF)
    return isPublic
      ? BluetoothAddress(value: drawn, kind: .lePublic)
      : BluetoothAddress(value: drawn | 0xC000_0000_0000, kind: .leRandom)
  }
}

/// Something on the air that is none of the hub's business.
private final class Bystander: VirtualPeripheral {
  private lazy var beacon: [UInt8] = {
    // flags; manufacturer data of company 0xFFFF (for tests)
    var bytes: [UInt8] = [0x02, 0x01, 0x06, 0x0B, 0xFF, 0xFF, 0xFF]
    for _ in 0..<8 { bytes.append(UInt8(random.below(256))) }
    return bytes
  }()
  override var advertisingData: [UInt8] { beacon }
}
