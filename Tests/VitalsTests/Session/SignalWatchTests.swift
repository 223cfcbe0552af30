// The watch over a sensor's signal: what begins when, what ends it, and what ends a measurement.

import Testing
import Vitals

/// A watch over a stream that began at 0.
private struct Scene {
  var watch: SignalWatch

  init(batchSpacing: Int64 = 0) {
    watch = SignalWatch(batchSpacing: batchSpacing)
    watch.streamBegan(at: moment(0))
  }

  /// A packet a second, of one interval each.
  mutating func packets(
    _ seconds: ClosedRange<Int>, usable: Int = 1, doubt: Int = 0, contact: SignalPacket.Contact = .made
  ) -> [SignalNotice] {
    seconds.flatMap { second in
      watch.take(
        SignalPacket(received: 1, usable: usable, doubt: doubt, contact: contact), at: moment(Double(second)))
    }
  }

  mutating func ticks(_ seconds: ClosedRange<Int>) -> [SignalNotice] {
    seconds.flatMap { watch.tick(at: moment(Double($0))) }
  }
}

@Suite("The watch over a signal")
struct SignalWatchTests {
  @Test("reports silence of more than 3 s once, until the next packet: 9500")
  func silence() {
    var scene = Scene()
    #expect(scene.packets(1...5) == [])
    #expect(scene.watch.tick(at: moment(8)) == [])
    #expect(scene.watch.tick(at: moment(8.1)) == [.began(.dataGap)])
    #expect(scene.ticks(9...20) == [])
    #expect(scene.packets(21...21) == [.ended(.dataGap)])
    #expect(scene.ticks(22...24) == [])
    #expect(scene.ticks(25...25) == [.began(.dataGap)])
    #expect(scene.watch.streamEnded(at: moment(26)) == [.ended(.dataGap)])
    #expect(scene.ticks(27...60) == [] && scene.packets(61...62) == [])
  }

  @Test("waits for a batch if a sensor sends batches")
  func batches() {
    var scene = Scene(batchSpacing: 5_000_000)
    for second in stride(from: 5, through: 60, by: 5) {
      let batch = SignalPacket(received: 6, usable: 6)
      #expect(scene.watch.take(batch, at: moment(Double(second))) == [])
      #expect(scene.ticks((second + 1)...(second + 4)) == [])
    }
    #expect(scene.ticks(65...68) == [])
    #expect(scene.ticks(69...69) == [.began(.dataGap)])
  }

  @Test("reports missing contact after 3 s: 8501; a moment without is ignored")
  func contact() {
    var scene = Scene()
    #expect(scene.packets(1...5) == [])
    #expect(scene.packets(6...8, usable: 0, contact: .lost) == [])
    #expect(scene.packets(9...9) == [])
    #expect(scene.packets(10...12, usable: 0, contact: .lost) == [])
    #expect(scene.packets(13...13, usable: 0, contact: .lost) == [.began(.notOnBody)])
    #expect(scene.packets(14...30, usable: 0, contact: .lost) == [])
    #expect(scene.packets(31...31) == [.ended(.notOnBody)])
    #expect(scene.packets(32...60, contact: .unknown) == [])
  }

  @Test("hides values for 5 s while more than a fifth of the last 10 s is doubtful: 3500")
  func doubt() {
    var scene = Scene()
    #expect(scene.packets(1...10) == [])
    // Two of eleven.
    #expect(scene.packets(11...12, usable: 0, doubt: 2) == [])
    #expect(!scene.watch.hidesValues)
    #expect(scene.packets(13...13, usable: 0, doubt: 2) == [.began(.signalDoubtful)])
    #expect(scene.watch.hidesValues)
    // Seconds 12 to 22 have two of eleven again: the last doubt was at 21.
    #expect(scene.packets(14...25) == [])
    #expect(scene.packets(26...26) == [.ended(.signalDoubtful)])
    #expect(!scene.watch.hidesValues)
  }

  @Test("takes an uncertain interval for half of one")
  func halves() {
    var scene = Scene()
    #expect(scene.packets(1...10) == [])
    #expect(scene.packets(11...14, doubt: 1) == [])
    #expect(scene.packets(15...15, doubt: 1) == [.began(.signalDoubtful)])
  }

  @Test("ends a measurement after 15 s with contact and without usable interval: 3003")
  func lost() {
    var scene = Scene()
    #expect(scene.packets(1...10) == [])
    // Before a measurement no packet counts as lost.
    #expect(scene.packets(11...40, usable: 0) == [])
    scene.watch.measurementBegan(length: 60_000_000, at: moment(40))
    #expect(scene.packets(41...54, usable: 0) == [])
    #expect(scene.packets(55...55, usable: 0) == [.fault(.signalLost)])
    #expect(scene.packets(56...80, usable: 0) == [])
    #expect(scene.watch.measurementEnded(at: moment(81)) == [.ended(.signalLost)])
    scene.watch.measurementBegan(length: 60_000_000, at: moment(90))
    #expect(scene.packets(91...104) == [] && scene.packets(105...118, usable: 0) == [])
    #expect(scene.packets(119...119, usable: 0) == [.fault(.signalLost)])
  }

  @Test("lets a measurement run on that a sensor without contact spoils: its results are withheld later")
  func withoutContact() {
    var scene = Scene()
    scene.watch.measurementBegan(length: 180_000_000, at: moment(0))
    #expect(scene.packets(1...60, usable: 0, contact: .lost) == [.began(.notOnBody)])
    // Contact anew: the 15 s begin anew.
    #expect(scene.packets(61...75, usable: 0) == [.ended(.notOnBody)])
    #expect(scene.packets(76...76, usable: 0) == [.fault(.signalLost)])
  }

  @Test("ends a measurement with gaps of more than a fifth of it: 3003")
  func gaps() {
    var scene = Scene()
    scene.watch.measurementBegan(length: 60_000_000, at: moment(0))
    func packet(_ seconds: Double, gap: Double) -> [SignalNotice] {
      scene.watch.take(
        SignalPacket(received: 1, usable: 1, gap: Int64(gap * 1_000_000), contact: .unknown), at: moment(seconds))
    }
    #expect(packet(1, gap: 0) == [])
    #expect(packet(8, gap: 6) == [])
    #expect(packet(15, gap: 6) == [])
    #expect(packet(16, gap: 0) == [])
    #expect(packet(18.5, gap: 0.1) == [.fault(.signalLost)])
  }

  @Test("counts a silence that is not over as a gap, and no silence from before the measurement")
  func openGap() {
    var scene = Scene()
    #expect(scene.ticks(1...10) == [.began(.dataGap)])
    scene.watch.measurementBegan(length: 20_000_000, at: moment(10))
    #expect(scene.ticks(11...14) == [])
    #expect(scene.ticks(15...15) == [.fault(.signalLost)])
    var other = Scene()
    other.watch.measurementBegan(length: 20_000_000, at: moment(10))
    // Ten seconds were silent, one of them in the measurement.
    let late = SignalPacket(received: 1, usable: 1, gap: 10_000_000)
    #expect(other.watch.take(late, at: moment(11)) == [])
  }

  @Test("takes packets without intervals for a gap of the beats, though not of the data")
  func ratesAlone() {
    var scene = Scene()
    scene.watch.measurementBegan(length: 60_000_000, at: moment(0))
    #expect(scene.packets(1...10, contact: .unknown) == [])
    let empty = SignalPacket(received: 0, usable: 0)
    for second in 11...22 { #expect(scene.watch.take(empty, at: moment(Double(second))) == []) }
    #expect(scene.watch.take(empty, at: moment(23)) == [.fault(.signalLost)])
  }

  @Test("reports a battery below 20 % once, though it flickers: 14")
  func battery() {
    var watch = SignalWatch()
    #expect(watch.battery(20) == [])
    #expect(watch.battery(19) == [.began(.sensorBatteryLow)])
    #expect(watch.battery(20) == [] && watch.battery(24) == [] && watch.battery(255) == [])
    #expect(watch.battery(25) == [.ended(.sensorBatteryLow)])
    #expect(watch.battery(-1) == [] && watch.battery(0) == [.began(.sensorBatteryLow)])
  }

  @Test("reports a clock that is not synchronised, or was stepped by more than 2 s: 17")
  func clock() {
    var watch = SignalWatch()
    #expect(watch.clock(isSynchronised: false) == [.began(.clockSkew)])
    #expect(watch.clock(isSynchronised: true) == [.ended(.clockSkew)])
    #expect(watch.tick(at: moment(1)) == [])
    #expect(watch.tick(at: moment(2, stepped: 2)) == [])
    #expect(watch.tick(at: moment(3, stepped: 4.1)) == [.began(.clockSkew)])
    #expect(watch.tick(at: moment(4, stepped: 4.1)) == [.ended(.clockSkew)])
    // A step in a measurement divides its times until it is over.
    watch.measurementBegan(length: 60_000_000, at: moment(5, stepped: 4.1))
    #expect(watch.tick(at: moment(6, stepped: -3600)) == [.began(.clockSkew)])
    #expect(watch.tick(at: moment(7, stepped: -3600)) == [])
    #expect(watch.measurementEnded(at: moment(8, stepped: -3600)) == [.ended(.clockSkew)])
  }

  @Test("reports supply, adapter and an empty set of vital signs: 4, 19, 20, 4506")
  func around() {
    var watch = SignalWatch()
    #expect(watch.power(isLow: true) == [.began(.lowPower)])
    #expect(watch.power(isLow: true) == [])
    #expect(watch.power(isLow: false) == [.ended(.lowPower)])
    #expect(watch.enabled(0) == [.began(.nothingEnabled)])
    #expect(watch.enabled(3) == [.ended(.nothingEnabled)])
    #expect(watch.adapter(.off) == [.began(.bluetoothOff)])
    #expect(watch.adapter(.notAllowed) == [.ended(.bluetoothOff), .began(.bluetoothNotAllowed)])
    #expect(watch.adapter(.usable) == [.ended(.bluetoothNotAllowed)])
    watch.measurementBegan(length: 60_000_000, at: moment(0))
    #expect(watch.adapter(.off) == [.fault(.bluetoothOff)])
    #expect(watch.power(isLow: true) == [.began(.lowPower)])
    #expect(watch.active == [.bluetoothOff, .lowPower])
  }

  @Test(
    "reports begin and end in turn whatever comes, and needs no more room",
    arguments: freshSeeds(20, for: "watches over signals"))
  func anything(seed: UInt64) {
    var random = SeededRandom(seed)
    var watch = SignalWatch(batchSpacing: random.below(2) == 0 ? 0 : .max)
    var holds: Set<SessionCode> = []
    var now: Int64 = 0
    for step in 0..<4000 {
      now =
        random.below(500) == 0 ? Int64.random(in: .min ... .max, using: &random) : now &+ Int64(random.below(2_000_000))
      let wall = random.below(200) == 0 ? Int64.random(in: .min ... .max, using: &random) : now
      let time = SessionMoment(monotonic: now, wall: wall)
      let numbers = [Int.min, -1, 0, 1, 3, 64, .max]
      func number() -> Int { numbers[random.below(numbers.count)] }
      let contacts: [SignalPacket.Contact] = [.unknown, .lost, .made]
      var notices: [SignalNotice] = []
      switch random.below(20) {
      case 0: watch.streamBegan(at: time)
      case 1: notices = random.below(4) == 0 ? watch.streamEnded(at: time) : []
      case 2: watch.measurementBegan(length: Int64(random.below(180_000_000)), at: time)
      case 3: notices = watch.measurementEnded(at: time)
      case 4: notices = watch.battery(random.below(140) - 20)
      case 5: notices = watch.clock(isSynchronised: random.below(2) == 0)
      case 6: notices = watch.power(isLow: random.below(2) == 0)
      case 7: notices = watch.adapter([.usable, .off, .notAllowed][random.below(3)])
      case 8: notices = watch.enabled(number())
      case 9...13: notices = watch.tick(at: time)
      default:
        let gaps: [Int64?] = [nil, 0, .min, .max, 3_000_000]
        let packet = SignalPacket(
          received: number(), usable: number(), doubt: number(), gap: gaps[random.below(gaps.count)],
          contact: contacts[random.below(3)])
        notices = watch.take(packet, at: time)
      }
      for notice in notices {
        switch notice {
        case .began(let code): #expect(holds.insert(code).inserted, "seed \(seed), step \(step)")
        case .fault(let code):
          #expect(code.kind == .error && holds.insert(code).inserted, "seed \(seed), step \(step)")
        case .ended(let code): #expect(holds.remove(code) != nil, "seed \(seed), step \(step)")
        }
      }
      #expect(holds == Set(watch.active) && holds.count == watch.active.count, "seed \(seed), step \(step)")
    }
  }
}
