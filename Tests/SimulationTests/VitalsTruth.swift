// Compares a strap's true packets with the record of a measurement. The record's intervals are those delivered in its
// time, in their order, and its pulse rate is theirs.

import StrapTwin
import Vitals

struct VitalsTruth {
  private struct Interval {
    /// Time of its packet, µs.
    var time: Int64
    /// 1/1024 s.
    var ticks: Int
    /// The packet came together with another: both had waited on the air.
    var isLate: Bool
  }

  private let truth: GroundTruth

  init(_ truth: GroundTruth) { self.truth = truth }

  /// Wall-clock distance to an edge, µs, within which an interval may or may not belong to the measurement. The
  /// distance covers two packets, and the error of a smoothed clock of beats after a late one.
  private static let edge: Int64 = 4_500_000
  /// Limit for packets that are a second apart without delay, µs.
  private static let together: Int64 = 500_000

  /// nil: it is right.
  func fault(of record: MeasurementRecord) -> String? {
    let near = delivered(from: record.start - Self.edge, to: record.end + Self.edge)
    let inside = record.start + Self.edge...max(record.start + Self.edge, record.end - Self.edge)
    func isExpected(_ interval: Interval) -> Bool { inside.contains(interval.time) && !interval.isLate }
    var next: Int?
    for part in parts(of: record) {
      let from = next ?? 0
      guard let first = run(of: part, in: near[from...]) else {
        return "its intervals from \(part.prefix(3)) on are no run of the \(near.count) that were sent about then"
      }
      if let missing = near[from..<first].first(where: isExpected) { return "\(missing) is missing" }
      next = first + part.count
    }
    if let missing = near[(next ?? 0)...].first(where: isExpected) { return "\(missing) is missing" }
    return fault(ofRate: record)
  }

  private func delivered(from start: Int64, to end: Int64) -> [Interval] {
    let entries = truth.entries.filter { (start...end).contains($0.time.microseconds) }
    var found: [Interval] = []
    for (place, entry) in entries.enumerated() where entry.hasContact && entry.rate > 0 {
      let time = entry.time.microseconds
      func isBeside(_ other: Int) -> Bool {
        entries.indices.contains(other) && abs(entries[other].time.microseconds - time) < Self.together
      }
      let isLate = isBeside(place - 1) || isBeside(place + 1)
      for ticks in truth.intervals(of: entry) { found.append(Interval(time: time, ticks: Int(ticks), isLate: isLate)) }
    }
    return found
  }

  /// Stretch by stretch. Packets that waited and came together mix their beats, and some fall beyond an edge. A beat
  /// missing there is missing between two stretches.
  private func parts(of record: MeasurementRecord) -> [[Int]] {
    var parts: [[Int]] = []
    for interval in record.intervals {
      if parts.isEmpty || interval.flags.contains(.beginsStretch) { parts.append([]) }
      parts[parts.count - 1].append(ticks(interval))
    }
    return parts
  }

  private func ticks(_ interval: RecordedInterval) -> Int {
    Int((Double(interval.microseconds) * 1024 / 1_000_000).rounded())
  }

  private func run(of told: [Int], in sent: ArraySlice<Interval>) -> Int? {
    guard sent.count >= told.count else { return nil }
    return (sent.startIndex...(sent.endIndex - told.count)).first { place in
      zip(told, sent[place...]).allSatisfy { $0 == $1.ticks }
    }
  }

  /// If no interval was corrected or dropped, the rate is 60,000 divided by the mean.
  private func fault(ofRate record: MeasurementRecord) -> String? {
    guard record.artefactShare == 0, let rate = record.results.first(where: { $0.name == "pulse_rate" }) else {
      return nil
    }
    let sum = record.intervals.reduce(0) { $0 + ticks($1) }
    let due = 60 * 1024 * Double(record.intervals.count) / Double(sum)
    return abs(rate.value - due) > 1e-6 * due ? "its pulse rate is \(rate.value), and should be \(due)" : nil
  }
}
