// What every component of the hub is lent: the world outside, the settings, and the line on which changes are told.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Logging
import RingStore
import Vitals
import Wearable

/// The world of one hub. Holds no component, so that whatever a component lends it to may outlive the hub.
@LoopActor
final class HubContext {
  let loop: any Loop
  let radio: any Radio
  let connector: Connector
  let store: Store
  let logger: Logger
  let drivers: [any WearableDriver]
  let changes: Changes
  /// When this life of the hub began.
  let began: Instant
  var options: HearthOptions
  var phase = HubPhase.starting
  var tally = HubTally()
  /// Troubles of which people do not want to hear.
  var mutes: Mutes
  /// Orders about them are written one after the other.
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

  /// A hub in a cupboard often has no time server, so "not synchronised" alone is no alarm: every sample carries
  /// monotonic evidence. What cannot be right is a date before this software existed, or before the newest live sample
  /// in the store: what was fetched has times of clocks that anybody may have set.
  var clockIsPlausible: Bool {
    if loop.wallIsTrusted { return true }
    if loop.wall < Self.softwareEpoch { return false }
    guard let newest = store.status.newestLive else { return true }
    return loop.wall + .seconds(60) >= newest
  }

  /// 2026-11-01T00:00:00Z, the month of the first release.
  nonisolated static let softwareEpoch = WallTime(microseconds: 1_793_491_200_000_000)

  /// A moment by the clock as it is now.
  func wall(of time: Instant) -> WallTime { loop.wall + (time - loop.now) }

  /// A moment by clocks on the wall here, in hours and minutes.
  func clock(of time: Instant) -> String { clock(of: wall(of: time)) }

  func clock(of time: WallTime) -> String {
    let seconds = time.microseconds / 1_000_000 + Int64(options.timeZone.offset(at: time.microseconds))
    return MonitoringWindow.text(Int(floorRemainder(seconds, 86_400) / 60))
  }

  /// A body as the methods of `Vitals` take it; without facts one of which nothing is known.
  func person(_ facts: BodyFacts?) -> VitalPerson {
    guard let facts else { return VitalPerson() }
    return VitalPerson(facts, on: options.timeZone.date(of: loop.wall.microseconds))
  }

  func driver(id: String) -> (any WearableDriver)? { drivers.first { $0.id == id } }
}
