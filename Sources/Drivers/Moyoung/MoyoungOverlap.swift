// Times that a band shows twice, as its clock was put back: which of its places have rates of before.

import Bands
import EventLoop
import StateCodec
import Wearable

/// From what the clock was put back to until what it had shown, and the rates that stood there then.
///
/// A band keeps a rate under the time that its clock shows. Until the clock has shown a place once more, its rate is of
/// before; from then on it is of after where it is another. What has stayed the same may be of either: it is of after
/// where the places as far before and behind are.
struct MoyoungOverlap: RememberedState, Hashable {
  static let name = "moyoung-overlap"

  /// Counts overlaps, modulo 256: what was stored of one says nothing of the next.
  private(set) var number: UInt8
  /// s as the clock shows them.
  private(set) var from, until: Int64
  /// This hub put it back, and knows what it showed before. Else somebody had set it ahead.
  private(set) var isKnown: Bool
  /// When it was seen that somebody had set it ahead, s as shown; nil: nobody had. What was measured since is known by
  /// its rates.
  private(set) var seen: Int64?
  /// Of the places from the one of `from` on; `unread` if nobody knows, `once` if the clock showed it once.
  private var rates: [UInt8]

  /// Two days are all that a band has.
  private static let placeLimit = 576
  private static let unread: UInt8 = 0xFF
  private static let once: UInt8 = 0xFE
  /// Seconds beyond which a time is none: the year 9999.
  private static let bound: Int64 = 253_402_300_800

  /// Goes on with one that is not over, as its places may have rates of that.
  ///
  /// - Parameter rates: the rate at the place that begins at a second; nil: it was not read.
  /// - Returns: nil where no time comes twice.
  init?(
    from: Int64, until: Int64, isKnown: Bool, seen: Int64? = nil, after last: MoyoungOverlap?,
    _ rates: (Int64) -> UInt8?
  ) {
    guard (0..<Self.bound).contains(from), from < until, until < Self.bound else { return nil }
    number = (last?.number ?? 0) &+ 1
    // The one before is not over: its places have rates of that.
    let goesOn = last.map { $0.until > from && $0.from < until } ?? false
    let end = goesOn ? max(until, last?.until ?? until) : until
    self.from = from
    self.until = end
    self.isKnown = isKnown && (!goesOn || last?.isKnown == true)
    self.seen = seen ?? (goesOn ? last?.seen : nil)
    let first = Self.place(from)
    let count = min(Int64(Self.placeLimit), (end - 1 - first) / MoyoungRates.step + 1)
    self.rates = (0..<count).map { number in
      let rate = rates(first + number * MoyoungRates.step) ?? Self.unread
      return rate == Self.once ? Self.unread : rate
    }
  }

  /// The same, as the clock was further ahead than was seen before: what is stored of its places since stays.
  ///
  /// - Parameter next: s as shown, where the second of two overlaps begins that are kept as one. The places behind the
  ///   first one and before it were shown once.
  func reaching(
    _ end: Int64, next: Int64 = 0, isKnown: Bool, seen: Int64? = nil, _ rates: (Int64) -> UInt8?
  ) -> MoyoungOverlap? {
    guard
      var further = MoyoungOverlap(
        from: from, until: max(end, until), isKnown: isKnown, seen: seen ?? self.seen, after: nil,
        { rate(at: $0) ?? rates($0) })
    else { return nil }
    further.number = number
    for place in further.rates.indices {
      let begin = Self.place(from) + Int64(place) * MoyoungRates.step
      if begin < next, begin >= until || wasShownOnce(begin) { further.rates[place] = Self.once }
    }
    return further
  }

  static func place(_ second: Int64) -> Int64 { second - second % MoyoungRates.step }

  /// The place that begins at a second was there before and after.
  func has(_ begin: Int64) -> Bool {
    begin + MoyoungRates.step > from && begin < until && !wasShownOnce(begin)
  }

  /// The place that begins at a second lies between two overlaps that are kept as one.
  func wasShownOnce(_ begin: Int64) -> Bool { kept(begin) == Self.once }

  /// What stood at the place that begins at a second; nil: nobody knows.
  func rate(at begin: Int64) -> UInt8? {
    guard let rate = kept(begin), rate != Self.unread, rate != Self.once else { return nil }
    return rate
  }

  private func kept(_ begin: Int64) -> UInt8? {
    let place = (begin - Self.place(from)) / MoyoungRates.step
    return begin >= Self.place(from) && place < rates.count ? rates[Int(place)] : nil
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, number)
    fields.put(2, from)
    fields.put(3, until)
    fields.put(4, flag: isKnown)
    fields.put(5, rates)
    if let seen { fields.put(6, seen) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var number: UInt8?
    var (from, until, seen): (Int64?, Int64?, Int64?) = (nil, nil, nil)
    var isKnown: Bool?
    var rates: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&number)
      case 2: fields.read(&from)
      case 3: fields.read(&until)
      case 4: fields.read(&isKnown)
      case 5: fields.read(&rates, atMost: Self.placeLimit)
      case 6: fields.read(&seen)
      default: break
      }
    }
    guard let number, let from, let until, let rates, (0..<Self.bound).contains(from), from < until,
      (0..<Self.bound).contains(seen ?? 0),
      until < Self.bound
    else { return nil }
    (self.number, self.from, self.until, self.rates) = (number, from, until, rates)
    self.isKnown = isKnown ?? false
    // Older ones began when that was seen.
    self.seen = self.isKnown ? nil : seen ?? from
  }
}
