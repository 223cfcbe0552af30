// Offsets of a band's clock from UTC over time, which give the times of its records a meaning.

import Bluetooth
import Health
import StateCodec

/// Evidence from records that another program had set the clock. All times in µs.
struct ForeignClock: Sendable, Hashable {
  /// Time of the first of these records, by the hub's clock.
  let from: Int64
  let ahead: Int64
  /// Time from which the hub's own setting is doubtful.
  let doubtedFrom: Int64
  /// End of the last record that this hub's setting explains. Between it and the first of the foreign records, either
  /// clock may have dated records of other kinds.
  let lastBefore: Int64
  /// End, if records of yet another clock follow; nil: this hub's own setting ended it.
  var until: Int64?
}

/// Eras of one clock, oldest first. The last one is in force.
struct ClockEras: Sendable, Hashable {
  private(set) var all: [ClockEra] = []

  /// Maximum eras: two changes of season a year, and three eras for each time that another program set the clock.
  static let limit = 12

  var inForce: ClockEra? { all.last }
  /// Setting that the band acknowledged last. A newer one may be in flight.
  var acknowledged: ClockEra? { all.first { $0.until == .max } }

  /// Begins an era before the hub sends the time. From now on the new offset is possible; until `taken` the old one is
  /// too.
  mutating func begin(ahead: Int64, at wall: Int64) {
    // A hub clock that was set back says no more about records made since.
    for place in all.indices {
      all[place].reached = all[place].reached.filter { $0.value.at <= wall }
      all[place].newest = all[place].newest.filter { $0.value.at <= wall }
      let shown = wall.saturatingAdd(all[place].ahead - HistoryPlacing.minute)
      all[place].forgotten = all[place].forgotten.filter { $0.value <= shown }
    }
    if all.isEmpty { all = [ClockEra(from: .min, until: .max, ahead: ahead, isSure: false)] }
    if let inForce, inForce.ahead == ahead, inForce.isSure { return }
    append([ClockEra(from: wall, until: .max, ahead: ahead, isSure: true)])
  }

  /// Ends the earlier eras, since the band has acknowledged the time.
  mutating func taken(at wall: Int64) {
    for place in all.indices.dropLast() where all[place].until == .max { all[place].until = wall }
  }

  /// Notes the reach of a kind's transfer, by the clock in force. Later records belong to that era or a later one.
  ///
  /// - Returns: whether that is news worth storing.
  mutating func note(_ reach: HistoryReach, of code: UInt8) -> Bool {
    guard let last = all.indices.last, reach.at >= all[last].from else { return false }
    let known = all[last].newest[code] ?? all[last].reached[code]
    guard let known, reach.at > known.at || reach.tail != known.tail else {
      if known == nil { keep(reach, of: code, in: last) }
      return known == nil
    }
    // A later moment is more precise. Without new records it helps only if the clock shows a time that it showed
    // before.
    let isNews = reach.tail != known.tail || showsAgain(reach.at)
    if isNews { keep(reach, of: code, in: last) }
    return isNews
  }

  /// Notes that the band erased all records of a kind: its next ones are later.
  ///
  /// - Parameter newest: last item with a sure time, by the band's clock and by the hub's, µs; nil if no time is sure.
  mutating func emptied(_ code: UInt8, at wall: Int64, newest: (shown: Int64, time: Int64)?) {
    guard let last = all.indices.last, wall >= all[last].from else { return }
    keep(HistoryReach(at: wall), of: code, in: last)
    guard let newest else { return }
    let dated = all.lastIndex { era in
      era.isSure && era.ahead == newest.shown.saturatingAdd(-newest.time)
        && era.from <= newest.time.saturatingAdd(HistoryPlacing.slack)
    }
    if let dated { all[dated].forgotten[code] = newest.shown }
  }

  /// Newest item of a kind that the band erased: its era, and its time on the band's clock, µs.
  func forgotten(_ code: UInt8) -> (era: Int, shown: Int64)? {
    guard let era = all.lastIndex(where: { $0.forgotten[code] != nil }), let shown = all[era].forgotten[code] else {
      return nil
    }
    return (era, shown)
  }

  private mutating func keep(_ reach: HistoryReach, of code: UInt8, in last: Int) {
    // Keep the first reach of an era, because the records that follow it keep their times.
    var first = all[last].reached[code]
    if reach.tail == nil {
      for place in all.indices { (all[place].reached[code], all[place].newest[code]) = (nil, nil) }
      first?.tail = nil
    }
    all[last].reached[code] = first ?? reach
    if first != nil { all[last].newest[code] = reach }
  }

  /// Whether at a moment of the hub's clock (µs) the band shows a time that it may have shown in an earlier era.
  private func showsAgain(_ wall: Int64) -> Bool {
    guard let inForce else { return false }
    let shown = wall.saturatingAdd(inForce.ahead)
    return all.dropLast().contains { era in
      era.ahead != inForce.ahead && shown < era.until.saturatingAdd(era.ahead).saturatingAdd(HistoryPlacing.slack)
    }
  }

  /// Reaches of a kind, by the index of their era, oldest first. A reach is firm if this hub had set the clock before
  /// that era. Otherwise records from before the first setting, dated by an unknown clock, may still come. `isFirst`:
  /// first reach of its era, else the last.
  func reaches(of code: UInt8) -> [(era: Int, reach: HistoryReach, isFirm: Bool, isFirst: Bool)] {
    all.indices.flatMap { place in
      let isFirm = all[..<place].contains(where: \.isSure)
      let first = all[place].reached[code].map { (place, $0, isFirm, true) }
      let last = all[place].newest[code].map { (place, $0, isFirm, false) }
      return [first, last].compactMap { $0 }
    }
  }

  /// Inserts the era of another program's setting, which ended when this hub set the clock again.
  ///
  /// - Parameter base: index of the era that was in force before.
  mutating func insert(_ foreign: ForeignClock, at base: Int, setAt: Int64) {
    guard all.indices.contains(base) else { return }
    var own = all[base]
    // Before the first setting every offset was unknown.
    if !all[...base].contains(where: \.isSure), foreign.ahead > own.ahead {
      if own.from != .min { all[base].from = own.from.saturatingAdd(own.ahead - foreign.ahead) }
      all[base].ahead = foreign.ahead
      return
    }
    let after = ClockEra(from: setAt, until: own.until, ahead: own.ahead, isSure: own.isSure)
    let end = min(own.until, max(own.from, foreign.doubtedFrom))
    let over = max(end, foreign.lastBefore, foreign.from)
    let doubted = ClockEra(from: end, until: over, ahead: own.ahead, isSure: false, isGuess: own.isGuess)
    own.until = end
    let other = ClockEra(
      from: min(foreign.from, max(own.from, foreign.lastBefore)), until: foreign.until ?? setAt, ahead: foreign.ahead,
      isSure: false, isGuess: true)
    var more = doubted.from < doubted.until ? [own, doubted, other] : [own, other]
    if base == all.count - 1 { more.append(after) }
    all.replaceSubrange(base...base, with: more)
    if all.count > Self.limit { all.removeFirst(all.count - Self.limit) }
  }

  /// Replaces the era before the first setting by these clocks, oldest first. Each has an offset, the time of its first
  /// item, and the longest distance to the item before it, all in µs. `isGuess`: the offset is an estimate.
  mutating func replaceFirst(_ clocks: [(ahead: Int64, from: Int64, step: Int64, isGuess: Bool)]) {
    guard let first = all.first, first.isOfBefore else { return }
    var eras: [ClockEra] = []
    for clock in clocks where eras.last?.ahead != clock.ahead {
      // Records of other kinds in between may be by either clock.
      let from = eras.isEmpty ? Int64.min : clock.from.saturatingAdd(-clock.step)
      if let last = eras.indices.last { eras[last].until = clock.from }
      eras.append(ClockEra(from: from, until: first.until, ahead: clock.ahead, isSure: false, isGuess: clock.isGuess))
    }
    all.replaceSubrange(0...0, with: eras)
    if all.count > Self.limit { all.removeFirst(all.count - Self.limit) }
  }

  /// Narrows the eras by an item (its time in µs) that only one era can have dated. Later eras had not begun then, and
  /// earlier ones were over. The hub may not know which of several settings the band received; items of each kind show
  /// it.
  mutating func narrow(_ number: Int, at time: Int64) {
    guard all.indices.contains(number), all[number].isSure else { return }
    for place in all.indices where all[place].isSure && place != number {
      if place > number {
        all[place].from = max(all[place].from, min(time, all[place].until))
      } else if all[place].until != .max {
        all[place].until = min(all[place].until, max(time, all[place].from))
      }
    }
  }

  /// Whether two settings of this hub overlap, because it is unknown when the band received the later one.
  var isUndecided: Bool {
    zip(all, all.dropFirst()).contains { earlier, later in
      earlier.isSure && later.isSure && earlier.until > later.from.saturatingAdd(HistoryPlacing.slack)
    }
  }

  private mutating func append(_ more: [ClockEra]) {
    all += more
    if all.count > Self.limit { all.removeFirst(all.count - Self.limit) }
  }
}

extension ClockEras {
  /// µs: thousands of years, and far from overflow.
  private static let farthest: UInt64 = 1 << 58
  /// A day, s: no zone is further from UTC.
  private static let day: Int64 = 86_400

  /// Reads the record of an older program version, which stored one setting: its offset (s), and the local time of the
  /// first setting (s).
  init(offset: Int32, firstGiven: Int64?) {
    guard Int64(offset.magnitude) <= Self.day else { return }
    let ahead = Int64(offset) * 1_000_000
    let (first, isFar) = (firstGiven ?? 0).multipliedReportingOverflow(by: 1_000_000)
    let from = firstGiven == nil || isFar ? Int64.min : first.saturatingAdd(-ahead)
    all = [
      ClockEra(from: .min, until: from, ahead: ahead, isSure: false),
      ClockEra(from: from, until: .max, ahead: ahead, isSure: true),
    ]
  }

  /// First tag of the stored record that belongs to an era.
  static let firstTag: UInt8 = 8

  func write(to fields: inout FieldWriter) {
    for (place, era) in all.prefix(Self.limit).enumerated() {
      fields.put(Self.firstTag + UInt8(truncatingIfNeeded: place)) { nested in
        nested.put(1, era.from)
        nested.put(2, era.until)
        nested.put(3, era.ahead)
        nested.put(4, flag: era.isSure)
        if !era.reached.isEmpty { nested.put(6, HistoryReach.bytes(era.reached)) }
        if era.isGuess { nested.put(7, flag: true) }
        if !era.newest.isEmpty { nested.put(8, HistoryReach.bytes(era.newest)) }
        if !era.forgotten.isEmpty {
          nested.put(9, HistoryReach.bytes(era.forgotten.mapValues { HistoryReach(at: $0) }))
        }
      }
    }
  }

  /// Reads one era, in the order of writing.
  mutating func read(_ fields: inout FieldReader) {
    var (from, until, ahead): (Int64?, Int64?, Int64?) = (nil, nil, nil)
    var (isSure, isGuess): (Bool?, Bool?) = (nil, nil)
    var (emptied, reached, newest): ([UInt8]?, [UInt8]?, [UInt8]?) = (nil, nil, nil)
    var forgotten: [UInt8]?
    var nested = fields.nested
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&from)
      case 2: nested.read(&until)
      case 3: nested.read(&ahead)
      case 4: nested.read(&isSure)
      // An older program version stored only which kinds were empty in the era, without the moment.
      case 5: nested.read(&emptied, atMost: 256)
      case 6: nested.read(&reached, atMost: HistoryReach.sizeLimit)
      case 7: nested.read(&isGuess)
      case 8: nested.read(&newest, atMost: HistoryReach.sizeLimit)
      case 9: nested.read(&forgotten, atMost: HistoryReach.sizeLimit)
      default: break
      }
    }
    guard nested.isWhole, let from, let until, let ahead, ahead.magnitude < Self.farthest, all.count < Self.limit
    else { return fields.refuse() }
    var era = ClockEra(from: from, until: until, ahead: ahead, isSure: isSure ?? false, isGuess: isGuess ?? false)
    for code in emptied ?? [] { era.reached[code] = HistoryReach(at: from) }
    era.reached.merge(HistoryReach.read(reached ?? [])) { $1 }
    era.newest = HistoryReach.read(newest ?? [])
    era.forgotten = HistoryReach.read(forgotten ?? []).mapValues(\.at)
    all.append(era)
  }
}
