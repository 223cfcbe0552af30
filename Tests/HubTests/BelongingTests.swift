import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Wearables that belong to another driver, as their link shows")
struct BelongingTests {
  private let name = "recorder-0"

  /// Two drivers with equal advertisements of their wearables.
  private func drivers(_ first: RecorderBand, _ second: RecorderBand) -> RecorderDriver {
    var sibling = RecorderDriver()
    sibling.id = "sibling"
    var driver = bandDriver(first, stays: false)
    driver.others = [BandRecorderDriver(base: sibling, band: second)]
    return driver
  }

  @LoopActor private func moves(_ house: LaneHouse) throws -> [String] {
    try house.store.recentEvents(1000).filter { $0.reason == Reason.driverChanged.rawValue }.map(\.text)
  }

  @Test(
    "one that is another driver's moves there, whether its check succeeded or not, and is visited by that one soon",
    arguments: [true, false])
  func moved(checkFails: Bool) throws {
    let (first, second) = (RecorderBand(), RecorderBand())
    try inHouse(drivers(first, second), files: { $0[0].files = [.of(500)] }) { house, twin in
      first.belongsTo = "sibling"
      if checkFails { first.checkFails = .needsAttention(.bindingRefused, "does not answer as it should") }
      house.start()
      var troubles: Set<Reason> = []
      try await house.wait(.seconds(30)) {
        if let trouble = try house.hearth.wearable(named: name).trouble { troubles.insert(trouble.reason) }
        return twin.files.isEmpty
      }
      let record = house.store.wearables[0]
      #expect(record.driver == "sibling" && record.kind == "Sibling" && record.name == name)
      #expect(second.log == [.bound] && troubles.isEmpty)
      #expect(try moves(house) == ["recorder-0 moves from driver recorder to sibling with its next link"])
      let visit = try #require(try house.visits().last)
      #expect(visit.laneOutcome == VisitOutcome.abandoned.rawValue && visit.outcome == 0)
      #expect(visit.remark.contains("moves from driver"))
      #expect(try house.visits()[0].began - visit.began < .seconds(10))
      try house.killAndRestart()
      #expect(house.hearth.registry.all[0].driver?.id == "sibling")
    }
  }

  @Test("what an operator asked for is asked of the other driver")
  func asked() throws {
    let (first, second) = (RecorderBand(), RecorderBand())
    try inHouse(drivers(first, second)) { house, _ in
      first.belongsTo = "sibling"
      house.start()
      let hearth = house.hearth
      try await house.wait(.seconds(30)) { hearth.registry.all[0].lane.isHolder }
      let order = try #require(MeasurementOrder(.heartRate, limit: 15))
      let result = try await hearth.measure(name, order, isWanted: { true }) { _ in }
      #expect(result.end == .limit && second.log == [.bound, .began(.heartRate)])
    }
  }

  @Test("one of a driver that this hub does not have stays as it is")
  func unknown() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false), files: { $0[0].files = [.of(500)] }) { house, twin in
      band.belongsTo = "nobody"
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(house.store.wearables[0].driver == "recorder" && band.log == [.bound])
      #expect(try moves(house).isEmpty)
    }
  }

  @Test("two drivers that each take it for the other's move it once, not to and fro")
  func toAndFro() throws {
    let (first, second) = (RecorderBand(), RecorderBand())
    try inHouse(drivers(first, second), files: { $0[0].files = [.of(500)] }) { house, twin in
      (first.belongsTo, second.belongsTo) = ("sibling", "recorder")
      house.start()
      try await house.wait(.seconds(60)) { twin.files.isEmpty }
      try await house.pass(.seconds(3600))
      #expect(house.store.wearables[0].driver == "sibling")
      #expect(try moves(house).count == 1)
      try house.killAndRestart()
      try await house.pass(.seconds(3600))
      #expect(try moves(house).count == 1)
    }
  }
}
