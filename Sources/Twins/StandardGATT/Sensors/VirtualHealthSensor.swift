// Simulated generic health sensor: observations of many kinds, live and stored, in segments.

public import Bluetooth
import EventLoop
public import Simulation

/// Twin of a generic health sensor, from the protocol dossier's layout of service 1840.
public final class VirtualHealthSensor: RecordingTwin {
  /// Traits of the sensor.
  public let traits: HealthSensorTraits
  /// Whether the hub requested live observations on this link.
  public private(set) var isLive = false
  private var live: Segments
  private var stored: Segments
  /// Observations by the number of the measurement.
  private var observed: [UInt64: Observed] = [:]
  var turn = 0
  private var sinceLive = 0
  var temperature = 369, saturation = 970, pulse = 70, respiration = 150
  private let switchedOn: Instant

  struct Observed {
    var observation: Observation
    var facts: [Fact]
    var worth: Worth
  }

  /// A sensor in a world; it needs at least one kind of observation.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: HealthSensorTraits) {
    precondition(!traits.kinds.isEmpty, "a health sensor observes something")
    self.traits = traits
    live = Segments(counter: traits.firstSegment & 0x3F)
    stored = Segments(counter: traits.firstSegment & 0x3F)
    // Switched on a day ago.
    switchedOn = world.loop.now - .seconds(86_400)
    super.init(
      world, address: address, random: random, sensor: traits.sensor, recording: traits.recording,
      firstNumber: traits.firstRecord, services: Self.services(traits), advertised: [0x1840],
      measuring: [.liveObservation, .storedObservation])
  }

  /// Features: flags, number of types, types.
  private static func services(_ traits: HealthSensorTraits) -> [GATTServiceDefinition] {
    let types = traits.kinds.map(type)
    var features: [UInt8] = [0, UInt8(types.count)]
    for type in types { features.append(littleEndian: type) }
    var all = [GATTCharacteristicDefinition(.healthSensorFeatures, .read, value: features)]
    if traits.isLive {
      all.append(GATTCharacteristicDefinition(.liveObservation, traits.indicatesLive ? .indicate : .notify))
      all.append(GATTCharacteristicDefinition(.healthSensorControlPoint, [.write, .indicate], value: [0]))
    }
    if traits.recording.isRecording {
      all.append(GATTCharacteristicDefinition(.storedObservation, .indicate))
      all.append(GATTCharacteristicDefinition(.recordAccessControlPoint, [.write, .indicate], value: [0]))
    }
    var services = [GATTServiceDefinition(.genericHealthSensor, all)]
    if traits.time != .none {
      services.append(
        GATTServiceDefinition(
          .elapsedTimeService,
          [GATTCharacteristicDefinition(.currentElapsedTime, [.read, .write, .indicate], value: [])]))
    }
    return services
  }

  private static func type(_ kind: HealthSensorTraits.Kind) -> UInt32 {
    switch kind {
    case .temperature: Nomenclature.bodyTemperature
    case .saturation, .oximetry: Nomenclature.saturation
    case .respiration: Nomenclature.respiration
    case .pressure: Nomenclature.pressure
    case .electrocardiogram: Nomenclature.electrocardiogram
    case .event, .note, .events, .state, .coded: 0x0001_0000
    }
  }

  // MARK: Control points and time

  override var isCombined: Bool { true }
  override var recordCharacteristic: BluetoothUUID { .storedObservation }
  override var controlPoints: [BluetoothUUID] { super.controlPoints + [.healthSensorControlPoint] }
  override var settable: [BluetoothUUID] { [.currentElapsedTime] }
  override var readInTime: [BluetoothUUID] { [.currentElapsedTime] }

  override func refusal(of value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? {
    guard characteristic == .currentElapsedTime else { return super.refusal(of: value, to: characteristic) }
    // A time is 9 bytes; a clock that counts ticks cannot be set.
    if value.count == 9, value[0] & 0x01 == 0, traits.time != .ticks, sensor.clock.canBeSet { return nil }
    ledger.faults.append(.wroteNonsense)
    return 0x80
  }

  /// 1 starts live observations and 2 stops them. Replies: 80 done, 81 busy, 82 not possible.
  override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    switch characteristic {
    case .healthSensorControlPoint:
      guard value == [1] || value == [2] else {
        ledger.faults.append(.wroteNonsense)
        return replyToControl(0x82)
      }
      let isSame = isLive == (value == [1])
      isLive = value == [1]
      replyToControl(isSame ? 0x82 : 0x80)
    case .currentElapsedTime:
      let count = value[1..<7].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      let unit: Int64 = [1_000_000, 100_000, 1000, 100][Int(value[0] >> 2 & 3)]
      let offset = Int64(Int8(bitPattern: value[8])) * 900_000_000
      let isUTC = value[0] & 0x02 != 0
      let shift = isUTC ? Int64(sensor.clock.quarterHours) * 900_000_000 : 0
      let own = isUTC && value[0] & 0x10 != 0 ? offset : shift
      clock.set(ElapsedTime.epoch + count * unit + own, at: world.loop.now)
      clockWasSet()
    default: super.wrote(value, to: characteristic)
    }
  }

  private func replyToControl(_ code: UInt8) {
    world.loop.schedule(after: .milliseconds(20)) { [weak self] in
      guard let self else { return }
      send(Draft(characteristic: .healthSensorControlPoint, value: [code], takenAt: world.loop.now))
    }
  }

  /// Present time, clock status (bit 0 needs to be set), capabilities (bit 1 zone).
  override func prepareRead(of characteristic: BluetoothUUID) {
    let now = world.loop.now
    let time = stamp(clock.shown(at: now), takenAt: now, timeline: timeline) ?? []
    server.setValue(time + [clock.isSet ? 0 : 1, 2], for: characteristic)
  }

  private func stamp(_ shown: Int64, takenAt: Instant, timeline: Int) -> [UInt8]? {
    let kind: ElapsedTime.Kind
    switch traits.time {
    case .none: return nil
    case .utc: kind = .utc
    case .utcWithOffset: kind = .utcWithOffset
    case .localWithOffset: kind = .localWithOffset
    case .ticks: kind = .ticks
    }
    let offset = Int64(sensor.clock.quarterHours) * 900_000_000
    let unit: Int64 = traits.isMilliseconds ? 1000 : 1_000_000
    let told = kind == .utc || kind == .utcWithOffset ? shown - offset : shown
    let count =
      kind == .ticks ? (takenAt - switchedOn).wholeNanoseconds / 1000 / unit : floored(told - ElapsedTime.epoch, unit)
    return ElapsedTime.bytes(
      kind, count: UInt64(max(0, count)), isMilliseconds: traits.isMilliseconds, isCurrent: timeline == self.timeline,
      source: clock.isSet ? 6 : 7, quarterHours: sensor.clock.quarterHours)
  }

  override func linkEnded() {
    super.linkEnded()
    isLive = false
  }

  // MARK: Observations

  override func passSecond() {
    guard isLive else { return }
    sinceLive += 1
    if sinceLive < traits.liveEvery { return }
    sinceLive = 0
    let now = world.loop.now
    let (observed, shown) = (observe(), clock.shown(at: now))
    let time = stamp(shown, takenAt: now, timeline: timeline)
    let bad = badObservations(observed.observation, time: time, characteristic: .liveObservation, head: [])
    let drafts =
      bad
      + segmented(
        observed, time: time, head: [], reading: nextReading(), takenAt: now, shown: shown, isStored: false)
    for draft in drafts { send(draft) }
  }

  override func took(_ record: HealthRecord) { observed[record.reading] = observe() }

  override func drafts(of record: HealthRecord) -> [Draft] {
    guard let kept = observed[record.reading] else { return [] }
    var head: [UInt8] = []
    head.append(littleEndian: record.number)
    let time = stamp(record.shown, takenAt: record.takenAt, timeline: record.timeline)
    // The time stamp is marked if it is not of the clock's present timeline.
    let isDoubted = record.timeline != timeline || traits.time == .none
    var all = badObservations(kept.observation, time: time, characteristic: .storedObservation, head: head)
    all += segmented(
      kept, time: time, head: head, reading: record.reading, takenAt: record.takenAt, shown: record.shown,
      isStored: true)
    for place in all.indices { all[place].isTimeDoubted = isDoubted }
    return all
  }

  /// Bytes of one segment after its first byte.
  private var room: Int { min(traits.segmentSize, server.mtu - 4) }

  private func cut(_ body: [UInt8], isStored: Bool) -> [[UInt8]] {
    isStored ? stored.cut(body, room: room) : live.cut(body, room: room)
  }

  private func segmented(
    _ observed: Observed, time: [UInt8]?, head: [UInt8], reading: UInt64, takenAt: Instant, shown: Int64,
    isStored: Bool
  ) -> [Draft] {
    var observation = observed.observation
    observation.time = time
    var pieces = cut(head + observation.bytes, isStored: isStored)
    var worth = observed.worth
    if pieces.count > 1, random.chance(sensor.conduct.segmentGaps) {
      pieces.remove(at: pieces.count - 1 - random.below(pieces.count - 1))
      worth = .malformed
    }
    let characteristic: BluetoothUUID = isStored ? .storedObservation : .liveObservation
    return pieces.enumerated().map { index, piece in
      let isLast = index == pieces.count - 1
      let isWhole = worth != .malformed
      return Draft(
        characteristic: characteristic, value: piece, reading: isLast && isWhole ? reading : 0,
        facts: isLast && isWhole ? observed.facts : [], worth: isLast || !isWhole ? worth : .piece,
        takenAt: takenAt, shown: traits.time == .none || traits.time == .ticks ? nil : shown, isStored: isStored,
        isPiece: true)
    }
  }

  /// Complete observations with wrong content, sent before a good one.
  private func badObservations(
    _ observation: Observation, time: [UInt8]?, characteristic: BluetoothUUID, head: [UInt8]
  ) -> [Draft] {
    var observation = observation
    observation.time = time
    var bodies: [(body: [UInt8], worth: Worth)] = []
    if random.chance(sensor.conduct.truncated) {
      bodies.append((Array(observation.bytes.dropLast(1 + random.below(4))), .malformed))
    }
    if random.chance(sensor.conduct.wrongFlags), observation.kind == 1, observation.duration == nil {
      // A missing duration and a missing object, in a body that ends according to its length: eight octets, of which
      // the number has six.
      bodies.append((observation.bytes(flags: observation.flags | 1 << 2 | 1 << 4), .malformed))
    }
    if random.chance(sensor.conduct.beyondRange) {
      var absurd = observation
      absurd.kind = 1
      absurd.type = Nomenclature.bodyTemperature
      absurd.value = Observation.number(MedicalNumber(3000), unit: Nomenclature.celsius)
      bodies.append((absurd.bytes, .absurd))
    }
    return bodies.flatMap { body, worth in
      cut(head + body, isStored: characteristic == .storedObservation).map {
        Draft(
          characteristic: characteristic, value: $0, worth: worth, takenAt: world.loop.now, isStored: !head.isEmpty,
          isPiece: true)
      }
    }
  }
}
