// Compares live values of Polar's wearables with the store: in order, and only a kill may cost the last of them.

import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation

/// Checks every day and forgets what it has judged.
@LoopActor
final class PolarLiveJudge {
  /// Violations, at most twenty.
  private(set) var violations: [String] = []
  private(set) var matched = 0
  /// Losses by each kill.
  private(set) var losses: [(at: Instant, count: Int)] = []
  /// Heart rates that came without a link.
  private(set) var advertised = 0

  /// The store holds live times in whole milliseconds, rounded down, the truth in whole microseconds: µs.
  private static let liveStep: Int64 = 1000
  /// A more recent delivery may still be on its way.
  private static let onItsWay: Duration = .seconds(5)
  /// Limit of the hub's clock being stepped back since the last check, µs.
  private static let lead: Int64 = 3_600_000_000

  private let hub: SimulatedHub
  private var lines: [Line]
  /// The hub's clock at the last check.
  private var since: WallTime?

  /// Heart rates or intervals of one wearable that are still to be compared.
  private struct Line {
    let guest: PolarGuest
    let series: Series
    var beats: [PolarBeat] = []
    var stored: ArraySlice<StoredSample> = []
    /// Ordinal in its ring of the next one to read.
    var next: UInt64 = 0
    var isBroken = false
    /// Second of the last heart rate, over a link or not.
    var second = Int.min

    func value(_ beat: PolarBeat) -> Int64 { series == .heartRate ? Int64(beat.rate) : Int64(beat.interval) }
  }

  init(_ hub: SimulatedHub, _ guests: [PolarGuest]) {
    self.hub = hub
    lines = guests.flatMap { guest in [Series.heartRate, .rrInterval].map { Line(guest: guest, series: $0) } }
  }

  /// - Parameter isLast: all deliveries have arrived.
  func look(isLast: Bool = false) async throws {
    try await hub.store.flush()
    let now = hub.world.loop.now
    let wall = hub.world.loop.wall
    for first in stride(from: lines.startIndex, to: lines.endIndex, by: 2) {
      let beats = lines[first].guest.twin.takeBeats()
      lines[first].beats += beats
      lines[first + 1].beats += beats.filter { $0.interval > 0 }
    }
    for index in lines.indices {
      lines[index] = try await read(lines[index])
      compare(&lines[index], until: isLast ? now : now - Self.onItsWay)
      if isLast { passAdvertised(&lines[index], before: nil) }
      if isLast, !lines[index].isBroken, !lines[index].stored.isEmpty {
        report(lines[index], "the store has \(lines[index].stored.count) values that were never delivered")
      }
    }
    since = wall
  }

  /// Adds what the store has by now.
  private func read(_ line: Line) async throws -> Line {
    var line = line
    guard let wearable = hub.store.wearables.first(where: { $0.name == line.guest.name })?.id else {
      report(line, "it is not enrolled any more")
      return line
    }
    let session = try await hub.store.export(
      SampleQuery(
        wearables: [wearable], series: [line.series],
        since: since.map { WallTime(microseconds: $0.microseconds - Self.lead) }))
    while let page = try await session.next(limit: 10_000) {
      for sample in page.samples where sample.way == .live && sample.ordinal >= line.next {
        line.stored.append(sample)
        line.next = sample.ordinal + 1
      }
    }
    return line
  }

  private func compare(_ line: inout Line, until moment: Instant) {
    var done = 0
    defer { line.beats.removeFirst(done) }
    for beat in line.beats {
      guard beat.at <= moment, !line.isBroken else { break }
      done += 1
      passAdvertised(&line, before: beat)
      let value = line.value(beat)
      let time = beat.wall.microseconds
      if let found = line.stored.first, found.value == value,
        (-1...Self.liveStep).contains(time - found.time.microseconds)
      {
        line.stored.removeFirst()
        matched += 1
      } else if let kill = hub.watch.kills.first(where: { beat.at <= $0.at && $0.at - beat.at <= $0.window }) {
        if let place = losses.firstIndex(where: { $0.at == kill.at }) {
          losses[place].count += 1
        } else {
          losses.append((kill.at, 1))
        }
      } else {
        let found = line.stored.first.map { "\($0.value) at \($0.time.microseconds)" } ?? "the end"
        report(line, "\(value) at \(time) was delivered, the store has \(found)")
        line.isBroken = true
      }
    }
    if line.isBroken { (line.beats, line.stored, done) = ([], [], 0) }
  }

  /// Skips advertised heart rates before a beat: each is of another second, and of no second that has a beat.
  private func passAdvertised(_ line: inout Line, before beat: PolarBeat?) {
    guard line.series == .heartRate, line.guest.twin.traits.broadcastsHeartRate else { return }
    while let found = line.stored.first {
      // The store holds that time to 10 ms, so the next second may have begun meanwhile.
      let seconds = [found.monotonic, found.monotonic + .milliseconds(10)].map { Int($0.nanoseconds / 1_000_000_000) }
      let twin = line.guest.twin
      let last = line.second
      guard
        let second = seconds.first(where: { second in
          second > last && beat.map { second < $0.second } ?? true && found.value == Int64(twin.measured(in: second))
        })
      else { break }
      line.second = second
      line.stored.removeFirst()
      advertised += 1
    }
    if let beat { line.second = max(line.second, beat.second) }
  }

  private func report(_ line: Line, _ what: String) {
    if violations.count < HubWatch.violationLimit {
      violations.append("\(line.guest.name) live \(line.series.name): \(what)")
    }
  }
}
