// Times that a band shows twice because its clock was set back, and the old rates at their places.

import Bands
import EventLoop
import StateCodec
import Wearable

/// Period from the time to which the clock was set back to the time that it had shown, with the rates at that moment.
///
/// A band stores a rate under the time that its clock shows. Until the clock has shown a place again, its rate is an
/// old one. From then on a changed rate is a new one. An unchanged rate may be old or new: it is new if its neighbours
/// are.
struct MoyoungOverlap: RememberedState, Hashable {
  static let name = "moyoung-overlap"

  /// Number of this overlap, modulo 256: records of one overlap do not apply to the next.
  private(set) var number: UInt8
  /// s on the band's clock.
  private(set) var from, until: Int64
  /// Whether this hub set the clock back and knows what it had shown. Otherwise another program had set it ahead.
  private(set) var isKnown: Bool
  /// Time at which a foreign setting ahead was noticed, s on the band's clock; nil: no such setting. Later measurements
  /// are known by their rates.
  private(set) var seen: Int64?
  /// Rates from the place of `from` on; `unread` if unknown, `once` if the clock showed the place once.
  private var rates: [UInt8]

  /// Two days, which is all that a band keeps.
  private static let placeLimit = 576
  private static let unread: UInt8 = 0xFF
  private static let once: UInt8 = 0xFE
  /// End of valid times, s: the year 9999.
  private static let bound: Int64 = 253_402_300_800

  /// Continues an overlap that is not over, as its places may have rates of that.
  ///
  /// - Parameter rates: rate at the place that begins at a second; nil: not read.
  /// - Returns: nil if no time is shown twice.
  init?(
    from: Int64, until: Int64, isKnown: Bool, seen: Int64? = nil, after last: MoyoungOverlap?,
    _ rates: (Int64) -> UInt8?
  ) {
    guard (0..<Self.bound).contains(from), from < until, until < Self.bound else { return nil }
    number = (last?.number ?? 0) &+ 1
    // The overlap before is not over: its places have rates of that.
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

  /// The same overlap after the clock proved to have been further ahead. Records of its places stay valid.
  ///
  /// - Parameter next: begin of the second of two merged overlaps, s on the band's clock. Places between the two were
  ///   shown once.
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

  /// Whether the place that begins at a second existed before and after.
  func has(_ begin: Int64) -> Bool {
    begin + MoyoungRates.step > from && begin < until && !wasShownOnce(begin)
  }

  /// Whether the place that begins at a second lies between two merged overlaps.
  func wasShownOnce(_ begin: Int64) -> Bool { kept(begin) == Self.once }

  /// Old rate at the place that begins at a second; nil: unknown.
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
    // In older records the setting was noticed at the begin.
    self.seen = self.isKnown ? nil : seen ?? from
  }
}
