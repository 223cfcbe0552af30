import Bluetooth
import EventLoop
import Health
import RingStore
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("Stored records are deleted", .serialized)
struct RecordRemovalTests {
  private static let driver = StandardDriver([.pulseOximeter, .battery, .currentTime])

  private static func records(_ count: Int) -> [[UInt8]] {
    (0..<count).map { PocketOximeter.record((2026, 11, 24, 8, $0, 0), pulse: 70) }
  }

  @LoopActor
  private func ordered(_ oximeter: PocketOximeter) async throws -> (link: ScriptedLink, domain: RecordDomain) {
    let link = oximeter.link
    let session = try #require(Self.driver.makeSession(link))
    let answer = try await session.operated?.perform(StandardSession.removal, [])
    #expect(
      answer == "ordered: \(oximeter.records.count) stored records go with the visit that has all of them durable here")
    return (link, try #require(session.domains.first as? RecordDomain))
  }

  /// The hub's part in a removal: no erasing without receipts for each item.
  @LoopActor
  private func remove(_ domain: RecordDomain, _ loop: VirtualLoop) async throws -> RemovalOutcome {
    let items = try await domain.list(known: [])
    let removal = try #require(domain.removals(of: items).first)
    #expect(removal.covers == items && RemovalProof(removal, of: WearableID(number: 1), receipts: []) == nil)
    let store = try ScratchStore(loop)
    var receipts: [Receipt] = []
    for item in items { receipts.append(try await store.receipt(item)) }
    let proof = try #require(RemovalProof(removal, of: store.wearable, receipts: receipts))
    let outcome = try await domain.remove(proof)
    await store.close()
    return outcome
  }

  @Test("by a person's order, with receipts for all of them, and counted afterwards; the order is spent then")
  func ordered() throws {
    try onLoop { loop in
      let oximeter = PocketOximeter(Self.records(3))
      let (link, domain) = try await ordered(oximeter)
      #expect(try await remove(domain, loop) == .erased)
      #expect(oximeter.records.isEmpty && oximeter.requests.suffix(3) == [[4, 1], [2, 1], [4, 1]])
      #expect(link.remembered(RemovalOrder.self) == nil)
    }
  }

  @Test("not if a record came after the reading")
  func another() throws {
    try onLoop { loop in
      let oximeter = PocketOximeter(Self.records(3))
      let (_, domain) = try await ordered(oximeter)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      oximeter.records = Self.records(4)
      let store = try ScratchStore(loop)
      let receipt = try await store.receipt(try #require(items.first))
      let proof = try #require(RemovalProof(removal, of: store.wearable, receipts: [receipt]))
      #expect(try await domain.remove(proof) == .notNow("it has other records now"))
      #expect(oximeter.records.count == 4 && !oximeter.requests.contains([2, 1]))
      await store.close()
    }
  }

  @Test("not if fewer came than were counted")
  func incomplete() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(3))
      let (_, domain) = try await ordered(oximeter)
      oximeter.missing = 1
      let items = try await domain.list(known: [])
      #expect(items.count == 1 && domain.removals(of: items).isEmpty)
    }
  }

  @Test("not if the order is older than a day, or no record is stored")
  func late() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(3))
      let (link, domain) = try await ordered(oximeter)
      link.wait(.seconds(86_500))
      let items = try await domain.list(known: [])
      #expect(domain.removals(of: items).isEmpty)
      oximeter.records = []
      let session = try #require(Self.driver.makeSession(link))
      let answer = try await session.operated?.perform(StandardSession.removal, [])
      #expect(answer == "no change needed: no record is stored on it")
      oximeter.worded = { _ in [5] }
      await #expect(throws: VisitTrouble.unsupported("it does not say how many it has")) {
        try await session.operated?.perform(StandardSession.removal, [])
      }
      oximeter.worded = { $0 }
      await #expect(throws: VisitTrouble.self) { try await session.operated?.perform(StandardSession.removal, ["now"]) }
    }
  }

  @Test("and one that acknowledges and keeps them is found out")
  func kept() throws {
    try onLoop { loop in
      let oximeter = PocketOximeter(Self.records(2))
      oximeter.keepsAll = true
      let (_, domain) = try await ordered(oximeter)
      #expect(try await remove(domain, loop) == .ineffective("it says that it did, and has 2 records"))
    }
  }

  /// Empty, cut, longer, and with each byte, and all, of an unknown meaning; the third is the result.
  private static func forms(of right: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = [right + [0xFF], right + [UInt8](repeating: 0, count: 40)]
    for length in right.indices { forms.append(Array(right.prefix(length))) }
    for place in right.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        forms.append(right)
        forms[forms.count - 1][place] = value
      }
    }
    return forms + [[UInt8](repeating: 0xFF, count: right.count)]
  }

  @Test("and what the answer does not say, the count does")
  func notUnderstood() throws {
    try onLoop { loop in
      for form in Self.forms(of: [6, 0, 2, 1]) {
        let oximeter = PocketOximeter(Self.records(3))
        let (link, domain) = try await ordered(oximeter)
        oximeter.worded = { $0.starts(with: [6, 0, 2]) ? form : $0 }
        #expect(try await remove(domain, loop) == .erased, "\(form)")
        #expect(link.remembered(RemovalOrder.self) == nil && oximeter.records.isEmpty, "\(form)")
        // A wearable that keeps them all the same is detected, and no record counts as erased.
        let other = PocketOximeter(Self.records(3))
        other.keepsAll = true
        let (_, kept) = try await ordered(other)
        other.worded = { $0.starts(with: [6, 0, 2]) ? form : $0 }
        #expect(try await remove(kept, loop) != .erased, "\(form)")
      }
    }
  }

  @Test("and are not taken for gone unless an understood answer says so")
  func uncounted() throws {
    try onLoop { loop in
      for form in Self.forms(of: [5, 0, 0, 0]).filter({ $0.count < 4 || $0[0] != 5 }) {
        for isGone in [true, false] {
          let oximeter = PocketOximeter(Self.records(3))
          oximeter.keepsAll = !isGone
          let (link, domain) = try await ordered(oximeter)
          oximeter.worded = { [weak oximeter] in
            let isTold = $0.first == 5 && oximeter?.requests.contains([2, 1]) ?? false
            return isTold ? form : $0
          }
          let outcome = try await remove(domain, loop)
          #expect(
            outcome
              == .notNow("it was ordered to, and does not say how many records are left: order it again if some are"),
            "\(form)")
          #expect(link.remembered(RemovalOrder.self) == nil, "what comes later is not what was meant")
        }
      }
    }
  }
}
