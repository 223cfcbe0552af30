// What is asked of an insole and written to it over one link: its state, its clock, its commands.

import Bluetooth
import EventLoop
import Health
import Wearable

/// One insole while its link is up. Session and file domain share it.
@LoopActor
final class InsoleClient {
  let link: any WearableLink
  /// When the clock was last set on this link, monotonic ns.
  private var clockSetAt: Int64?
  /// It was set on this link and took it: it is set again every two minutes.
  private var isClockKept = false
  /// What it was set to on this link.
  private var eraOfLink: InsoleEra?
  private var uptimeSeen: (seconds: UInt32, monotonic: Int64)?

  /// Well below the 512 s after which the clock falls back.
  static let clockInterval: Duration = .seconds(120)
  /// Seconds by which a clock that was just set may differ.
  static let clockTolerance: Int64 = 2
  /// From one command to the next, which the link keeps (`BotzDriver.writePaces`), and from a command to the look at
  /// what came of it.
  nonisolated static let pacing: Duration = .milliseconds(500)

  init(_ link: any WearableLink) { self.link = link }

  // MARK: state

  /// Status and uptime in one read; the status alone where this build has no pack.
  func readStatusPack() async throws(VisitTrouble) -> (status: Botz.StatusWord, pack: Botz.StatusPack?) {
    guard let bytes = try await readIfPresent(Botz.Information.statusPack),
      let pack = bytes.withUnsafeBytes({ try? Botz.StatusPack($0) })
    else {
      return (try await readStatus(), nil)
    }
    uptimeSeen = (pack.uptime, link.hubTime.monotonic)
    return (pack.status, pack)
  }

  /// - Throws: `unsupported` where there is none, or none that can be read: it only describes.
  func readStatus() async throws(VisitTrouble) -> Botz.StatusWord {
    guard let bytes = try await readIfPresent(Botz.Information.status) else {
      throw .unsupported("an insole without its status")
    }
    guard let status = bytes.withUnsafeBytes({ try? Botz.StatusWord($0) }) else {
      throw .unsupported("a status of \(bytes.count) bytes")
    }
    return status
  }

  /// The newest file as announced; nil if there is none, or if it is not told.
  func readNewestFile() async throws(VisitTrouble) -> Botz.FileNumber? {
    guard let bytes = try await readIfPresent(Botz.Information.newestFile) else { return nil }
    return bytes.withUnsafeBytes { try? Botz.NewestFile($0) }?.number
  }

  // MARK: clock

  /// A reading, and what the clock shows, in s.
  private struct Reading {
    let evidence: ClockEvidence
    let shown: Int64
    /// It is the clock that this hub has set.
    let isOurs: Bool

    var fallen: Int64 { evidence.device - shown * 1_000_000 }
  }

  /// The clock beside the hub's, taken in the middle of the request; nil if it cannot be read.
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

  /// Seconds since 1970 as it shows them, falls and all; nil if it cannot be read.
  func shownTime() async throws(VisitTrouble) -> Int64? { try await clockReading()?.shown }

  private func uptime(at monotonic: Int64) -> Int64? {
    uptimeSeen.map { Int64($0.seconds) + max(0, monotonic - $0.monotonic) / 1_000_000_000 }
  }

  /// What the clock would show had it not fallen back every 512 s: the time in which files are decoded.
  ///
  /// A clock that nobody set since the start has counted from `bootTime` on, as long as the uptime says. One that was
  /// set is behind the hub's by whole falls and a little drift. What fits neither is taken as it is: somebody set it
  /// otherwise.
  nonisolated static func unwrapped(_ device: Int64, hub: Int64, uptime: Int64?) -> Int64 {
    let wrap = Int64(Botz.clockWrap)
    let boot = Int64(Botz.bootTime)
    if let uptime, (boot - 2...boot + wrap + 2).contains(device) {
      // Only if the two tell the same: somebody may have set it to that very day.
      let expected = boot + uptime % wrap
      let distance = abs(device - expected)
      if min(distance, wrap - distance) <= 4 { return boot + uptime }
    }
    let behind = hub - device
    guard behind > wrap / 2 else { return device }
    let falls = (behind + wrap / 2) / wrap
    // 10 s, and 100 parts per million of drift since the clock was set, as long as that tells anything.
    guard abs(behind - falls * wrap) <= 10 + min(100, behind / 10_000) else { return device }
    return device + falls * wrap
  }

  /// As it says; nil if it cannot be read.
  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    try await clockReading().map { DeviceClock(evidence: $0.evidence, fallen: $0.fallen) }
  }

  /// What the hub has set it to since its machine was started, over whichever link; nil: nothing that is known.
  private var era: InsoleEra? { eraOfLink ?? link.remembered(InsoleEra.self)?.ofBoot(link.hubTime) }

  /// Reads the clock, sets it, reads it back; once more if it does not show what it was set to.
  func setClock() async throws(VisitTrouble) -> DeviceClock? {
    isClockKept = false
    guard let before = try await clockReading() else { return nil }
    let untouched = DeviceClock(evidence: before.evidence, fallen: before.fallen)
    guard link.database.characteristic(Botz.Control.setTime, in: Botz.Control.service) != nil else { return untouched }
    // A hub that does not know the time may not spoil a clock that somebody has set; what it set itself it carries on.
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

  /// A change costs a write to the card.
  private func remember() throws(VisitTrouble) {
    guard let era, !era.isAbout(link.remembered(InsoleEra.self)?.ofBoot(link.hubTime)) else { return }
    try link.remember(era)
  }

  /// - Parameter era: carried on by the monotonic clock; nil: the hub's wall clock.
  /// - Returns: what was written (µs), and when.
  @discardableResult
  private func writeTime(_ era: InsoleEra?) async throws(VisitTrouble) -> (time: Int64, monotonic: Int64) {
    var attempt = 1
    while true {
      var written = (time: Int64(0), monotonic: Int64(0))
      do throws(VisitTrouble) {
        try await write(to: Botz.Control.setTime) { () throws(VisitTrouble) in
          let now = link.hubTime
          written = (era?.time(at: now.monotonic) ?? now.wall.microseconds, now.monotonic)
          // To the nearest second.
          return Botz.ControlWrite.setTime(
            Botz.SetTime(seconds: UInt32(clamping: (written.time + 500_000) / 1_000_000))
          ).encode()
        }
        clockSetAt = link.hubTime.monotonic
        return written
      } catch {
        // A queue is full. Written again it would be another time.
        guard case .refused(let code, _) = error, code == .unlikelyError || code == .insufficientResources, attempt < 3
        else { throw error }
        attempt += 1
        try await link.settle(for: .seconds(1))
      }
    }
  }

  /// Sets the clock again where this hub has set it and two minutes have passed: by the hub's own clock where that is
  /// trusted, else as it was set.
  func keepClock(always: Bool = false) async throws(VisitTrouble) {
    guard isClockKept, let clockSetAt else { return }
    guard always || link.hubTime.monotonic - clockSetAt >= Self.clockInterval.wholeNanoseconds else { return }
    if link.hubTime.isTrusted { try await beginEra() }
    try await writeTime(era)
    try remember()
  }

  /// The hub's own clock may have been set since this one was.
  private func beginEra() async throws(VisitTrouble) {
    if let next = InsoleEra(link.hubTime), !next.isAbout(era), let shown = try await clockReading() {
      try await link.clockWillMove(from: shown.evidence, to: link.hubTime.wall.microseconds)
    }
    eraOfLink = InsoleEra(link.hubTime)
  }

  // MARK: requests

  /// Builds until August 2025 want an encrypted link: it is asked for once, and then it is as it is.
  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] {
    do throws(VisitTrouble) { return try await link.read(characteristic) } catch {
      guard error.wantsSecurity, !link.isSecured else { throw error }
      try await link.secure()
      return try await link.read(characteristic)
    }
  }

  /// nil where this build does not have it, or refuses to tell.
  func readIfPresent(_ characteristic: BluetoothUUID) async throws(VisitTrouble) -> [UInt8]? {
    guard let found = link.database.characteristic(characteristic, in: Botz.Information.service) else { return nil }
    do throws(VisitTrouble) { return try await read(found) } catch {
      guard case .refused = error else { throw error }
      link.note("a value of the insole could not be read")
      return nil
    }
  }

  /// Writes a command to its characteristic in the Control service, and nowhere else; once, because every write to
  /// Start and Stop does something, also one that is refused for want of a place in a queue.
  ///
  /// - Parameter check: looks whether the insole is as it must be, when nothing else is written any more before it; it
  ///   may read. Where it throws, nothing is written.
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
