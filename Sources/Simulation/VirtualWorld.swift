// The hub's surroundings: wearables, their wearers, and the air, all determined by one seed.

public import Bluetooth
public import EventLoop

/// Choices between speed and detail of a world.
public struct WorldOptions: Sendable {
  /// Shortest time between reports of one wearable, however fast it advertises. About a second looks natural to people;
  /// a simulated day needs only a few reports per presence.
  public var advertisementSpacing: Duration = .seconds(1)
  /// Delivers a notification at once if no other waits before it, instead of at the next connection event. Saves half
  /// of the timers of a simulated day, but loses the jitter of a real link.
  public var directNotifications = false
  /// Records every delivered value (memory grows with time).
  public var keepsGroundTruth = true

  /// A world that records the ground truth, with the jitter of real links.
  public init() {}
}

/// Simulated surroundings of one hub, which outlive it: a test may kill a hub and start another in the same world.
///
/// All events are determined by the seed, by the order in which wearables were added and by the hub's actions. No code
/// iterates over a set or a dictionary.
@LoopActor
public final class VirtualWorld {
  /// Virtual time of the world.
  public let loop: any Loop
  /// Seed of all events.
  public let seed: UInt64
  /// Choices between speed and detail, constant.
  public let options: WorldOptions
  /// Faults on the air and in the controller.
  public var faults: FaultPlan
  /// Devices, in the order of their creation.
  public private(set) var peripherals: [VirtualPeripheral] = []

  /// Controllers of the hub's machine.
  public private(set) var controllers: [VirtualController] = []
  /// PDUs transferred in connection events.
  public internal(set) var pdusCarried: UInt64 = 0
  /// Called by twins just before a wearable removes data: at this moment a hub must have it. Used by checkers.
  public var onErase: (@LoopActor (VirtualPeripheral, [(name: String, content: HeldContent)]) -> Void)?
  let random: SeededRandom
  /// Number of radios so far, one for each life of a hub: each has its own random stream.
  var radiosMade: UInt64 = 0

  /// An empty world.
  public init(loop: any Loop, seed: UInt64, options: WorldOptions = WorldOptions(), faults: FaultPlan = FaultPlan()) {
    self.loop = loop
    self.seed = seed
    self.options = options
    self.faults = faults
    random = SeededRandom(seed: seed)
    controllers = [VirtualController(number: 0)]
  }

  /// The radio of the present hub, over the first controller.
  public var radio: VirtualRadio? { controllers[0].radio }
  /// Whether a controller hangs until a reset.
  public var isHung: Bool { controllers.contains(where: \.isHung) }

  /// Controller with this index, from 0; missing ones are created.
  func controller(_ number: Int) -> VirtualController {
    while controllers.count <= number { controllers.append(VirtualController(number: controllers.count)) }
    return controllers[number]
  }

  /// Called when a wearable became connectable, or is no longer.
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

  /// Adds a wearable of any kind. `make` builds it from its address and its random stream, which depend on the seed and
  /// on the number of wearables added before.
  ///
  /// - Parameter address: for wearables that need a certain one, such as two with the same address.
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

  /// The device with this address, if any.
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

/// Device on the air that is irrelevant for the hub.
private final class Bystander: VirtualPeripheral {
  private lazy var beacon: [UInt8] = {
    // flags; manufacturer data of company 0xFFFF (for tests)
    var bytes: [UInt8] = [0x02, 0x01, 0x06, 0x0B, 0xFF, 0xFF, 0xFF]
    for _ in 0..<8 { bytes.append(UInt8(random.below(256))) }
    return bytes
  }()
  override var advertisingData: [UInt8] { beacon }
}
