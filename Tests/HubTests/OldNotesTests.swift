import EventLoop
import Foundation
import Health
import Reasons
import RingStore
import StateCodec
import Testing
import Wearable

@testable import Hub

@Suite("What stores of earlier formats keep as text")
struct OldNotesTests {
  private func record(_ notes: [String: String]) -> WearableRecord {
    var record = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "a", driver: "d", kind: "k",
      enrolledAt: WallTime(microseconds: 0))
    record.notes = notes
    return record
  }

  @Test("becomes states, by what each note says")
  func taken() throws {
    var band = record([
      "orders.streams": "acc,ppg", "orders.rates": "acc=52", "orders.off": "usb",
      "orders.settings": "ant-plus=off,worn=chest",
      "orders.settings-2": "zz=a=b", "listen": "off", "erase": "ask",
      "erase.called": "1793491200 1793577600 4f1c22aa 2 811c9dc5 !a0b1c2d3",
      "advertising": "1022 ms", "advertised_name": "Polar 360", "link.kept": "yes", "link.override": "idle central",
      "profile.idle": "refused fw 2.0 (beta)", "driver.own": "x", "later": "y",
    ])
    #expect(OldNotes.takeOver(&band, nil))
    #expect(band.notes == ["driver.own": "x", "later": "y"], "what the hub does not know stays")
    let orders = WearableOrders(band)
    #expect(orders.streams == [.acc, .ppg] && orders.rates == [.acc: 52] && orders.switchedOff == ["usb"])
    #expect(orders.settings == ["ant-plus": "off", "worn": "chest", "zz": "a=b"])
    let erasing = try #require(band.hubState[ErasingNotes.self])
    let period = try #require(erasing.period)
    #expect(
      erasing.choice == .ask && period.booted == 1_793_491_200 && period.began == 1_793_577_600
        && period.firmware == 0x4F1C_22AA)
    #expect(
      period.failures == 2 && period.calls.map(\.removal.digest) == [0x811C_9DC5, 0xA0B1_C2D3]
        && period.calls.map(\.wasIneffective) == [false, true])
    #expect(
      band.hubState[ListeningChoice.self]?.isOn == false
        && band.hubState[AdvertisingInterval.self]?.milliseconds == 1022)
    #expect(band.hubState[AdvertisedName.self]?.text == "Polar 360" && band.hubState[EarlyLink.self] != nil)
    #expect(band.hubState[ProfileChoice.self] == ProfileChoice(profile: .idle, isByCentral: true))
    #expect(band.hubState[IdleRefusal.self] == IdleRefusal("refused", firmware: "2.0 (beta)"))
    #expect(!OldNotes.takeOver(&band, nil), "once")
  }

  @Test(
    "that makes no sense is forgotten, and all else with it stays",
    arguments: [
      ["erase.called": "1 2 3"], ["erase.called": "1 x - 0 1"], ["erase.called": "1 2 - 9 1"],
      ["erase.called": "1 2 - 0 zz"],
      ["erase.called": "- 9223372036854775807 - -1"], ["advertising": "1e3 ms"], ["advertising": "100"],
      ["advertising": "4294967296 ms"],
      ["listen": "perhaps"], ["link.override": "asleep"], ["profile.idle": "refused"], ["orders.rates": "acc,=,x=y"],
      ["orders.settings": "b,c,=d,e="],
    ])
  func nonsense(_ notes: [String: String]) {
    var odd = record(notes.merging(["erase": "no"]) { $1 })
    #expect(OldNotes.takeOver(&odd, nil) && odd.notes.isEmpty)
    #expect(odd.hubState.entries.keys.sorted() == ["erasing"] && odd.hubState[ErasingNotes.self]?.period == nil)
  }

  @Test("what is remembered already is newer than a note")
  func newer() throws {
    var band = record(["link.override": "idle"])
    try band.hubState.keep(ProfileChoice(profile: .foreground, isByCentral: false))
    #expect(OldNotes.takeOver(&band, nil) && band.hubState[ProfileChoice.self]?.profile == .foreground)
  }

  @Test("a store of format 3 is converted when a hub first starts with it, and the states are durable")
  func fixture() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = tests.appendingPathComponent("RingStoreTests/Fixtures/format-3-notes/data.mdb")
    let path = NSTemporaryDirectory() + "hearth-notes-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: data, to: URL(fileURLWithPath: path + "/data.mdb"))
    try withParts { parts in
      let store = try Store.open(StoreOptions(path: path), loop: parts.loop, disk: InlineDiskLane())
      for record in store.wearables {
        var record = record
        #expect(OldNotes.takeOver(&record, nil))
        try await store.update(record)
      }
      await store.close()
    }
    let reader = try StoreReader(path: path)
    #expect(
      reader.wearables.map { $0.notes.keys.allSatisfy { $0.hasPrefix("driver.") || $0 == "later" } } == [
        true, true, true, true,
      ])
    #expect(WearableOrders(reader.wearables[0]).settings == ["ant-plus": "off", "worn": "left-wrist", "zz-later": "1"])
    #expect(reader.wearables.map { $0.hubState[ErasingNotes.self]?.choice } == [.ask, .no, nil, nil])
    #expect(reader.wearables.map { $0.hubState[ProfileChoice.self]?.profile } == [.idle, nil, .foreground, nil])
    #expect(reader.wearables[3].hubState[ErasingNotes.self]?.period?.calls.count == 1)
    #expect(try reader.verify().findings == [])
  }

  @Test("a hub that takes such a wearable in writes its states by itself")
  func admitted() throws {
    try withParts { parts in
      let enrolled = try await parts.enrol(1, "a")
      var record = enrolled.record
      record.notes = ["listen": "off", "later": "y"]
      try await parts.store.update(record)
      parts.registry.remove(enrolled)
      let again = try #require(parts.registry.admit(parts.store.wearables[0]))
      #expect(again.choices.listening == false)
      try await parts.loop.sleep(for: .seconds(1))
      let kept = parts.store.wearables[0]
      #expect(kept.notes == ["later": "y"] && kept.hubState[ListeningChoice.self]?.isOn == false)
    }
  }
}
