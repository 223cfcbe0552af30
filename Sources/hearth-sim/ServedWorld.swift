// The surroundings of the hub of `hearth-sim serve`: people of a gym or a ward, with wearables of all families.

import ArgumentParser
import BandTwin
import Bluetooth
import BotzTwin
import CivilTime
import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation
import StrapTwin

/// Surroundings of a hub for demonstrations, without a judge. The seed decides which wearables there are, and when they
/// come.
@LoopActor
final class ServedWorld {
  enum Population: String, ExpressibleByArgument, CaseIterable {
    /// Straps, insoles, bands, sensors, trackers and a scale; people come and go.
    case gym
    /// Bands, straps and watches that are worn all day, trackers, and bedside sensors.
    case ward
    /// People with straps that come at about the same time, with several adapters.
    case course = "class"
    /// Heart rate straps that are not enrolled.
    case straps
  }

  /// A wearable that the hub knows from the start.
  struct Resident {
    let name: String
    let peripheral: VirtualPeripheral
    let driver: String
    let kind: String
    let wearer: String
  }

  private enum Make {
    case strap, chestStrap, insole, band, sensor, watch
    /// Bands of the three protocols of TopStep's kit.
    case fitCloud, nextBand, moyoung
    case oximeter, cuff, thermometer, scale
  }

  let world: VirtualWorld
  let population: Population
  private(set) var residents: [Resident] = []
  private let random: SeededRandom

  init(_ loop: any Loop, _ population: Population, wearables: Int, seed: UInt64) {
    var options = WorldOptions()
    options.keepsGroundTruth = false
    world = VirtualWorld(loop: loop, seed: seed, options: options)
    random = SeededRandom(seed: seed).split(0x5E_12_7E)
    self.population = population
    let makes: [Make]
    switch population {
    case .gym: makes = [.strap, .insole, .band, .chestStrap, .insole, .sensor, .fitCloud, .scale, .nextBand, .moyoung]
    case .ward:
      makes = [
        .band, .strap, .watch, .band, .chestStrap, .fitCloud, .cuff, .oximeter, .thermometer, .nextBand, .moyoung,
        .scale,
      ]
    case .course: makes = [.strap]
    case .straps:
      addStrangers(wearables)
      return
    }
    for number in 0..<wearables { add(makes[number % makes.count], number) }
    // A new wearable, for `hearth enroll`.
    world.addStrap(.always) { $0.rssi = -40 }
    world.addBystander()
  }

  /// Links of available adapters (RadioPool/NOTES.md): the chip of a Raspberry Pi, common sticks, a good one.
  private static let slots = [8, 7, 5, 20]

  /// Adapters of this world's hub: the requested number, else one, four for a class, enough for straps.
  func radioOptions(_ adapters: Int?) -> [VirtualRadioOptions] {
    let usual =
      switch population {
      case .gym, .ward: 1
      case .course: Self.slots.count
      case .straps: min(8, 1 + world.peripherals.count / Self.slots[0])
      }
    return (0..<(adapters ?? usual)).map { VirtualRadioOptions(slots: Self.slots[$0 % Self.slots.count]) }
  }

  /// Enrols the residents with their wearers in a hub's store. Wearables that the store already has stay as they are.
  func enrol(in store: Store) async throws {
    for resident in residents {
      let address = resident.peripheral.address
      if store.wearables.contains(where: { $0.addressValue == address.value }) { continue }
      let record = try await store.enrol(
        name: resident.name, addressValue: address.value, addressKind: address.kind.rawValue, driver: resident.driver,
        kind: resident.kind)
      let wearer: Wearer
      if let known = store.wearers.first(where: { $0.name == resident.wearer }) {
        wearer = known
      } else {
        wearer = try await store.addWearer(name: resident.wearer)
      }
      try await store.assign(record.id, to: wearer.id, from: world.loop.wall)
    }
  }

  // MARK: Residents and strangers

  /// Near enough to be enrolled in a window with the default bound, each with its own RSSI.
  private func addStrangers(_ count: Int) {
    for number in 0..<count { world.addStrap(.demonstration) { $0.rssi = -38 - number % 8 } }
  }

  /// Returns the presence: in a gym minutes, so that changes are visible. The first of each kind is there at the start.
  private func presence(_ number: Int) -> PresenceSchedule {
    switch population {
    case .straps: .demonstration
    case .course:
      .comesAndGoes(
        near: .seconds(1500)...(.seconds(3600)), away: .seconds(5)...(.seconds(90)), startsNear: 0.5)
    case .gym:
      .comesAndGoes(
        near: .seconds(180)...(.seconds(1200)), away: .seconds(45)...(.seconds(300)), startsNear: number < 10 ? 1 : 0.5)
    case .ward:
      .comesAndGoes(near: .seconds(3600)...(.seconds(14_400)), away: .seconds(60)...(.seconds(600)), startsNear: 1)
    }
  }

  private static let people = ["Ada", "Ben", "Cleo", "Dara", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kim", "Lea"]

  private func add(_ make: Make, _ number: Int) {
    let person = number < Self.people.count ? Self.people[number] : "person-\(number + 1)"
    func join(_ peripheral: VirtualPeripheral, _ word: String, driver: String, kind: String) {
      let place = residents.count { $0.name.hasPrefix(word + "-") } + 1
      let name = "\(word)-\(place < 10 ? "0" : "")\(place)"
      residents.append(Resident(name: name, peripheral: peripheral, driver: driver, kind: kind, wearer: person))
    }
    switch make {
    case .strap: join(world.addStrap(presence(number)), "strap", driver: "heart-rate", kind: "HR strap")
    case .chestStrap: join(addPolar(.h10, number), "strap", driver: "polar-strap", kind: "HR strap")
    case .insole: join(addInsole(number), "insole", driver: "botz", kind: "insole")
    case .band: join(addPolar(.band360, number), "band", driver: "polar", kind: "band")
    case .sensor: join(addPolar(.veritySense, number), "sensor", driver: "polar", kind: "optical sensor")
    case .watch: join(addPolar(.watch, number), "watch", driver: "polar", kind: "watch")
    case .fitCloud: join(addFitCloud(number), "tracker", driver: "fitcloud", kind: "band")
    case .nextBand: join(addNextBand(number), "tracker", driver: "topstep-next", kind: "band")
    case .moyoung: join(addMoyoung(number), "tracker", driver: "moyoung", kind: "band")
    case .oximeter:
      let oximeter = world.addSpotOximeter(presence(number)) {
        ($0.recording.firstRecords, $0.recording.recordsEvery, $0.poor) = (4, Self.uses, 0)
      }
      join(oximeter, "oximeter", driver: "heart-rate", kind: "oximeter")
    case .cuff:
      join(
        world.addCuff(presence(number)) { ($0.keeping.measuresEvery, $0.failed) = (Self.uses, 0) }, "cuff",
        driver: "heart-rate", kind: "cuff")
    case .thermometer:
      let thermometer = world.addThermometer(presence(number)) { $0.interval = 60 }
      join(thermometer, "thermometer", driver: "heart-rate", kind: "thermometer")
    case .scale:
      let scale = world.addScale(presence(number)) { ($0.keeping.measuresEvery, $0.failed) = (Self.uses, 0) }
      join(scale, "scale", driver: "heart-rate", kind: "scale")
    }
  }

  /// Time between two uses of a sensor that measures once, so that an ordered measurement gets a reading.
  private static let uses: ClosedRange<Duration> = .seconds(45)...(.seconds(150))

  // MARK: Trackers

  /// A tracker with the local time of the hub, as a phone there would have set it.
  private func tracker(_ number: Int) -> BandTraits {
    var draw = random.split(UInt64(number))
    var traits = BandTraits()
    traits.name += " \(world.peripherals.count)"
    traits.rssi = draw.integer(in: -70 ... -45)
    traits.clockDrift = draw.integer(in: -20...20)
    traits.battery = Double(draw.integer(in: 35...98))
    traits.zone = TimeZoneRules.local().offset(at: world.loop.wall.microseconds) / 60
    return traits
  }

  private func addFitCloud(_ number: Int) -> VirtualFitCloud {
    world.addFitCloud(presence(number)) { $0.band = tracker(number) }
  }

  private func addNextBand(_ number: Int) -> VirtualTopStepBand {
    world.addNextBand(presence(number)) { $0.band = tracker(number) }
  }

  private func addMoyoung(_ number: Int) -> VirtualMoyoungBand {
    let traits = tracker(number)
    return world.add(presence(number)) { VirtualMoyoungBand($0, address: $1, random: $2, traits: traits) }
  }

  /// Adds an insole with a training or two in its memory, and a new one every few minutes.
  private func addInsole(_ number: Int) -> VirtualInsole {
    var draw = random.split(UInt64(number))
    var traits = InsoleTraits()
    traits.label = "insole \(number + 1)"
    traits.rssi = draw.integer(in: -70 ... -45)
    traits.clockDrift = draw.integer(in: -50...50)
    traits.files = .sessions([draw.integer(in: 60...600), draw.integer(in: 30...120)])
    traits.training = .init(length: .seconds(60)...(.seconds(240)), pause: .seconds(90)...(.seconds(420)))
    return world.add(presence(number)) { VirtualInsole($0, address: $1, random: $2, traits: traits) }
  }

  /// Bands and watches come with earlier days; sensors and bands are recording already.
  private func addPolar(_ model: PolarTraits.Model, _ number: Int) -> VirtualPolar {
    var draw = random.split(UInt64(number))
    var traits = PolarTraits(model)
    traits.deviceID = PolarPopulation.deviceID(number)
    traits.rssi = draw.integer(in: -70 ... -45)
    traits.clockDrift = draw.integer(in: -20...20)
    traits.battery = Double(draw.integer(in: 35...98))
    traits.keepsPast = false
    if model != .h10 { traits.clockError = .milliseconds(Int64(draw.integer(in: -10_000...10_000))) }
    if model == .band360 || model == .watch { traits.daysBefore = 1 }
    let twin = world.add(presence(number)) { VirtualPolar($0, address: $1, random: $2, traits: traits) }
    if model == .veritySense || model == .band360 { twin.beginRecording(.heartRate) }
    return twin
  }
}
