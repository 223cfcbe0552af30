import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("A change of wearer that breaks off", .serialized)
struct PolarWearerKillTests {
  private static func wearer(_ number: UInt32, _ change: (inout BodyFacts) -> Void) -> WearerBody {
    var facts = BodyFacts()
    change(&facts)
    return WearerBody(number: number, facts)
  }

  private static let ada = wearer(1) {
    ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1941, month: 3, day: 5), .female, 160, 75)
    ($0.maximumHeartRate, $0.vo2Max, $0.trainingBackground) = (135, 19, .heavy)
  }
  private static let bo = wearer(2) {
    ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1999, month: 12, day: 1), .male, 184, 80)
    ($0.restingHeartRate, $0.sleepGoal, $0.typicalDay) = (45, 480, .standing)
  }
  private static let cy = wearer(3) {
    ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1970, month: 2, day: 2), .male, 170, 70)
  }

  /// Wearers one after the other; nil: no wearer, and the data of the last one are removed.
  @LoopActor
  private static func order(_ wearer: WearerBody?, _ pocket: PocketTransfer) {
    pocket.link.orders.wearer = wearer
    pocket.link.orders.takeOff = wearer == nil ? 1 : nil
  }

  @LoopActor
  private static func values(_ pocket: PocketTransfer) throws -> [PhysicalPart: PhysicalValue] {
    try PhysicalFile(pocket.files[PolarFile.physicalDataPath] ?? []).values
  }

  /// Its state without an interruption.
  @LoopActor
  private static func undisturbed(_ wearers: [WearerBody?]) async throws -> [PhysicalPart: PhysicalValue] {
    let pocket = PocketTransfer.band()
    for wearer in wearers {
      order(wearer, pocket)
      try await pocket.visit()
    }
    return try values(pocket)
  }

  @Test(
    "at any request leaves no value of one wearer with the next",
    arguments: [[ada], []] as [[WearerBody]], [ada, bo, cy, nil] as [WearerBody?])
  func requests(_ earlier: [WearerBody], _ next: WearerBody?) throws {
    try onLoop { _ async throws in
      let wanted = try await Self.undisturbed(earlier + [Self.bo, next])
      var isOver = false
      var number = 0
      while !isOver {
        let pocket = PocketTransfer.band()
        for wearer in earlier {
          Self.order(wearer, pocket)
          try await pocket.visit()
        }
        Self.order(Self.bo, pocket)
        pocket.link.endsAt = pocket.link.requests + number
        do throws(VisitTrouble) {
          try await pocket.visit()
          isOver = true
        } catch {
          guard case .link = error else { throw error }
        }
        pocket.link.endsAt = nil
        let wasWritten = isOver || pocket.link.remembered(PolarBodyNote.self)?.writing == 2
        Self.order(next, pocket)
        try await pocket.visit()
        // Before that it has the data of the previous wearer, or no file yet.
        if wasWritten, pocket.files[PolarFile.physicalDataPath] != nil {
          #expect(try Self.values(pocket) == wanted, "request \(number)")
        }
        if let next {
          let has = try Self.values(pocket)
          for other in [Self.ada, Self.bo] where other.number != next.number {
            for (part, value) in other.facts.physicalParts where next.facts.physicalParts[part] == nil {
              #expect(has[part] != value, "request \(number): \(part.name) of another")
            }
          }
        }
        #expect(pocket.link.remembered(PolarBodyNote.self)?.writing == nil)
        number += 1
      }
      #expect(number > 10)
    }
  }

  @Test("within the file leaves one that is made good, or is said to be unreadable and stays as it is")
  func halfWritten() throws {
    try onLoop { _ async throws in
      let path = PolarFile.physicalDataPath
      let whole = try await {
        let pocket = PocketTransfer.band()
        Self.order(Self.bo, pocket)
        try await pocket.visit()
        return pocket.files[path] ?? []
      }()
      var (isMended, isSaid) = (0, 0)
      for length in 0..<whole.count {
        let pocket = PocketTransfer.band()
        Self.order(Self.ada, pocket)
        try await pocket.visit()
        var note = try #require(pocket.link.remembered(PolarBodyNote.self))
        note.writing = 2
        try pocket.link.remember(note)
        let half = Array(whole.prefix(length))
        pocket.files[path] = half
        Self.order(Self.bo, pocket)
        if let why = await pocket.attention() {
          isSaid += 1
          #expect(why.hasPrefix("H2129"), "\(length) bytes: \(why)")
          #expect(pocket.files[path] == half, "\(length) bytes")
        } else {
          isMended += 1
          let has = try Self.values(pocket)
          for (part, value) in Self.bo.facts.physicalParts { #expect(has[part] == value, "\(length) bytes") }
          for (part, value) in Self.ada.facts.physicalParts where Self.bo.facts.physicalParts[part] == nil {
            #expect(has[part] != value, "\(length) bytes")
          }
        }
      }
      #expect(isMended > 5 && isSaid > 5)
    }
  }
}
