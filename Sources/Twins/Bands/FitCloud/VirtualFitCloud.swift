// Simulated FitCloud band: its owner, its answers, and its unsolicited messages.

public import Bluetooth
import EventLoop
import Health
public import Simulation

/// Twin of a FitCloud band, written from the description of its protocol, without a line of the driver.
public final class VirtualFitCloud: VirtualBand {
  /// Traits of the band.
  public let make: FitCloudTraits
  /// User to which it is bound: the bytes of the binding; nil: unbound.
  public internal(set) var owner: [UInt8]?
  /// Frames of the host without repetitions, in order; the newest 1,024.
  public private(set) var requests: [(command: UInt8, key: UInt8, value: [UInt8])] = []
  /// Last written configuration of keys with a layout that only the host knows.
  public internal(set) var kept: [UInt8: [UInt8]] = [:]
  /// Common schedule, as last written.
  public internal(set) var commonSchedule = BandSchedule(interval: 10)

  // Frame layer.
  var input = FitCloudInput()
  var lastInputAt: Instant?
  var outbox: [FitCloudOutgoing] = []
  var sending: FitCloudOutgoing?
  var number: UInt16 = 1
  var patience: LoopTimer?
  var lastHeard: (number: UInt16, payload: [UInt8])?
  var hasHeardAny = false
  /// Frames sent, and repetitions.
  public internal(set) var framesSent = 0, repeats = 0
  /// Frames of both directions, with their times.
  public internal(set) var log = FitCloudLog()

  // State of the conversation.
  /// Whether the host of this link has logged in.
  public internal(set) var isEntered = false
  var asking: LoopTimer?
  var cancelled = 0, ignored = 0
  var formerOwner: [UInt8]?
  var transfer: FitCloudTransfer?
  /// Running live measurement, if any.
  public internal(set) var live: FitCloudLive?

  /// A band in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: FitCloudTraits) {
    make = traits
    super.init(
      world, address: address, random: random, traits: traits.band, model: traits.model, habits: traits.ownHabits,
      services: FitCloudDatabase.services(traits))
  }

  /// Advertisement of the kit's bands.
  public override var advertisingData: [UInt8] { FitCloudDatabase.advertisement(address) }
  /// Name of the band.
  public override var scanResponse: [UInt8] {
    let name = Array(traits.name.utf8.prefix(29))
    return [UInt8(name.count + 1), 0x09] + name
  }

  /// Items that the store must contain by now.
  ///
  /// - Parameter length: time that a host needs for one round after its login.
  public func owed(linkedFor length: Duration) -> [BandItem] {
    catchUp()
    return ledger.owed(recorder.items, linkedFor: length, now: world.loop.now).filter {
      make.mustBeStored($0) && $0.isClockSet
    }
  }

  // MARK: Link

  /// Starts a link.
  public override func linkBegan() {
    number = make.firstNumber
    hasHeardAny = !traits.ignoresFirstFrame
  }

  /// Ends a link, and blames a host that left during a sync.
  public override func linkEnded() {
    // A fault only if the host disconnected by choice. A host that fell silent or went out of range was cut off.
    let isCutOff = !wasLeftByHub || !isInRange || world.isHung || sending.map { $0.repeats > 0 } ?? false
    if transfer?.isUnderWay == true, !isCutOff { ledger.faults.append(.leftDuringSync) }
    endTransfer(false)
    endLine()
    input.reset()
    lastHeard = nil
    for timer in [asking, live?.timer] { if let timer { world.loop.cancel(timer) } }
    asking = nil
    live = nil
    isEntered = false
  }

  /// Takes a write of the host.
  public override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    if characteristic == .fitCloudCommand { return tookPiece(value) }
    ledger.faults.append(.dangerous(0x6487))
  }

  // MARK: Requests

  /// Carries out a new frame, which is already acknowledged.
  func obey(_ command: FitCloudCommand) {
    for item in command.items {
      if requests.count == 1024 { requests.removeFirst(512) }
      requests.append((command.command, item.key, item.value))
      switch command.command {
      case 2: obeySetting(item.key, item.value)
      case 3: obeyAuthentication(item.key, item.value)
      case 5: obeyData(item.key, item.value)
      // Command 1 is for updates, 6 for the factory.
      case 1, 6: ledger.faults.append(.dangerous(UInt16(command.command) << 8 | UInt16(item.key)))
      default: break
      }
    }
  }

  func obeyData(_ key: UInt8, _ value: [UInt8]) {
    switch key {
    case 0x01: beginTransfer(value)
    case 0x05: tellSize(value)
    case 0x20: takeVerdict(value)
    case 0x21: say(5, 0x22, todaysTotals())
    case 0x23 where !make.isOldGeneration, 0x06 where make.isOldGeneration: controlLive(value)
    default: break
    }
  }

  // MARK: Events

  /// Announces the battery.
  public override func chargingChanged() { tellBattery() }

  /// Changes a schedule on the band itself, as its wearer would.
  public func changeOnBand(_ schedule: BandSchedule) {
    setCommon(schedule)
    if isEntered { say(2, 0x51) }
  }

  /// Forgets the owner and all data.
  public override func resetByWearer() {
    super.resetByWearer()
    (owner, formerOwner, kept) = (nil, nil, [:])
  }

  /// Binds the band to a phone.
  public override func bindByPhone() {
    hangUp()
    if owner != nil { recorder.reset(at: world.loop.now) }
    owner = Array("a phone of somebody else".utf8)
  }
}
