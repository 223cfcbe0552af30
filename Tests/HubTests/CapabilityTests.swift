import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Testing
import Wearable

@testable import Hub

@Suite("What can be had of one wearable")
struct CapabilityTests {
  /// Announces more than its driver carries out, and less.
  private static let announced: WearableCapabilities = {
    var all = WearableCapabilities([.live, .streamed, .denser], [.acc])
    all.insert([.live, .history, .restAlert], [.heartRate])
    all.insert(.live, [.spo2])
    return all
  }()

  private static var driver: RecorderDriver {
    var driver = RecorderDriver()
    driver.live = [.acc, .ecg]
    driver.rates = [.acc: [WearableRate(52)], .ecg: [WearableRate(130)]]
    driver.announces = announced
    return driver
  }

  @LoopActor
  private static func keeper(_ parts: Parts) -> OrderKeeper {
    OrderKeeper(context: parts.context, registry: parts.registry, presence: parts.presence)
  }

  // MARK: The table

  @Test("is what both sides have of a series, and when and how often only if it is measured at all")
  func intersection() {
    var said = WearableCapabilities([.live, .monitoring, .monitoringWindow, .exerciseAlert], [.heartRate])
    said.insert([.history, .monitoringInterval], [.spo2])
    said.insert(.live, [.acc])
    var carriedOut = WearableCapabilities([.live, .monitoring, .monitoringWindow, .monitoringInterval], [.heartRate])
    carriedOut.insert([.history, .monitoring, .monitoringInterval], [.spo2])
    carriedOut.insert(.live, [.ecg])
    let both = said.intersection(carriedOut)
    #expect(both == carriedOut.intersection(said) && both.series == [.heartRate, .spo2])
    #expect(both[.heartRate] == [.live, .monitoring, .monitoringWindow] && both[.spo2] == .history)
    #expect(both[.acc].isEmpty && both[.ecg].isEmpty)
    #expect(both.keepsData && !WearableCapabilities(.live, [.acc]).keepsData)
    #expect(both.intersection(WearableCapabilities()).isEmpty && both.union(WearableCapabilities()) == both)
    #expect(both.series(with: [.live, .monitoring]) == [.heartRate])
  }

  @Test("has a stable word for each thing, once, in one order")
  func words() {
    let words = [
      "live", "recorded", "history", "on_demand", "monitoring", "monitoring_window", "monitoring_interval", "denser",
      "resting", "rest_alert", "exercise_alert", "streamed",
    ]
    #expect(SeriesCapabilities.all.map(\.word) == words)
    let bits = SeriesCapabilities.all.map(\.capability.rawValue)
    #expect(bits == (0..<UInt16(words.count)).map { 1 << $0 })
    #expect(SeriesCapabilities(rawValue: 0x8009).words == ["live", "on_demand"])
  }

  @Test("is read back as it was kept, with a firmware or without; an invalid one is no state")
  func kept() throws {
    for firmware in ["1.2.3", nil] {
      for table in [Self.announced, WearableCapabilities()] {
        var states = RememberedStates()
        let state = AnnouncedCapabilities(driver: "recorder", firmware: firmware, table)
        try states.keep(state)
        #expect(states[AnnouncedCapabilities.self] == state)
      }
    }
    for fields: [UInt8] in [[], [2, 1, 0x31], [1, 1, 0x61, 3, 2, 1, 0], [1, 1, 0x61, 3, 4, 1, 2, 5, 0]] {
      var states = RememberedStates()
      states.load("capabilities", RememberedStates.Entry(version: 2, fields: fields))
      #expect(states[AnnouncedCapabilities.self] == nil, "\(fields)")
    }
    // A series and a bit of tomorrow: what is known of it stays.
    var states = RememberedStates()
    let later: [UInt8] = [1, 1, 0x61, 3, 8, 1, 2, 0xFF, 0xFE, 2, 2, 1, 0, 3, 8, 1, 2, 8, 0, 2, 2, 1, 0x40]
    states.load("capabilities", RememberedStates.Entry(version: 2, fields: later))
    let table = try #require(states[AnnouncedCapabilities.self]?.table)
    #expect(table.series == [.acc] && table[.acc].words == ["live"])
    // What an earlier program kept told streams and measurements not apart.
    states.load("capabilities", RememberedStates.Entry(version: 1, fields: later))
    #expect(states[AnnouncedCapabilities.self] == nil)
  }

  // MARK: Whose it is

  @Test(
    """
    is not known before the first link, then what it announced and its driver carries out; with other firmware, or \
    another driver, it is not known again
    """
  )
  func known() throws {
    try withParts(Self.driver) { parts in
      let wearable = try await parts.enrol(1, "a")
      #expect(wearable.capabilities == nil && parts.status.wearables.snapshot(of: wearable).capabilities == nil)
      wearable.learn(.firmware("1.0"))
      let decoder = Self.driver.makeDecoder()
      #expect(wearable.noteAnnounced(decoder, nil) && !wearable.noteAnnounced(decoder, nil))
      let had = try #require(wearable.capabilities)
      // The wearable stores heart rates, announces no ECG, and has no warnings that this driver would hear.
      #expect(had.series == [.heartRate, .acc] && had[.heartRate] == .history && had[.acc] == [.live, .streamed])
      #expect(parts.status.wearables.snapshot(of: wearable).capabilities == had)
      wearable.learn(.firmware("1.1"))
      #expect(wearable.capabilities == nil)
      #expect(wearable.noteAnnounced(decoder, nil) && wearable.capabilities == had)
      var other = Self.driver
      other.id = "other"
      wearable.adopt(other)
      #expect(wearable.capabilities == nil)
    }
  }

  @Test("what a session could not ask leaves it as it was known; what it could is added")
  func sessions() throws {
    try withParts(Self.driver) { parts in
      let wearable = try await parts.enrol(1, "a")
      let session = Asking()
      #expect(!wearable.noteAnnounced(Self.driver.makeDecoder(), session) && wearable.capabilities == nil)
      session.announced = WearableCapabilities([.live, .streamed], [.ecg])
      #expect(wearable.noteAnnounced(Self.driver.makeDecoder(), session))
      #expect(wearable.capabilities?.series == [.heartRate, .ecg, .acc])
      session.announced = nil
      #expect(!wearable.noteAnnounced(Self.driver.makeDecoder(), session))
      #expect(wearable.capabilities?.series == [.heartRate, .ecg, .acc])
      // A decoder that cannot read the capabilities leaves them unknown, not empty.
      #expect(!wearable.noteAnnounced(RecorderDriver().makeDecoder(), nil) && wearable.capabilities != nil)
    }
  }

  @Test("is learnt over a link, durable, and known to the next hub before it has one", arguments: [false, true])
  func restarts(isKilled: Bool) throws {
    try inHouse(Self.driver) { house, _ in
      #expect(try house.hearth.wearable(named: "recorder-0").capabilities == nil)
      house.start()
      try await house.wait { try house.hearth.wearable(named: "recorder-0").capabilities != nil }
      let had = try house.hearth.wearable(named: "recorder-0").capabilities
      try await house.wait { house.store.wearables[0].hubState[AnnouncedCapabilities.self] != nil }
      try await house.pass(.seconds(60))
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart(isQuiet: true) }
      let again = try house.hearth.wearable(named: "recorder-0")
      #expect(again.linkedSince == nil && again.capabilities == had && had?.series == [.heartRate, .acc])
    }
  }

  // MARK: Orders

  @Test("a stream that it does not have is refused alone and left out of an order for several, which says so")
  func streams() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      // Still unknown: any series of its kind may be ordered.
      #expect(try await keeper.orderStreams("a", [.ecg]).streams == [.ecg])
      _ = wearable.noteAnnounced(Self.driver.makeDecoder(), nil)
      var told: HearthError?
      do throws(HearthError) { _ = try await keeper.orderStreams("a", [.ecg]) } catch { told = error }
      #expect(
        told?.reason == .requestUnsupported
          && told?.detail == "a: it says that it has no ecg to send by order; it has acc")
      let orders = try await keeper.orderStreams("a", [.acc, .ecg, .gyro])
      #expect(orders.streams == [.acc] && orders.skipped.map(\.series) == [.ecg, .gyro])
      #expect(orders.skipped.allSatisfy { $0.refusal.reason == .requestUnsupported })
      #expect(orders.skipped.last?.refusal.detail == "a: its kind sends no gyro live")
      // No series would be left of these.
      #expect(
        await refusal { () throws(HearthError) in try await keeper.orderStreams("a", [.ecg, .gyro]) }
          == .requestUnsupported)
      #expect(try keeper.orders(of: "a").skipped.isEmpty)
      #expect(wearable.choices.orders.streams == [.acc])
      #expect(try await keeper.orderStreams("a", []).streams.isEmpty)
    }
  }

  @Test("so is a rate of it; a rate outside its list is refused with all others")
  func rates() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      #expect(try keeper.orders(of: "a").rateChoices.map(\.series) == [.ecg, .acc])
      _ = wearable.noteAnnounced(Self.driver.makeDecoder(), nil)
      #expect(try keeper.orders(of: "a").rateChoices.map(\.series) == [.acc])
      let orders = try await keeper.orderRates("a", [.acc: 52, .ecg: 130])
      #expect(orders.rates.map(\.hertz) == [52] && orders.skipped.map(\.series) == [.ecg])
      for wrong in [[.ecg: 130], [.acc: 53, .ecg: 130]] as [[Series: Int]] {
        #expect(
          await refusal { () throws(HearthError) in try await keeper.orderRates("a", wrong) } == .requestUnsupported)
      }
      #expect(wearable.choices.orders.rates == [.acc: 52])
    }
  }

  @Test("of one that keeps no data no item is erased or encrypted, once that is known")
  func nothingKept() throws {
    var driver = Self.driver
    driver.announces = WearableCapabilities(.live, [.acc])
    try inHouse(driver) { house, _ in
      let hearth = house.hearth
      _ = try await hearth.setErasing("recorder-0", .yes)
      house.start()
      try await house.wait { try hearth.wearable(named: "recorder-0").capabilities != nil }
      for choice in [EraseChoice.yes, .ask] {
        let erasing = await refusal { () throws(HearthError) in try await hearth.setErasing("recorder-0", choice) }
        #expect(erasing == .requestUnsupported)
      }
      _ = try await hearth.setErasing("recorder-0", .no)
      let secret = await refusal { () throws(HearthError) in
        try await hearth.orderSecret("recorder-0", Hearth.freshSecret())
      }
      #expect(secret == .secretUseless)
    }
  }
}

/// Asks its wearable what it has, or could not.
@LoopActor
private final class Asking: AnnouncingSession {
  var announced: WearableCapabilities?
  func check() async throws(VisitTrouble) -> CheckReport { CheckReport() }
  var domains: [any FetchDomain] { [] }
  func finish() async throws(VisitTrouble) {}
}
