// How far ahead of Greenwich's time a band's clock was, from when to when: what the times of its records mean.

import Health
import StateCodec

/// A stretch of time in which a band's clock was ahead by one amount. All times in µs.
struct ClockEra: Sendable, Hashable {
  /// By the hub's clock: it cannot have begun before; `.min`: not known.
  var from: Int64
  /// It cannot have lasted longer; `.max`: it may last.
  var until: Int64
  /// What the band shows beyond Greenwich's time.
  var ahead: Int64
  /// This hub set the clock so. False: of before the first setting, or worked out from the records.
  var isSure: Bool
  /// Codes of the kinds of history of which nothing older was left on the band at some moment in it.
  var emptied: Set<UInt8> = []
}

/// What records say of a time in which another program had set the clock. All in µs.
struct ForeignClock: Sendable, Hashable {
  /// By the hub's clock: when the first of these records was made.
  let from: Int64
  let ahead: Int64
  /// From here on the hub's own setting is in doubt.
  let doubtedFrom: Int64
  /// The end of the last record that this hub's setting explains.
  let lastBefore: Int64
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
    if all.isEmpty { all = [ClockEra(from: .min, until: .max, ahead: ahead, isSure: false)] }
    if let inForce, inForce.ahead == ahead, inForce.isSure { return }
    append([ClockEra(from: wall, until: .max, ahead: ahead, isSure: true)])
  }

  /// The band has acknowledged the time: the eras before are over.
  mutating func taken(at wall: Int64) {
    for place in all.indices.dropLast() where all[place].until == .max { all[place].until = wall }
  }

  /// Nothing of these kinds is left on the band that was there before now.
  ///
  /// - Returns: that was not known.
  mutating func noteEmptied(_ codes: Set<UInt8>) -> Bool {
    guard let last = all.indices.last, !all[last].emptied.isSuperset(of: codes) else { return false }
    all[last].emptied.formUnion(codes)
    return true
  }

  /// Before this moment nothing can have been measured that the band still has of a kind. What it recorded before it
  /// was bound may come late, by a clock that nobody knows.
  func earliest(of code: UInt8) -> Int64 {
    guard let place = all.lastIndex(where: { $0.emptied.contains(code) }), all[..<place].contains(where: \.isSure)
    else { return .min }
    return all[place].from
  }

  /// Another program had set the clock until this hub set it again.
  ///
  /// - Parameter base: the era that was in force before.
  mutating func insert(_ foreign: ForeignClock, at base: Int, setAt: Int64) {
    guard all.indices.contains(base) else { return }
    var own = all[base]
    // Of before the first setting nothing was known at all.
    if own.from == .min, !own.isSure, foreign.ahead > own.ahead {
      all[base].ahead = foreign.ahead
      return
    }
    let after = ClockEra(from: setAt, until: own.until, ahead: own.ahead, isSure: own.isSure)
    let end = min(own.until, max(own.from, foreign.doubtedFrom))
    let doubted = ClockEra(from: end, until: max(end, foreign.lastBefore), ahead: own.ahead, isSure: false)
    own.until = end
    let other = ClockEra(from: foreign.from, until: setAt, ahead: foreign.ahead, isSure: false)
    var more = doubted.from < doubted.until ? [own, doubted, other] : [own, other]
    if base == all.count - 1 { more.append(after) }
    all.replaceSubrange(base...base, with: more)
    if all.count > Self.limit { all.removeFirst(all.count - Self.limit) }
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
        if !era.emptied.isEmpty { nested.put(5, era.emptied.sorted()) }
      }
    }
  }

  /// One era, in the order in which they were written.
  mutating func read(_ fields: inout FieldReader) {
    var (from, until, ahead): (Int64?, Int64?, Int64?) = (nil, nil, nil)
    var (isSure, emptied): (Bool?, [UInt8]?) = (nil, nil)
    var nested = fields.nested
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&from)
      case 2: nested.read(&until)
      case 3: nested.read(&ahead)
      case 4: nested.read(&isSure)
      case 5: nested.read(&emptied, atMost: 256)
      default: break
      }
    }
    guard nested.isWhole, let from, let until, let ahead, ahead.magnitude < Self.farthest, all.count < Self.limit
    else { return fields.refuse() }
    all.append(ClockEra(from: from, until: until, ahead: ahead, isSure: isSure ?? false, emptied: Set(emptied ?? [])))
  }
}
