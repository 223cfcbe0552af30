import Bluetooth
import EventLoop
import RingStore
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("Erasing an insole", .serialized)
struct EraseTests {
  /// An insole with files, all of them listed; the proof is made with receipts of a real store.
  private func withProof(
    of numbers: [UInt8] = [1, 2, 3],
    _ body: @escaping @LoopActor (PocketInsole, any FetchDomain, RemovalProof) async throws -> Void
  ) throws {
    try onLoop { loop in
      let scratch = try ScratchStore(loop)
      let insole = PocketInsole()
      for number in numbers {
        insole.files[number] = PocketInsole.file(start: 1_795_000_000 + UInt32(number) * 100, records: 4)
      }
      insole.newest = numbers.max() ?? 0
      let session = BotzSession(insole.link)
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      #expect(domain.removals(of: items).count == 1 && removal.covers == items && removal.isOncePerBoot)
      var receipts: [Receipt] = []
      for item in items { receipts.append(try await scratch.receipt(item)) }
      try await body(insole, domain, try #require(RemovalProof(removal, of: scratch.wearable, receipts: receipts)))
      await scratch.close()
    }
  }

  private let eraseWrites: @LoopActor (PocketInsole) -> Int = { insole in
    insole.link.written.count { $0.characteristic == Botz.Control.eraseFlash }
  }

  @Test("is one write to the Control service, and proven by the highest number being free")
  func erased() throws {
    try withProof { insole, domain, proof in
      let first = try await domain.remove(proof)
      #expect(first == .erased)
      #expect(insole.files.isEmpty && self.eraseWrites(insole) == 1)
      #expect(insole.asked.last == .status(name: "/lfs1/hardware/activity_003.dat"))
      let second = try await domain.remove(proof)
      #expect(second == .ineffective("it erases once between two restarts"))
      #expect(self.eraseWrites(insole) == 1)
    }
  }

  @Test("a second time in one boot is acknowledged and ignored, which is reported")
  func ineffective() throws {
    try withProof { insole, domain, proof in
      insole.erasesLeft = 0
      guard case .ineffective = try await domain.remove(proof) else {
        Issue.record("it was not noticed")
        return
      }
      #expect(insole.files.count == 3)
    }
  }

  @Test("there is no proof while one file lacks a receipt, or has one of other content")
  func missingReceipt() throws {
    try onLoop { loop in
      let scratch = try ScratchStore(loop)
      let insole = PocketInsole()
      for number in 1...3 as ClosedRange<UInt8> {
        insole.files[number] = PocketInsole.file(start: 1_795_000_000 + UInt32(number), records: 2)
      }
      insole.newest = 3
      let session = BotzSession(insole.link)
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      var receipts: [Receipt] = []
      for item in items.dropLast() { receipts.append(try await scratch.receipt(item)) }
      #expect(RemovalProof(removal, of: scratch.wearable, receipts: receipts) == nil)
      var other = items[2]
      other.mark = "1-2-3"
      receipts.append(try await scratch.receipt(other))
      #expect(RemovalProof(removal, of: scratch.wearable, receipts: receipts) == nil)
      receipts.append(try await scratch.receipt(items[2]))
      #expect(RemovalProof(removal, of: scratch.wearable, receipts: receipts) != nil)
      await scratch.close()
    }
  }

  @Test(
    "does not happen when there is a file more, or another one, than was proven",
    arguments: ["more", "longer", "other", "recording", "far"])
  func notCovered(_ change: String) throws {
    try withProof { insole, domain, proof in
      switch change {
      case "more": insole.files[4] = PocketInsole.file(start: 1_795_900_000, records: 1)
      case "far": insole.files[200] = [1]
      case "longer": insole.files[2]?.append(0)
      case "other": insole.files[3] = PocketInsole.file(start: 1_795_900_000, records: 4)
      default: insole.activity = .running
      }
      guard case .notNow = try await domain.remove(proof) else {
        Issue.record("it erased")
        return
      }
      #expect(self.eraseWrites(insole) == 0 && insole.files.count >= 3)
    }
  }

  @Test("does not happen when an activity began while the files were looked at")
  func beginsMeanwhile() throws {
    try withProof { insole, domain, proof in
      insole.answer = { request in
        if request == .close { insole.activity = .running }
        return nil
      }
      let outcome = try await domain.remove(proof)
      #expect(outcome == .notNow("it is recording an activity"))
      #expect(self.eraseWrites(insole) == 0)
    }
  }

  @Test(
    "does not happen when a short activity came and went while the files were looked at",
    arguments: [3, 255] as [UInt8])
  func comesAndGoesMeanwhile(_ highest: UInt8) throws {
    try withProof(of: [1, highest]) { insole, domain, proof in
      insole.answer = { request in
        // Behind the highest, or appended to the first: that number was asked for long before.
        if request == .close {
          insole.files[highest % 255 + 1, default: []] += PocketInsole.file(start: 1_795_900_000, records: 10)
        }
        return nil
      }
      let outcome = try await domain.remove(proof)
      #expect(outcome == .notNow("activity_00\(highest % 255 + 1).dat has come meanwhile"))
      #expect(self.eraseWrites(insole) == 0)
    }
  }

  @Test("never goes to the cadence of the metrics service, which has the same number")
  func sameNumber() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      let all = insole.database.services.flatMap { service in
        service.characteristics.filter { $0.uuid == Botz.Control.eraseFlash }.map { (service.uuid, $0) }
      }
      #expect(all.map { $0.0 } == [Botz.Metrics.service, Botz.Control.service], "the wrong one comes first")
      #expect(Botz.Metric.cadence.characteristic == Botz.Control.eraseFlash)
      let client = InsoleClient(insole.link)
      try await client.command(.eraseFlash)
      // PocketInsole refuses a write outside of its Control service.
      #expect(insole.erasesLeft == 0)
    }
  }

  @Test("is not offered if the listing was incomplete or empty")
  func notOffered() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      let session = BotzSession(insole.link)
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      #expect(items.isEmpty && domain.removals(of: items).isEmpty)
    }
  }
}
