import EventLoop
import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Bonds on the control socket")
struct BondMethodTests {
  private static let key = BondKey(kind: 1, bytes: (0..<36).map { $0 == 7 ? 3 : UInt8($0) })
  private static let bond = Bond(
    addressValue: 0xF0F1_F2F3_F400, addressKind: 2, wearable: WearableID(number: 1), createdAt: FakeHub.now,
    keys: [key, BondKey(kind: 2, bytes: [UInt8](repeating: 0xAB, count: 16))])

  private func refusal(_ body: () throws -> Void) -> Reason? {
    do {
      try body()
      return nil
    } catch { return (error as? HearthError)?.reason }
  }

  @Test("a list of bonds says which wearables and how strong, and not a byte of a key")
  func list() throws {
    let reply = try serve { hub, _ in
      hub.keys = [Self.bond]
    } client: { path in
      try ControlClient(path: path).call("BondList")
    } after: {
      $2
    }
    let bonds: [BondDocument] = try ControlClient.document(reply, "bonds", "BondList")
    #expect(bonds.map(\.device) == ["strap-01"])
    #expect(bonds.first?.authenticated == true && bonds.first?.lost == true && bonds.first?.addressType == "random")
    let text = String(decoding: reply.compact, as: UTF8.self)
    #expect(!text.contains("abab") && !text.contains("key\":\""))
  }

  @Test("keys are given to the daemon's own user, and come back as the bonds they were")
  func keys() throws {
    let log = LogLines()
    let reply = try serve(
      prepare: { hub, _ in hub.keys = [Self.bond] }, client: { path in try ControlClient(path: path).call("BondKeys") },
      log: log
    ) { $2 }
    let bonds: [BondKeysDocument] = try ControlClient.document(reply, "bonds", "BondKeys")
    #expect(reply["hub"]?.text == "gym-north")
    #expect(bonds.map(\.name) == ["strap-01"] && bonds.map(\.driver) == ["heart-rate"])
    #expect(try bonds.first?.bond() == Self.bond.of(WearableID(number: 0)))
    #expect(log.all.contains { $0.contains("keys of 1 bonds") && $0.contains("uid") }, "who read them is written down")
    #expect(!log.all.contains { $0.contains("abab") })
  }

  @Test("neither keys nor an import are for other users of the socket")
  func strangers() throws {
    let found = try serve { hub, server in
      hub.keys = [Self.bond]
      server.access.owners = [geteuid() &+ 1]
    } client: { path in
      let client = try ControlClient(path: path)
      let document = BondKeysDocument(Self.bond, name: "x", kind: "", driver: "")
      return (
        self.refusal { _ = try client.call("BondKeys") },
        self.refusal { _ = try client.call("BondImport", ["bonds": JSON(encoding: [document])]) },
        self.refusal { _ = try client.call("BondList") }
      )
    } after: { hub, _, found in
      (found, hub.imported.count)
    }
    #expect(found.0.0 == .controlNotAllowed && found.0.1 == .controlNotAllowed && found.0.2 == nil)
    #expect(found.1 == 0)
  }

  @Test("an import hands over what it was given; what can be no bond, and too many at once, are refused whole")
  func importing() throws {
    let document = BondKeysDocument(Self.bond, name: "strap-77", kind: "HR strap", driver: "heart-rate")
    let (outcomes, imported) = try serve { _, _ in
    } client: { path in
      let client = try ControlClient(path: path)
      var outcomes: [Reason?] = []
      for change: @Sendable (inout BondKeysDocument) -> Void in [
        { _ in }, { $0.address = "F0:F1" }, { $0.address = "F0:F1:F2:F3:F4:ZZ" }, { $0.addressType = "classic" },
        { $0.keys[0].key = "abc" },
        { $0.keys[0].key = String(repeating: "ab", count: 65) }, { $0.keys = Array(repeating: $0.keys[0], count: 17) },
      ] {
        var changed = document
        change(&changed)
        let ready = changed
        outcomes.append(
          self.refusal { _ = try client.call("BondImport", ["bonds": JSON(encoding: [document, ready])]) })
      }
      outcomes.append(
        self.refusal {
          _ = try client.call("BondImport", ["bonds": JSON(encoding: Array(repeating: document, count: 65))])
        })
      outcomes.append(self.refusal { _ = try client.call("BondImport", ["bonds": "all"]) })
      return outcomes
    } after: { hub, _, outcomes in
      (outcomes, hub.imported.map { ($0.name, $0.bond) })
    }
    #expect(outcomes == [nil] + Array(repeating: .controlBadParameter, count: 8))
    #expect(imported.map(\.0) == ["strap-77", "strap-77"])
    #expect(imported.allSatisfy { $0.1 == Self.bond.of(WearableID(number: 0)) })
  }

  @Test("a bond is removed by name; a missing one is reported")
  func remove() throws {
    let (outcome, left) = try serve { hub, _ in
      hub.keys = [Self.bond]
    } client: { path in
      let client = try ControlClient(path: path)
      let outcome = self.refusal { _ = try client.call("BondRemove", ["name": "nobody"]) }
      let listed: [BondDocument] = try client.fetch("bonds", of: "BondList")
      for bond in listed { _ = try client.call("BondRemove", ["name": .string(bond.device)]) }
      return outcome
    } after: { hub, _, outcome in
      (outcome, hub.keys.count)
    }
    #expect(outcome == .noSuchBond && left == 0)
  }

  @Test("the largest import fits a call")
  func largest() throws {
    let key = BondKey(kind: 255, bytes: [UInt8](repeating: 0xAB, count: BondKey.sizeLimit))
    let bond = Bond(
      addressValue: 1, addressKind: 2, wearable: WearableID(number: 1), createdAt: WallTime(microseconds: .max),
      keys: Array(repeating: key, count: 16))
    let label = String(repeating: "k", count: 64)
    let document = BondKeysDocument(bond, name: String(repeating: "n", count: 32), kind: label, driver: label)
    let json = JSON(encoding: Array(repeating: document, count: BondKeysDocument.atOnce))
    #expect(json.compact.count + 200 < VarlinkLimits.call)
  }
}
