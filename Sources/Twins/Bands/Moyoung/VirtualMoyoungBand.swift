// Simulated band of Moyoung: one command characteristic, answers by notification, no checksum, no binding, and a memory
// of a few days. Written from the description of the protocol, not from any driver.

public import Bluetooth
public import EventLoop
import Health
public import Simulation

/// Twin of a Moyoung band. `recorder` has its wearer's body, and `recorder`, `ownItems` and `ledger` what was measured
/// and sent.
public final class VirtualMoyoungBand: VirtualBand {
  /// Make of the band.
  public let make: MoyoungMake
  /// Rates of minutes in trainings, besides those of the recorder. Numbers from `ownNumbers` on.
  public internal(set) var ownItems: [BandItem] = []
  /// Commands in order of arrival, the newest 512.
  public internal(set) var commands: [(command: UInt8, payload: [UInt8], at: Instant)] = []
  /// Whether a host wrote to the firmware characteristics: the band is then lost for ever.
  public private(set) var isBroken = false
  /// Number of times that its clock was set.
  public internal(set) var timesSet = 0

  var memory: MoyoungMemory
  var settings: MoyoungSettings
  var heardFirstFrame = false
  /// The unanswered request.
  var unanswered: (question: MoyoungQuestion, sentAt: Instant)?
  /// Time of the last answer to each request.
  var answeredAt: [MoyoungQuestion: Instant] = [:]
  /// Measurement on demand.
  var measuring: (command: MoyoungCommand, timer: LoopTimer?)?
  /// Rates of the last training that were sent on this link; nil: not offered.
  var partsTold: Int?
  var outbox: [MoyoungOutgoing] = []
  var pump: LoopTimer?
  private var assembly: MoyoungAssembly
  private var minute: LoopTimer?
  /// Items of the recorder that are or were in `memory`.
  var absorbed = 0
  var stretch: Int
  private var toldTotals: [UInt8] = []
  private let advertisement: [UInt8]

  /// First number of an own item: above all of the recorder's.
  public static let ownNumbers = 1_000_000_000

  /// A band in a world.
  public init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: BandTraits = BandTraits(),
    make: MoyoungMake = MoyoungMake(), habits: BandHabits = BandHabits()
  ) {
    self.make = make
    settings = MoyoungSettings(rateInterval: make.rateInterval)
    assembly = MoyoungAssembly(make.framing)
    advertisement = make.advertisement(address)
    memory = MoyoungMemory(today: 0)
    stretch = -1
    var habits = habits
    // Manual measurements are shown but not stored.
    habits.manualSeries = []
    super.init(
      world, address: address, random: random, traits: traits, model: Self.model(make), habits: habits,
      services: make.services(traits.name, address: address, battery: UInt8(clamping: Int(traits.battery))))
    absorb()
  }

  private static func model(_ make: MoyoungMake) -> BandModel {
    var model = BandModel()
    model.schedules = [.heartRate: schedule(make.rateInterval)]
    model.hasDistance = true
    model.hasCalories = true
    model.hasResting = false
    model.livesOnce = true
    // `MoyoungMemory` has the real bounds; these suffice for a month of absence.
    model.otherCapacity = 12_000
    return model
  }

  static func schedule(_ interval: UInt8) -> BandSchedule {
    BandSchedule(isOn: interval > 0, interval: max(1, Int(interval)) * 5)
  }

  // MARK: For judges

  /// Items that it ever measured.
  public var groundTruth: [BandItem] { recorder.items + ownItems }
  /// True if the item is still in memory.
  public func holds(_ item: Int) -> Bool { memory.holds(item) }

  /// Values of an item as the band reports them, in the stored scale. Sleep of a make without REM is light, and
  /// trainings have no rate.
  public func told(_ item: BandItem) -> [Int64] {
    switch item.series {
    case .sleepStage: [item.value == 2 && !make.hasREM ? 3 : item.value]
    case .training: [0, Int64(Self.type(item.values[1]))] + item.values[2...4] + [0, 0]
    default: item.values
    }
  }

  /// Advertisement; empty if the band is broken.
  public override var advertisingData: [UInt8] { isBroken ? [] : advertisement }
  /// Name of the band.
  public override var scanResponse: [UInt8] { MoyoungMake.scanResponse(traits.name) }
  /// True unless the band is broken.
  public override var mustBeServed: Bool { !isBroken }
  /// Any link is a visit, since it does not stream.
  public override var isOwedVisits: Bool { true }
  /// Whether the hub is subscribed to its answers.
  var isHeard: Bool { link?.isOpen == true && server.isSubscribed(to: MoyoungUUID.notify) }

  // MARK: Link

  /// Starts a link.
  public override func linkBegan() {
    absorb()
    heardFirstFrame = false
    scheduleMinute()
  }

  /// Ends a link.
  public override func linkEnded() {
    for timer in [pump, minute] { if let timer { world.loop.cancel(timer) } }
    (pump, minute) = (nil, nil)
    forgetOutbox()
    assembly.forget()
    endMeasuring()
    unanswered = nil
    partsTold = nil
    toldTotals = []
  }

  /// Takes a PDU of the host.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    catchUp()
    absorb()
    let wasHeard = isHeard
    super.received(pdu, on: link)
    if isHeard, !wasHeard {
      noteEntered()
      // After the answer to the subscription.
      world.loop.schedule(after: .milliseconds(300)) { [weak self] in self?.offerTrainingRates() }
    }
  }

  /// Takes a write of the host.
  public override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    switch characteristic {
    case MoyoungUUID.firmware, MoyoungUUID.firmwareData, MoyoungUUID.realtekWrite: breakDown(characteristic)
    case MoyoungUUID.write:
      let limit = make.framing == .fixed20 ? 20 : traits.takesBytes
      guard value.count <= limit else { return ledger.faults.append(.pieceTooLong) }
      let abandoned = assembly.abandoned
      let intake = assembly.take(value)
      if assembly.abandoned > abandoned { ledger.faults.append(.malformed) }
      switch intake {
      case .frame(let command, let payload): obey(command, payload)
      case .incomplete: break
      case .nonsense: ledger.faults.append(.malformed)
      }
    default: break
    }
  }

  private func breakDown(_ characteristic: BluetoothUUID) {
    ledger.faults.append(
      .dangerous(
        characteristic == MoyoungUUID.firmware ? 0xFEE5 : characteristic == MoyoungUUID.firmwareData ? 0xFEE6 : 0xFF02))
    isBroken = true
    isAdvertising = false
    world.loop.schedule(after: .milliseconds(10)) { [weak self] in self?.hangUp() }
  }

  // MARK: Accidents

  /// Erases all data and settings.
  public override func resetByWearer() {
    absorb()
    super.resetByWearer()
    _ = memory.clear(today: 0)
    for place in ownItems.indices where ownItems[place].goneAt == nil { endOwn(place, .reset) }
    settings = MoyoungSettings(rateInterval: make.rateInterval)
    recorder.setSchedule(Self.schedule(make.rateInterval), of: .heartRate, at: world.loop.now)
    absorb()
  }

  /// Sets the time of the phone's place, and takes the offered rates, as the phone's application does.
  public override func bindByPhone() {
    catchUp()
    absorb()
    gone(memory.forgetTrainingRates())
    recorder.setClock(trueLocalSeconds, at: world.loop.now, isForeign: true)
    absorb()
  }

  private var trueLocalSeconds: Int64 {
    recorder.time(of: world.loop.now).microseconds.floored(by: 1_000_000) + Int64(traits.zone) * 60
  }

  /// Sets the clock: earlier measurements keep their places by the old time.
  func setClock(_ shown: Int64) {
    absorb()
    recorder.setClock(shown, at: world.loop.now)
    timesSet += 1
    absorb()
  }

  // MARK: Minutes during a link

  private func scheduleMinute() {
    let shown = recorder.clock.seconds(at: world.loop.now)
    let next = recorder.clock.instant(of: (shown.floored(by: 60) + 1) * 60)
    // At least a moment later: the clock may show a whole minute at the end of this one.
    minute = world.loop.schedule(at: max(next, world.loop.now + .milliseconds(1))) { [weak self] in
      self?.passMinute()
    }
  }

  private func passMinute() {
    catchUp()
    absorb()
    tellTotals()
    offerTrainingRates()
    scheduleMinute()
  }

  /// Notifies today's totals, if they are new to the hub.
  func tellTotals() {
    let totals = MoyoungMemory.totalsBytes(memory.totals(daysAgo: 0))
    if totals == toldTotals { return }
    toldTotals = totals
    notify(MoyoungUUID.totals, [totals])
  }
}
