// Requests and commands of an insole over one link: state, clock, commands.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Client of one insole while its link is up, shared by session and file domain.
@LoopActor
final class InsoleClient {
  let link: any WearableLink
  /// Time of the last setting of the clock on this link, monotonic ns.
  private var clockSetAt: Int64?
  /// The clock was set on this link and accepted the time: it is set again every two minutes.
  private var isClockKept = false
  /// Era of the clock set on this link.
  private var eraOfLink: InsoleEra?
  private var uptimeSeen: (seconds: UInt32, monotonic: Int64)?

  /// Well below the 512 s after which the clock falls back.
  static let clockInterval: Duration = .seconds(120)
  /// Seconds by which a clock that was just set may differ.
  static let clockTolerance: Int64 = 2
  /// Pause between two commands, which the link enforces (`BotzDriver.writePaces`), and between a command and the check
  /// of its result.
  nonisolated static let pacing: Duration = .milliseconds(500)

  init(_ link: any WearableLink) { self.link = link }

  // MARK: state

  /// Status and uptime in one read; only the status if this build has no pack.
  func readStatusPack() async throws(VisitTrouble) -> (status: Botz.StatusWord, pack: Botz.StatusPack?) {
    guard let bytes = try await readIfPresent(Botz.Information.statusPack),
      let pack = bytes.withUnsafeBytes({ try? Botz.StatusPack($0) })
    else {
      return (try await readStatus(), nil)
    }
    uptimeSeen = (pack.uptime, link.hubTime.monotonic)
    return (pack.status, pack)
  }

  /// - Throws: `unsupported` if the status is missing or unreadable.
  func readStatus() async throws(VisitTrouble) -> Botz.StatusWord {
    guard let bytes = try await readIfPresent(Botz.Information.status) else {
      throw .unsupported("an insole without its status")
    }
    guard let status = bytes.withUnsafeBytes({ try? Botz.StatusWord($0) }) else {
      throw .unsupported("a status of \(bytes.count) bytes")
    }
    return status
  }

  /// The newest file as announced; nil without a file, or without an announcement.
  func readNewestFile() async throws(VisitTrouble) -> Botz.FileNumber? {
    guard let bytes = try await readIfPresent(Botz.Information.newestFile) else { return nil }
    return bytes.withUnsafeBytes { try? Botz.NewestFile($0) }?.number
  }

  // MARK: clock

  /// Reading of the clock, and the time that it shows, in s.
  private struct Reading {
    let evidence: ClockEvidence
    let shown: Int64
    /// Whether the clock follows a setting of this hub.
    let isOurs: Bool

    var fallen: Int64 { evidence.device - shown * 1_000_000 }
  }

  /// Reads the clock beside the hub's, at the middle of the request; nil if it cannot be read.
  private func clockReading() async throws(VisitTrouble) -> Reading? {
    let before = link.hubTime
    guard let bytes = try await readIfPresent(Botz.Information.currentTime) else { return nil }
    let after = link.hubTime
    guard let time = bytes.withUnsafeBytes({ try? Botz.CurrentTime($0) }) else {
      link.note("a clock that shows no time")
      return nil
    }
    let delay = max(0, after.monotonic - before.monotonic) / 2
    let wall = after.wall.microseconds - delay / 1000
    let ours = era?.unwrapped(time.seconds, at: after.monotonic - delay)
    let seconds = ours ?? Self.unwrapped(time.seconds, hub: wall / 1_000_000, uptime: uptime(at: after.monotonic))
    let evidence = ClockEvidence(
      device: seconds * 1_000_000, monotonic: after.monotonic - delay, wall: wall, isTrusted: after.isTrusted)
    return Reading(evidence: evidence, shown: time.seconds, isOurs: ours != nil)
  }

  /// Seconds since 1970 as shown, falls included; nil if the clock cannot be read.
  func shownTime() async throws(VisitTrouble) -> Int64? { try await clockReading()?.shown }

  private func uptime(at monotonic: Int64) -> Int64? {
    uptimeSeen.map { Int64($0.seconds) + max(0, monotonic - $0.monotonic) / 1_000_000_000 }
  }

  /// Time without the falls of 512 s: the one with which files are decoded.
  ///
  /// A clock that was never set since the start has counted from `bootTime` on, for the uptime. A clock that was set is
  /// behind the hub's by whole falls and a little drift. A clock that fits neither was set otherwise, and is taken
  /// unchanged.
  nonisolated static func unwrapped(_ device: Int64, hub: Int64, uptime: Int64?) -> Int64 {
    let wrap = Int64(Botz.clockWrap)
    let boot = Int64(Botz.bootTime)
    if let uptime, (boot - 2...boot + wrap + 2).contains(device) {
      // Only if both agree: another device may have set the clock to that very day.
      let expected = boot + uptime % wrap
      let distance = abs(device - expected)
      if min(distance, wrap - distance) <= 4 { return boot + uptime }
    }
    let behind = hub - device
    guard behind > wrap / 2 else { return device }
    let falls = (behind + wrap / 2) / wrap
    // 10 s, and 100 parts per million of drift since the setting, up to a limit.
    guard abs(behind - falls * wrap) <= 10 + min(100, behind / 10_000) else { return device }
    return device + falls * wrap
  }

  /// Clock as reported; nil if it cannot be read.
  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    try await clockReading().map { DeviceClock(evidence: $0.evidence, fallen: $0.fallen) }
  }

  /// Era of the hub's setting since its machine was started, over any link; nil: unknown.
  private var era: InsoleEra? { eraOfLink ?? link.remembered(InsoleEra.self)?.ofBoot(link.hubTime) }

  /// Reads the clock, sets it, reads it back; once more if it does not show the time that was set.
  func setClock() async throws(VisitTrouble) -> DeviceClock? {
    isClockKept = false
    guard let before = try await clockReading() else { return nil }
    let untouched = DeviceClock(evidence: before.evidence, fallen: before.fallen)
    guard link.database.characteristic(Botz.Control.setTime, in: Botz.Control.service) != nil else { return untouched }
    // A hub without the time leaves a clock that another device set, but carries on its own setting.
    let isUnset = (Int64(Botz.bootTime) - 2...Int64(Botz.bootTime) + Int64(Botz.clockWrap) + 2).contains(before.shown)
    let carriesOn = before.isOurs && !link.hubTime.isTrusted
    guard link.hubTime.isTrusted || isUnset || carriesOn else {
      link.note("its clock was not set: the hub's own is not trusted, and it was not set by this hub")
      return untouched
    }
    if !carriesOn {
      try await link.clockWillMove(from: before.evidence, to: link.hubTime.wall.microseconds)
      eraOfLink = InsoleEra(link.hubTime)
    }
    for _ in 0..<2 {
      let given = try await writeTime(era)
      guard let after = try await clockReading() else { break }
      let expected = given.time + (link.hubTime.monotonic - given.monotonic) / 1000
      if abs(after.shown - expected / 1_000_000) <= Self.clockTolerance {
        isClockKept = true
        try remember()
        return DeviceClock(evidence: before.evidence, wasSet: true, afterwards: after.evidence, fallen: after.fallen)
      }
    }
    link.note("its clock does not take the time")
    eraOfLink = nil
    return untouched
  }

  /// Stored only after a change, since each costs a write to the card.
  private func remember() throws(VisitTrouble) {
    guard let era, !era.isAbout(link.remembered(InsoleEra.self)?.ofBoot(link.hubTime)) else { return }
    try link.remember(era)
  }

  /// - Parameter era: carried on by the monotonic clock; nil: the hub's wall clock.
  /// - Returns: the written time (µs), and the moment of writing.
  @discardableResult
  private func writeTime(_ era: InsoleEra?) async throws(VisitTrouble) -> (time: Int64, monotonic: Int64) {
    var attempt = 1
    while true {
      var written = (time: Int64(0), monotonic: Int64(0))
      do throws(VisitTrouble) {
        try await write(to: Botz.Control.setTime) { () throws(VisitTrouble) in
          let now = link.hubTime
          written = (era?.time(at: now.monotonic) ?? now.wall.microseconds, now.monotonic)
          // Rounded to the nearest second.
          return Botz.ControlWrite.setTime(
            Botz.SetTime(seconds: UInt32(clamping: (written.time + 500_000) / 1_000_000))
          ).encode()
        }
        clockSetAt = link.hubTime.monotonic
        return written
      } catch {
        // A queue of the insole is full. A repetition must carry a new time.
        guard case .refused(let code, _) = error, code == .unlikelyError || code == .insufficientResources, attempt < 3
        else { throw error }
        attempt += 1
        try await link.settle(for: .seconds(1))
      }
    }
  }

  /// Sets the clock again two minutes after the last setting by this hub. A trusted hub clock is used, else the earlier
  /// setting is carried on.
  func keepClock(always: Bool = false) async throws(VisitTrouble) {
    guard isClockKept, let clockSetAt else { return }
    guard always || link.hubTime.monotonic - clockSetAt >= Self.clockInterval.wholeNanoseconds else { return }
    if link.hubTime.isTrusted { try await beginEra() }
    try await writeTime(era)
    try remember()
  }

  /// Begins a new era if the hub's own clock was set since the insole's.
  private func beginEra() async throws(VisitTrouble) {
    if let next = InsoleEra(link.hubTime), !next.isAbout(era), let shown = try await clockReading() {
      try await link.clockWillMove(from: shown.evidence, to: link.hubTime.wall.microseconds)
    }
    eraOfLink = InsoleEra(link.hubTime)
  }

  // MARK: requests

  /// Reads a value. Builds until August 2025 require an encrypted link, which is requested once.
  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] {
    do throws(VisitTrouble) { return try await link.read(characteristic) } catch {
      guard error.wantsSecurity, !link.isSecured else { throw error }
      try await link.secure()
      return try await link.read(characteristic)
    }
  }

  /// nil if this build lacks the characteristic, or refuses to read it.
  func readIfPresent(_ characteristic: BluetoothUUID) async throws(VisitTrouble) -> [UInt8]? {
    guard let found = link.database.characteristic(characteristic, in: Botz.Information.service) else { return nil }
    do throws(VisitTrouble) { return try await read(found) } catch {
      guard case .refused = error else { throw error }
      link.note("a value of the insole could not be read")
      return nil
    }
  }

  /// Writes a command to its characteristic in the Control service only, and only once. Every write to Start and Stop
  /// has side effects, even one that is refused because a queue is full.
  ///
  /// - Parameter check: checks the insole's state right before the write; it may read. If it throws, the command is not
  ///   written.
  func command(_ command: Botz.ControlWrite, after check: () async throws(VisitTrouble) -> Void = {})
    async throws(VisitTrouble)
  {
    try await write(to: command.characteristic) { () throws(VisitTrouble) in
      try await check()
      return command.encode()
    }
  }

  private func write(to uuid: BluetoothUUID, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  {
    guard let characteristic = link.database.characteristic(uuid, in: Botz.Control.service) else {
      throw .unsupported("this build does not take that command")
    }
    do throws(VisitTrouble) { try await link.writeOnce(characteristic, value) } catch {
      guard error.wantsSecurity, !link.isSecured else { throw error }
      try await link.secure()
      try await link.writeOnce(characteristic, value)
    }
  }
}
