// Earlier rates at the places of a look. If the clock was set back, a place is stored once for each time that it was
// measured. Pure.

import Bluetooth

/// Stored state of a quarter of a day, kept with its item.
///
///     0       layout, 3; layout 1 ends after the places, 2 after the rates
///     1-9     stored places, a bit for each
///     10-18   places of an overlap that were stored since the clock was set back
///     19      number of the overlap
///     20-91   rates that were stored last; 0: unknown
///     92-100  places whose rates were in the future, refused and counted
struct RatesProgress: Sendable, Hashable {
  var stored = PlaceSet(MoyoungRates.count)
  var again = PlaceSet(MoyoungRates.count)
  var number: UInt8 = 0
  var rates = [UInt8](repeating: 0, count: MoyoungRates.count)
  var refused = PlaceSet(MoyoungRates.count)

  private static let layouts: ClosedRange<UInt8> = 1...3
  /// Size of each layout, bytes.
  private static let sizes = [10, 92, 101]

  init(stored: PlaceSet, again: PlaceSet?, number: UInt8) {
    self.stored = stored
    if let again { self.again = again }
    self.number = number
  }

  /// Invalid bytes mean that no place is stored.
  init(_ bytes: [UInt8]) {
    guard let layout = bytes.first, Self.layouts.contains(layout) else { return }
    stored = PlaceSet(MoyoungRates.count, bytes.dropFirst().prefix(9))
    guard layout > 1, bytes.count == Self.sizes[Int(layout) - 1] else { return }
    again = PlaceSet(MoyoungRates.count, bytes[10..<19])
    number = bytes[19]
    rates = Array(bytes[20..<92])
    refused = PlaceSet(MoyoungRates.count, bytes[92...])
  }

  /// Marks a place as not stored if its rate differed from the stored one when the clock was set back. The band was
  /// still measuring there.
  mutating func forget(_ place: Int, standing rate: UInt8?) {
    guard let rate, MoyoungRates.isRate(rate), rates[place] != 0, rates[place] != rate else { return }
    stored[place] = false
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [3]
    bytes += stored.bytes + again.bytes
    bytes.append(number)
    return bytes + rates + refused.bytes
  }
}

/// Rates from before, as a look contains them after its own.
///
///     0-3      time to which the clock was set back, s on the band's clock; 0: no setting back is known
///     4-7      time that it had shown before
///     8        bit 0: this hub set it back; bit 1: stored places have other rates now; bits 2-4: distance from the
///              first place back to the next one measured, if since the clock was set back; 0: no such place, or
///              unknown; bits 5-7: the same distance after the last place
///     9        number of the overlap
///     10-18    places in the overlap that are stored since
///     19-90    rates at the places of the overlap at that time, and the stored rates of the other places; 255: unknown
struct RatesBefore: Sendable, Hashable {
  let from, until: UInt32
  let isKnown, hasChanged: Bool
  let number: UInt8
  let again: PlaceSet
  private let before, behind: UInt8
  private let old: [UInt8]
  /// Flags as they were read, so that they are written unchanged.
  private let flags: UInt8

  private static let unknown: UInt8 = 0xFF
  /// Stored places that must have other rates before that counts as evidence: a band may recompute one.
  private static let leastChanged = 2
  /// Places between two measurements: the longest interval is 30 minutes.
  private static let longestInterval = 6
  /// Adjacent places that may keep their rates by chance. A band that now measures every 20 minutes, and before every
  /// five, leaves three.
  private static let mostSame = 2

  /// - Parameter isTold: whether a place may be stored now.
  /// - Returns: nil if there is no earlier rate to note.
  init?(
    begin: Int64, _ rates: [UInt8], _ progress: RatesProgress, _ overlap: MoyoungOverlap?, readAt: Int64,
    beside: (Int64) -> UInt8?, isTold: (Int) -> Bool
  ) {
    let isOver = { (second: Int64) in second + MoyoungRates.step <= readAt }
    let span = MoyoungRates.step * Int64(MoyoungRates.count)
    let overlap = overlap.flatMap { $0.until > begin && $0.from < begin + span ? $0 : nil }
    var old = [UInt8](repeating: Self.unknown, count: MoyoungRates.count)
    var told: [(place: Int, isOther: Bool)] = []
    var again = overlap == nil || progress.number == overlap?.number ? progress.again : PlaceSet(MoyoungRates.count)
    for place in old.indices {
      let second = begin + Int64(place) * MoyoungRates.step
      if let overlap, overlap.has(second) {
        // Not read at that time: the stored rate is the best that is known.
        let stored = progress.stored[place] && progress.rates[place] != 0 ? progress.rates[place] : Self.unknown
        old[place] = overlap.rate(at: second) ?? stored
        // The place was stored since, so another rate is of a third time.
        if again[place], isTold(place), isOver(second), MoyoungRates.isRate(rates[place]), progress.rates[place] != 0 {
          told.append((place, rates[place] != progress.rates[place]))
        }
      } else if progress.stored[place] {
        // Between two merged overlaps: stored from the only time at which the clock showed it.
        let wasOnce = overlap?.wasShownOnce(second) == true
        if wasOnce { again[place] = true }
        if progress.rates[place] == 0 { continue }
        if !wasOnce { old[place] = progress.rates[place] }
        if isTold(place), isOver(second), MoyoungRates.isRate(rates[place]) {
          told.append((place, rates[place] != progress.rates[place]))
        }
      }
    }
    hasChanged = Self.areOthers(told.map(\.isOther))
    if hasChanged { for place in told where place.isOther { again[place.place] = false } }
    if overlap == nil, !hasChanged { return nil }
    self.old = old
    (from, until) = (UInt32(clamping: overlap?.from ?? 0), UInt32(clamping: overlap?.until ?? 0))
    isKnown = overlap?.isKnown ?? false
    number = overlap?.number ?? progress.number
    self.again = again
    /// Places from an edge of the quarter to the next measured one beyond it, if that was measured since.
    func distance(from edge: Int64, _ step: Int64) -> UInt8 {
      for distance in 1...Self.longestInterval {
        let second = edge + step * Int64(distance) * MoyoungRates.step
        // The band was worn when the clock was set back.
        if step < 0, let overlap, second < overlap.from { return UInt8(distance) }
        guard let overlap, let rate = beside(second) else { return 0 }
        // The clock shows this time for the first time.
        let isFirst = step > 0 && second >= overlap.until || overlap.wasShownOnce(second)
        guard isFirst || overlap.has(second), let old = isFirst ? 0 : overlap.rate(at: second) else { return 0 }
        if MoyoungRates.isRate(rate) { return rate != old && isOver(second) ? UInt8(distance) : 0 }
      }
      return 0
    }
    (before, behind) = (distance(from: begin, -1), distance(from: begin + span - MoyoungRates.step, 1))
    flags = (isKnown ? 1 : 0) | (hasChanged ? 2 : 0) | before << 2 | behind << 5
  }

  /// nil if the bytes are truncated.
  init?(_ reader: inout ByteReader) {
    guard let from = reader.u32(), let until = reader.u32(), let flags = reader.u8(), let number = reader.u8(),
      let again = reader.take(9), let old = reader.take(MoyoungRates.count)
    else { return nil }
    (self.from, self.until, self.number, self.flags) = (from, until, number, flags)
    (isKnown, hasChanged) = (flags & 1 != 0, flags & 2 != 0)
    (before, behind) = (flags >> 2 & 7, flags >> 5)
    self.again = PlaceSet(MoyoungRates.count, again)
    self.old = Array(old)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: from)
    bytes.append(littleEndian: until)
    return bytes + [flags, number] + again.bytes + old
  }

  /// Whether the place that begins at a second existed before and after the clock was set back.
  func has(_ begin: Int64) -> Bool { begin + MoyoungRates.step > Int64(from) && begin < Int64(until) }

  /// Whether most places from the first changed one on have changed: the band was worn while its clock showed these
  /// times again. A band that recomputes a value changes only some.
  private static func areOthers(_ told: [Bool]) -> Bool {
    guard let first = told.firstIndex(of: true), let last = told.lastIndex(of: true) else { return false }
    let others = told[first...last].count { $0 }
    return others >= leastChanged && others * 2 > last - first + 1
  }

  /// Tells for a place outside the overlap whether it was stored with another rate, and its neighbours too.
  func isChanged(_ place: Int, _ rates: [UInt8]) -> Bool {
    hasChanged && old[place] != Self.unknown && rates[place] != old[place]
  }

  /// Returns the earlier rate of a place; nil: unknown.
  func rate(_ place: Int) -> UInt8? { old[place] == Self.unknown ? nil : old[place] }

  /// Whether the rate of a place is unchanged.
  func isSame(_ place: Int, _ rates: [UInt8]) -> Bool { old[place] == rates[place] }

  /// Tells, for a place in the overlap that the clock has shown again, whether its rate was measured since.
  ///
  /// An unchanged rate may be an old one. Then the next measured places before and after it decide, if at most two such
  /// places are adjacent.
  ///
  /// - Parameters:
  ///   - isOver: whether the clock has shown a place again.
  ///   - time: begin of a place on the band's clock, s.
  func isMeasured(_ place: Int, _ rates: [UInt8], isOver: (Int) -> Bool, time: (Int) -> Int64) -> Bool {
    func isOther(_ place: Int) -> Bool { old[place] != rates[place] && isOver(place) }
    if isOther(place) { return true }
    // The clock was set back into this place, so it has not shown its begin again.
    if time(place) < Int64(from) { return false }
    /// Unchanged places between this one and the next that was measured since; nil: no such place.
    func same(_ step: Int) -> Int? {
      var same = 0
      for distance in 1...Self.longestInterval {
        let other = place + step * distance
        guard rates.indices.contains(other) else {
          let edge = Int(step < 0 ? before : behind)
          let reach = (step < 0 ? place : rates.count - 1 - place) + edge
          return edge > 0 && reach <= Self.longestInterval ? same : nil
        }
        // The band was worn when the clock was set back.
        if time(other) < Int64(from) { return same }
        guard MoyoungRates.isRate(rates[other]) else { continue }
        // The clock shows this time for the first time.
        if time(other) >= Int64(until) { return isOver(other) ? same : nil }
        guard isOver(other) else { return nil }
        // A place with an unknown earlier rate counts as measured since.
        if isOther(other) { return same }
        same += 1
      }
      return nil
    }
    guard let ahead = same(-1), let behind = same(1) else { return false }
    return ahead + behind <= Self.mostSame - 1
  }
}
