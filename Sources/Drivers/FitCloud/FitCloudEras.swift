// How far ahead of Greenwich's time a band's clock was, from when to when: what the times of its records mean.

import Bluetooth
import Health
import StateCodec

/// What records say of a time in which another program had set the clock. All in µs.
struct ForeignClock: Sendable, Hashable {
  /// By the hub's clock: when the first of these records was made.
  let from: Int64
  let ahead: Int64
  /// From here on the hub's own setting is in doubt.
  let doubtedFrom: Int64
  /// The end of the last record that this hub's setting explains: between it and the first of the others either clock
  /// may have dated what another kind has.
  let lastBefore: Int64
  /// Records of yet another clock follow; nil: this hub's own setting ended it.
  var until: Int64?
}

/// The eras of one clock, oldest first. The last one is in force.
struct ClockEras: Sendable, Hashable {
  private(set) var all: [ClockEra] = []

  /// Two changes of the season a year, and three eras for each time that another program set the clock.
  static let limit = 12

  var inForce: ClockEra? { all.last }
  /// The setting that the band acknowledged last; another may be under way.
  var acknowledged: ClockEra? { all.first { $0.until == .max } }

  /// Before the hub gives the band a time: from here on the clock may be so. Until `taken` it may be as before.
  mutating func begin(ahead: Int64, at wall: Int64) {
    // A hub's clock that was put back says nothing of what was recorded since.
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

  /// The band has acknowledged the time: the eras before are over.
  mutating func taken(at wall: Int64) {
    for place in all.indices.dropLast() where all[place].until == .max { all[place].until = wall }
  }

  /// A transfer of a kind reached so far, by the clock that is in force. What is behind it was recorded in that era or
  /// a later one.
  ///
  /// - Returns: that is news worth keeping.
  mutating func note(_ reach: HistoryReach, of code: UInt8) -> Bool {
    guard let last = all.indices.last, reach.at >= all[last].from else { return false }
    let known = all[last].newest[code] ?? all[last].reached[code]
    guard let known, reach.at > known.at || reach.tail != known.tail else {
      if known == nil { keep(reach, of: code, in: last) }
      return known == nil
    }
    // A later moment tells more. Where nothing came, that is of use alone if the clock shows what it has shown before.
    let isNews = reach.tail != known.tail || showsAgain(reach.at)
    if isNews { keep(reach, of: code, in: last) }
    return isNews
  }

  /// The band was told to forget all that it had until then: what it tells next is of later.
  ///
  /// - Parameter newest: its last item at a sure time: what it showed, and when that was by the hub's clock, µs. nil:
  ///   there is none.
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

  /// The era of the newest item of a kind that the band was told to forget, and what it showed, µs of the band's clock.
  func forgotten(_ code: UInt8) -> (era: Int, shown: Int64)? {
    guard let era = all.lastIndex(where: { $0.forgotten[code] != nil }), let shown = all[era].forgotten[code] else {
      return nil
    }
    return (era, shown)
  }

  private mutating func keep(_ reach: HistoryReach, of code: UInt8, in last: Int) {
    // What came behind the first of an era keeps its times, so that stays.
    var first = all[last].reached[code]
    if reach.tail == nil {
      for place in all.indices { (all[place].reached[code], all[place].newest[code]) = (nil, nil) }
      first?.tail = nil
    }
    all[last].reached[code] = first ?? reach
    if first != nil { all[last].newest[code] = reach }
  }

  /// At a moment of the hub's clock (µs), a band shows a time that it may have shown in an earlier era.
  private func showsAgain(_ wall: Int64) -> Bool {
    guard let inForce else { return false }
    let shown = wall.saturatingAdd(inForce.ahead)
    return all.dropLast().contains { era in
      era.ahead != inForce.ahead && shown < era.until.saturatingAdd(era.ahead).saturatingAdd(HistoryPlacing.slack)
    }
  }

  /// How far transfers of a kind had reached, by the place of their era, oldest first. Firm where this hub had set the
  /// clock before that era: what was recorded before the first setting, by a clock that nobody knows, may come late.
  /// `isFirst` in its era, else last.
  func reaches(of code: UInt8) -> [(era: Int, reach: HistoryReach, isFirm: Bool, isFirst: Bool)] {
    all.indices.flatMap { place in
      let isFirm = all[..<place].contains(where: \.isSure)
      let first = all[place].reached[code].map { (place, $0, isFirm, true) }
      let last = all[place].newest[code].map { (place, $0, isFirm, false) }
      return [first, last].compactMap { $0 }
    }
  }

  /// Another program had set the clock until this hub set it again.
  ///
  /// - Parameter base: the era that was in force before.
  mutating func insert(_ foreign: ForeignClock, at base: Int, setAt: Int64) {
    guard all.indices.contains(base) else { return }
    var own = all[base]
    // Of before the first setting nothing was known at all.
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

  /// What the clock showed before the first setting, oldest first: by how much it was ahead, when its first item was
  /// recorded, how long before that the last of the clock before may have been, all in µs, and whether that is a guess.
  mutating func replaceFirst(_ clocks: [(ahead: Int64, from: Int64, step: Int64, isGuess: Bool)]) {
    guard let first = all.first, first.isOfBefore else { return }
    var eras: [ClockEra] = []
    for clock in clocks where eras.last?.ahead != clock.ahead {
      // Of another kind something may lie between: by either clock.
      let from = eras.isEmpty ? Int64.min : clock.from.saturatingAdd(-clock.step)
      if let last = eras.indices.last { eras[last].until = clock.from }
      eras.append(ClockEra(from: from, until: first.until, ahead: clock.ahead, isSure: false, isGuess: clock.isGuess))
    }
    all.replaceSubrange(0...0, with: eras)
    if all.count > Self.limit { all.removeFirst(all.count - Self.limit) }
  }

  /// An item of a moment (µs) was dated by one era alone: what comes behind that era had not begun, and what was ahead
  /// of it was over. So each kind says which of several settings, of which this hub does not know whether they were
  /// heard, were.
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

  /// Two settings of this hub may have been in force at one moment: it does not know when the later one was heard.
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
  /// A day, s: no zone is further from Greenwich.
  private static let day: Int64 = 86_400

  /// Of a program that remembered one setting: its offset (s), and the local time of the first (s).
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

  /// The first tag of the memory's that is an era's.
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

  /// One era, in the order in which they were written.
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
      // An earlier program remembered of which kinds nothing was left in the era, and no moment.
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
