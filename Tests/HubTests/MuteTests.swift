import EventLoop
import Lights
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Troubles that are muted")
struct MuteTests {
  @LoopActor private func told(_ house: LaneHouse) -> [Reason] {
    house.hearth.snapshot().attention.map(\.trouble.reason)
  }

  @LoopActor private func muted(_ house: LaneHouse) -> [Reason] {
    house.hearth.snapshot().muted.map(\.trouble.reason)
  }

  /// The battery is critical, and the first visit is over.
  @LoopActor private func settle(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
    house.hearth.registry.all[0].noteBattery(5, house.hearth.context)
    #expect(told(house) == [.batteryCritical] && house.hearth.status.lightState().attention == .batteryCritical)
    #expect(try house.hearth.wearable(named: "recorder-0").state == .attention)
  }

  @Test("a muted trouble lights no LED, is shown by no surface and listed as muted, until it is unmuted")
  func surfaces() throws {
    try inHouse { house, _ in
      try await settle(house)
      let mutes = try await house.hearth.mute(.batteryCritical, of: "recorder-0", until: nil)
      #expect(mutes.map(\.reason) == [.batteryCritical] && mutes[0].wearable == "recorder-0" && mutes[0].until == nil)
      #expect(told(house).isEmpty && muted(house) == [.batteryCritical])
      #expect(house.hearth.status.lightState().attention == nil)
      let shown = try house.hearth.wearable(named: "recorder-0")
      #expect(
        shown.state != .attention && shown.trouble == nil && shown.muted.map(\.trouble.reason) == [.batteryCritical])
      // Another wearable's, and another trouble of this one, are told.
      _ = try await house.hearth.mute(.wearableMissing, of: nil, until: nil)
      house.hearth.registry.all[0].trouble = HearthError(.keyMissing, "recorder-0 has no key")
      #expect(told(house) == [.keyMissing] && muted(house).isEmpty, "were it not muted, it would not be told either")
      #expect(house.hearth.status.lightState().attention == .keyMissing)
      house.hearth.registry.all[0].trouble = nil
      try await house.stopAndRestart()
      house.hearth.registry.all[0].noteBattery(5, house.hearth.context)
      try await house.wait { try house.hearth.wearable(named: "recorder-0").muted.count == 1 }
      #expect(told(house).isEmpty)
      _ = try await house.hearth.unmute(.batteryCritical, of: "recorder-0")
      #expect(told(house) == [.batteryCritical] && muted(house).isEmpty)
      #expect(house.hearth.mutes().map(\.reason) == [.wearableMissing])
    }
  }

  @Test("listed as muted is only what would be shown, with the end of its mute; of several mutes the longest counts")
  func listed() throws {
    try inHouse { house, _ in
      try await settle(house)
      house.hearth.registry.all[0].noteBattery(50, house.hearth.context)
      let trouble = HearthError(.linkLost, "recorder-0")
      house.hearth.registry.all[0].trouble = trouble
      #expect(!Reason.linkLost.needsPerson && told(house) == [.linkLost])
      let end = house.loop.wall + .seconds(7200)
      _ = try await house.hearth.mute(.linkLost, of: nil, until: house.loop.wall + .seconds(3600))
      _ = try await house.hearth.mute(.linkLost, of: "recorder-0", until: end)
      let attention = Attention(wearable: "recorder-0", trouble: trouble, mutedUntil: end)
      #expect(house.hearth.snapshot().muted == [attention] && told(house).isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").muted == [attention])
      // Away: the first screen tells of it only what needs a person.
      house.radio.isQuiet = true
      for bearer in house.radio.bearers { bearer.close(immediately: true) }
      try await house.wait { try house.hearth.wearable(named: "recorder-0").state == .absent }
      house.hearth.registry.all[0].trouble = trouble
      #expect(muted(house).isEmpty && told(house).isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").muted == [attention])
      _ = try await house.hearth.unmute(.linkLost, of: nil)
      _ = try await house.hearth.unmute(.linkLost, of: "recorder-0")
      #expect(told(house).isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").trouble == trouble)
    }
  }

  @Test("mutes that are ordered in the same moment last all of them, also after a restart")
  func together() throws {
    try inHouse { house, _ in
      try await settle(house)
      let reasons: [Reason] = [.batteryCritical, .wearableMissing, .slotsFull]
      for reason in reasons {
        house.loop.spawn { _ = try? await house.hearth.mute(reason, of: nil, until: nil) }
      }
      try await house.wait { house.hearth.mutes().count == reasons.count }
      try await house.stopAndRestart()
      #expect(Set(house.hearth.mutes().map(\.reason)) == Set(reasons))
    }
  }

  @Test("a mute with an end is over then, and what is wrong is shown again")
  func ends() throws {
    try inHouse { house, _ in
      try await settle(house)
      let mutes = try await house.hearth.mute(.batteryCritical, of: nil, until: house.loop.wall + .seconds(3600))
      #expect(mutes[0].wearable == nil && mutes[0].until == house.loop.wall + .seconds(3600))
      try await house.pass(.seconds(3500))
      house.hearth.registry.all[0].noteBattery(5, house.hearth.context)
      #expect(told(house).isEmpty)
      try await house.pass(.seconds(101))
      #expect(told(house) == [.batteryCritical] && house.hearth.mutes().isEmpty)
      try await house.stopAndRestart()
      #expect(house.hearth.mutes().isEmpty)
    }
  }

  @Test("troubles of the hub are muted on its LEDs, too")
  func hub() throws {
    try inHouse { house, _ in
      house.start()
      house.hearth.noteConfiguration(HearthError(.configReloadRefused, "x"))
      #expect(house.hearth.status.lightState().configInvalid == .configReloadRefused)
      _ = try await house.hearth.mute(.configReloadRefused, of: nil, until: nil)
      #expect(house.hearth.status.lightState().configInvalid == nil)
      #expect(told(house).isEmpty && muted(house) == [.configReloadRefused])
    }
  }

  @Test("only a muted trouble can be unmuted, a time that is over is refused, and mutes have a bound")
  func refused() throws {
    try inHouse { house, _ in
      house.start()
      func code(_ body: () async throws(HearthError) -> Void) async -> Reason? {
        do throws(HearthError) { try await body() } catch { return error.reason }
        return nil
      }
      _ = try await house.hearth.mute(.batteryCritical, of: nil, until: nil)
      #expect(
        await code { () async throws(HearthError) in
          _ = try await house.hearth.unmute(.batteryCritical, of: "recorder-0")
        } == .controlBadParameter)
      #expect(
        await code { () async throws(HearthError) in
          _ = try await house.hearth.mute(.keyMissing, of: nil, until: house.loop.wall)
        } == .controlBadParameter)
      #expect(
        await code { () async throws(HearthError) in
          _ = try await house.hearth.mute(.keyMissing, of: "nobody", until: nil)
        } == .noSuchWearable)
      for reason in Reason.allCases.filter({ $0 != .batteryCritical }).prefix(Mutes.limit - 1) {
        _ = try await house.hearth.mute(reason, of: nil, until: nil)
      }
      #expect(
        await code { () async throws(HearthError) in
          _ = try await house.hearth.mute(.valueOdd, of: "recorder-0", until: nil)
        } == .storeTableFull)
      #expect(house.hearth.mutes().count == Mutes.limit)
    }
  }

  @Test("whatever the store gives back as mutes is read without harm")
  func hostile() {
    let now = Instant(nanoseconds: 0)
    var mutes = Mutes()
    mutes.all = [Mute(reason: .keyMissing, wearable: WearableID(number: 3), since: VirtualLoop.morning, end: nil)]
    #expect(Mutes(mutes.bytes, now).all == mutes.all)
    for place in mutes.bytes.indices {
      var bytes = mutes.bytes
      bytes[place] ^= 0x40
      #expect(Mutes(bytes, now).all.isEmpty)
      #expect(Mutes(Array(mutes.bytes[..<place]), now).all.isEmpty)
    }
  }
}
