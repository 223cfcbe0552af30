// Creation of health sensors in a world, and of a ward with some of each.

import Bluetooth
public import EventLoop
public import Simulation

/// Sensors of a ward, by kind, in the order of their creation.
@LoopActor
public struct Ward {
  /// Thermometers of the ward.
  public fileprivate(set) var thermometers: [VirtualThermometer] = []
  /// Cuffs of the ward.
  public fileprivate(set) var cuffs: [VirtualCuff] = []
  /// Scales of the ward.
  public fileprivate(set) var scales: [VirtualScale] = []
  /// Oximeters of the ward.
  public fileprivate(set) var oximeters: [VirtualOximeter] = []
  /// Oximeters with storage.
  public fileprivate(set) var spotOximeters: [VirtualSpotOximeter] = []
  /// Generic health sensors.
  public fileprivate(set) var healthSensors: [VirtualHealthSensor] = []
  /// Foot pods of the ward.
  public fileprivate(set) var footPods: [VirtualFootPod] = []
  /// Cycling sensors of the ward.
  public fileprivate(set) var bikeSensors: [VirtualBikeSensor] = []

  /// Sensors except the oximeters, which keep a ledger of another kind.
  public var sensors: [HealthTwin] {
    let kinds: [[HealthTwin]] = [
      thermometers, cuffs, scales, spotOximeters, healthSensors, footPods, bikeSensors,
    ]
    return kinds.flatMap { $0 }
  }
  /// Wearables: sensors and oximeters.
  public var wearables: [VirtualPeripheral] { sensors + oximeters }
}

extension VirtualWorld {
  /// Adds a sensor with a random stream derived from the seed and its index among all wearables. The name contains its
  /// number, so that it is unique.
  private func addSensor<Sensor: HealthTwin, Traits>(
    _ presence: PresenceSchedule, _ traits: Traits, _ identity: WritableKeyPath<Traits, SensorTraits>,
    _ adjust: (inout Traits) -> Void,
    _ make: (VirtualWorld, BluetoothAddress, SeededRandom, Traits) -> Sensor
  ) -> Sensor {
    var traits = traits
    traits[keyPath: identity].name += " \(peripherals.count)"
    adjust(&traits)
    return add(presence) { make($0, $1, $2, traits) }
  }

  /// Adds a thermometer; `adjust` changes its traits before it is made.
  @discardableResult
  public func addThermometer(
    _ presence: PresenceSchedule = .always, adjust: (inout ThermometerTraits) -> Void = { _ in }
  ) -> VirtualThermometer {
    addSensor(presence, ThermometerTraits(), \.sensor, adjust) {
      VirtualThermometer($0, address: $1, random: $2, traits: $3)
    }
  }

  /// Adds a cuff; `adjust` changes its traits before it is made.
  @discardableResult
  public func addCuff(_ presence: PresenceSchedule = .always, adjust: (inout CuffTraits) -> Void = { _ in })
    -> VirtualCuff
  {
    addSensor(presence, CuffTraits(), \.sensor, adjust) { VirtualCuff($0, address: $1, random: $2, traits: $3) }
  }

  /// Adds a scale; `adjust` changes its traits before it is made.
  @discardableResult
  public func addScale(_ presence: PresenceSchedule = .always, adjust: (inout ScaleTraits) -> Void = { _ in })
    -> VirtualScale
  {
    addSensor(presence, ScaleTraits(), \.sensor, adjust) { VirtualScale($0, address: $1, random: $2, traits: $3) }
  }

  /// Adds a foot pod; `adjust` changes its traits before it is made.
  @discardableResult
  public func addFootPod(_ presence: PresenceSchedule = .always, adjust: (inout FootPodTraits) -> Void = { _ in })
    -> VirtualFootPod
  {
    addSensor(presence, FootPodTraits(), \.sensor, adjust) { VirtualFootPod($0, address: $1, random: $2, traits: $3) }
  }

  /// Adds a cycling sensor.
  @discardableResult
  public func addBikeSensor(
    _ presence: PresenceSchedule = .always, adjust: (inout BikeSensorTraits) -> Void = { _ in }
  ) -> VirtualBikeSensor {
    addSensor(presence, BikeSensorTraits(), \.sensor, adjust) {
      VirtualBikeSensor($0, address: $1, random: $2, traits: $3)
    }
  }

  /// Adds an oximeter with storage.
  @discardableResult
  public func addSpotOximeter(
    _ presence: PresenceSchedule = .always, adjust: (inout SpotOximeterTraits) -> Void = { _ in }
  ) -> VirtualSpotOximeter {
    addSensor(presence, SpotOximeterTraits(), \.sensor, adjust) {
      VirtualSpotOximeter($0, address: $1, random: $2, traits: $3)
    }
  }

  /// Adds a generic health sensor.
  @discardableResult
  public func addHealthSensor(
    _ presence: PresenceSchedule = .always, adjust: (inout HealthSensorTraits) -> Void = { _ in }
  ) -> VirtualHealthSensor {
    addSensor(presence, HealthSensorTraits(), \.sensor, adjust) {
      VirtualHealthSensor($0, address: $1, random: $2, traits: $3)
    }
  }

  /// Adds a ward of so many beds. Each has a thermometer, a cuff, an oximeter, a spot oximeter and a health sensor of
  /// different makes. Every second bed has a scale, and for rehabilitation a foot pod or a cycling sensor.
  ///
  /// - Parameter conduct: faults of all of them; an oximeter of the older kind has no such switch.
  public func addWard(
    beds: Int, _ presence: PresenceSchedule = .always, conduct: SensorConduct = SensorConduct()
  ) -> Ward {
    var ward = Ward()
    for bed in 0..<beds {
      ward.thermometers.append(
        addThermometer(presence) { traits in
          traits.sensor.conduct = conduct
          traits.isFahrenheit = bed % 3 == 1
          traits.hasTime = bed % 2 == 0
          traits.place = bed % 4 == 3 ? .fixed(9) : bed % 4 == 2 ? .untold : .inValue(UInt8(bed % 9 + 1))
          traits.interval = bed % 2 == 0 ? 60 : nil
        })
      ward.cuffs.append(
        addCuff(presence) { traits in
          traits.sensor.conduct = conduct
          traits.isKilopascal = bed % 4 == 1
          traits.hasTime = bed % 3 != 2
          traits.user = bed % 2 == 0 ? UInt8(bed % 4) : nil
          traits.sensor.clock.state = bed % 5 == 4 ? .unset : bed % 5 == 3 ? .wrong(by: .seconds(-3700)) : .right
        })
      addRest(bed, presence, conduct, &ward)
    }
    return ward
  }

  private func addRest(_ bed: Int, _ presence: PresenceSchedule, _ conduct: SensorConduct, _ ward: inout Ward) {
    var oximeter = OximeterTraits()
    oximeter.name = "Oximeter \(peripherals.count)"
    oximeter.hasHeartRate = bed % 3 == 2
    ward.oximeters.append(
      add(presence) { [oximeter] in VirtualOximeter($0, address: $1, random: $2, traits: oximeter) })
    ward.spotOximeters.append(
      addSpotOximeter(presence) { traits in
        traits.sensor.conduct = conduct
        traits.recording.firstRecords = bed * 3
        traits.sensor.clock.drift = bed % 3 * 40 - 40
        traits.sensor.clock.state = bed % 4 == 3 ? .unset : bed % 4 == 2 ? .wrong(by: .seconds(86_400)) : .right
      })
    ward.healthSensors.append(
      addHealthSensor(presence) { traits in
        traits.sensor.conduct = conduct
        traits.sensor.hasBatteryStatus = true
        traits.segmentSize = [512, 16, 60][bed % 3]
        traits.firstRecord = bed % 2 == 0 ? 1 : .max - 3
        traits.sensor.clock.quarterHours = [0, 4, -20][bed % 3]
        traits.time = [.utcWithOffset, .utc, .localWithOffset, .ticks][bed % 4]
        traits.kinds = bed % 2 == 0 ? traits.kinds : HealthSensorTraits.Kind.allCases
      })
    guard bed % 2 == 0 else { return }
    ward.scales.append(
      addScale(presence) { traits in
        traits.sensor.conduct = conduct
        traits.isImperial = bed % 4 == 2
      })
    if bed % 4 == 0 {
      ward.footPods.append(
        addFootPod(presence) { traits in
          traits.sensor.conduct = conduct
          traits.firstDistance = .max - 2000
        })
    } else {
      ward.bikeSensors.append(
        addBikeSensor(presence) { traits in
          traits.sensor.conduct = conduct
          traits.firstWheelRevolutions = .max - 100
          traits.firstCrankRevolutions = .max - 50
        })
    }
  }
}
