// What every component of the hub shares: radio, store, settings, and the notifications of changes.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Logging
import RingStore
import Vitals
import Wearable

/// The surroundings of one hub. Holds no component, so an object that a component gives it to may outlive the hub.
@LoopActor
final class HubContext {
  let loop: any Loop
  let radio: any Radio
  let connector: Connector
  let store: Store
  let logger: Logger
  let drivers: [any WearableDriver]
  let changes: Changes
  /// Time when this life of the hub began.
  let began: Instant
  var options: HearthOptions
  var phase = HubPhase.starting
  var tally = HubTally()
  /// Troubles that are muted for people.
  var mutes: Mutes
  /// Serialises orders about muting.
  let mutesTurn = Turn()

  init(
    _ options: HearthOptions, loop: any Loop, radio: any Radio, store: Store, logger: Logger,
    drivers: [any WearableDriver]
  ) {
    self.options = options
    self.loop = loop
    self.radio = radio
    connector = Connector(loop: loop, radio: radio)
    self.store = store
    self.logger = logger
    self.drivers = drivers
    changes = Changes(loop)
    began = loop.now
    mutes = (try? store.hubOrders()).flatMap { $0 }.map { Mutes($0, loop.now) } ?? Mutes()
  }

  /// Whether the hub's clock can be right. "Not synchronised" alone is no alarm: a hub in a cupboard often has no time
  /// server, and every sample carries monotonic evidence. Impossible is a date before this software existed, or before
  /// the newest live sample in the store. Fetched samples do not count, as their times come from clocks that any app
  /// may have set.
  var clockIsPlausible: Bool {
    if loop.wallIsTrusted { return true }
    if loop.wall < Self.softwareEpoch { return false }
    guard let newest = store.status.newestLive else { return true }
    return loop.wall + .seconds(60) >= newest
  }

  /// 2026-11-01T00:00:00Z, the month of the first release.
  nonisolated static let softwareEpoch = WallTime(microseconds: 1_793_491_200_000_000)

  /// Time of a moment by the clock as it is set now.
  func wall(of time: Instant) -> WallTime { loop.wall + (time - loop.now) }

  /// Local time of a moment, in hours and minutes.
  func clock(of time: Instant) -> String { clock(of: wall(of: time)) }

  func clock(of time: WallTime) -> String {
    let seconds = time.microseconds / 1_000_000 + Int64(options.timeZone.offset(at: time.microseconds))
    return MonitoringWindow.text(Int(floorRemainder(seconds, 86_400) / 60))
  }

  /// A person for the methods of `Vitals`; without facts all of it is unknown.
  func person(_ facts: BodyFacts?) -> VitalPerson {
    guard let facts else { return VitalPerson() }
    return VitalPerson(facts, on: options.timeZone.date(of: loop.wall.microseconds))
  }

  func driver(id: String) -> (any WearableDriver)? { drivers.first { $0.id == id } }
}
