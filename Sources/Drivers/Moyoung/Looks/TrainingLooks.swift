// Looks at trainings: one place of the table, and the rates of one training minute by minute. Pure.

import Bluetooth
import Health
import Wearable

/// Look at one of the three places of answer 55: head and the 24 bytes as the band sent them. If the clock was set back
/// during the training, 4 bytes with the number of seconds follow.
struct TrainingLook: MoyoungLook {
  let head: LookHead
  let place: TrainingPlace
  private let raw: [UInt8]
  /// s; nil: begin and end are of one clock.
  private let back: UInt32?

  static let domain = "trainings"

  /// - Parameter overlap: times that this hub let the clock show twice.
  /// - Returns: nil for an empty place, or a moment that cannot be encoded.
  init?(_ raw: [UInt8], readAt: Int64, since: Int64?, overlap: MoyoungOverlap? = nil) {
    guard raw.count == TrainingPlace.size, let place = TrainingPlace(raw), let at = UInt32(exactly: readAt) else {
      return nil
    }
    (self.place, self.raw) = (place, raw)
    let went = overlap.flatMap { overlap in
      place.end < place.begin && overlap.isKnown && place.begin <= overlap.until && place.end >= overlap.from
        ? UInt32(exactly: overlap.until - overlap.from) : nil
    }
    back = went
    // A begin that the clock has shown again could be mistaken for a newer one.
    let isEither = went != nil && place.begin <= readAt + MoyoungTime.tolerance
    let isUnsure = isEither || since.map { place.begin < $0 } ?? true
    head = LookHead(.training, isUnsure ? [.unsure, .dayIsOver] : .dayIsOver, readAt: at)
  }

  var isOver: Bool { place.isOver(at: Int64(head.readAt), back: Int64(back ?? 0)) }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .training)
    guard let bytes = reader.take(TrainingPlace.size) else { throw .cut("less than a training") }
    raw = Array(bytes)
    back = reader.isAtEnd ? nil : reader.u32()
    guard reader.isAtEnd else { throw .malformed("more than a training") }
    guard let place = TrainingPlace(raw) else { throw .malformed("an empty place") }
    self.place = place
    guard isOver else { throw .malformed("a training that is not over") }
  }

  var bytes: [UInt8] {
    var bytes = head.bytes + raw
    if let back { bytes.append(littleEndian: back) }
    return bytes
  }
  /// `trainings/1795600800`: as its begin is shown, seconds.
  var name: String { "\(Self.domain)/\(place.begin)" }
  var mark: String { LookDigest(raw).mark }
  var begins: Int64 { place.begin }
  var count: Int { 1 }
  var future: Int { 0 }
  var progress: [UInt8] { [] }
  var isWhole: Bool { true }
  var summary: String { "a training of \(place.seconds / 60) min" }

  /// The steps are left out: those of the day include them.
  func append(to sink: any ItemSink) {
    sink.append(
      .training,
      [
        0, Int64(place.type), Int64(place.seconds), Int64(place.metres), Int64(place.kilocalories), 0, 0,
      ], bytes: [], at: place.begin * 1_000_000, kind: .normal, isManual: true)
  }
}

/// Look at command 52 with all its parts.
///
///     0-6     head
///     7-10    begin, seconds on the band's clock
///     11-12   minutes
///     then    a bit for each minute that is stored already, of this training or of the rates of the day
///     then    rates, as the band sent them
///     then    if the clock was ever set back: the time before and after, if the training began in between (4 bytes
///             each, s; else 0), and the number of the overlap
struct TrainingRatesLook: MoyoungLook {
  let head: LookHead
  let begin: UInt32
  let taken: PlaceSet
  let rates: [UInt8]
  private let moved: Moved?

  /// The clock was set back; after the training began if `from` is not 0.
  private struct Moved: Hashable {
    var from: UInt32 = 0
    var to: UInt32 = 0
    let number: UInt8
  }

  static let domain = "training-rates"
  /// Layout of the record. Layout 1 has no number.
  private static let progressLayout: UInt8 = 2

  /// - Parameters:
  ///   - isOfDay: whether the rate of a minute is stored as one of the day, by the second at which the minute begins.
  ///   - known: record of the same training.
  ///   - overlap: times that this hub let the clock show twice.
  init?(
    _ rates: [UInt8], begin: Int64, readAt: Int64, since: Int64?, known: [UInt8], overlap: MoyoungOverlap? = nil,
    isOfDay: (Int64) -> Bool
  ) {
    guard !rates.isEmpty, rates.count <= TrainingRatesParts.limit, let start = UInt32(exactly: begin),
      let at = UInt32(exactly: readAt)
    else { return nil }
    moved = overlap.flatMap { overlap in
      guard overlap.isKnown, begin > readAt + MoyoungTime.tolerance, begin <= overlap.until,
        let from = UInt32(exactly: overlap.until), let to = UInt32(exactly: overlap.from)
      else { return Moved(number: overlap.number) }
      return Moved(from: from, to: to, number: overlap.number)
    }
    var taken = PlaceSet(rates.count)
    let before = Self.minutes(known)
    for place in rates.indices {
      taken[place] = before.map { place < $0.count && $0.places[place] } ?? false
      if isOfDay(Self.minute(begin, place)) { taken[place] = true }
    }
    (self.begin, self.taken, self.rates) = (start, taken, rates)
    head = LookHead(.trainingRates, since.map { begin < $0 } ?? true ? [.unsure, .dayIsOver] : .dayIsOver, readAt: at)
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .trainingRates)
    guard let begin = reader.u32(), let count = reader.u16() else { throw .cut("rates without their begin") }
    guard Int(count) <= TrainingRatesParts.limit else { throw .malformed("more than a day") }
    guard let taken = reader.take((Int(count) + 7) / 8), let rates = reader.take(Int(count)) else {
      throw .cut("fewer rates than are said")
    }
    if reader.isAtEnd {
      moved = nil
    } else {
      guard let from = reader.u32(), let to = reader.u32(), let number = reader.u8(), reader.isAtEnd else {
        throw .malformed("more rates than are said")
      }
      moved = Moved(from: from, to: to, number: number)
    }
    (self.begin, self.taken, self.rates) = (begin, PlaceSet(Int(count), taken), Array(rates))
  }

  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.append(littleEndian: begin)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: rates.count))
    bytes += taken.bytes + rates
    if let moved {
      bytes.append(littleEndian: moved.from)
      bytes.append(littleEndian: moved.to)
      bytes.append(moved.number)
    }
    return bytes
  }

  /// Begin of the minute of a rate, in whole minutes of the clock.
  private static func minute(_ begin: Int64, _ place: Int) -> Int64 {
    let time = begin + Int64(place) * 60
    return time - time % 60
  }

  /// Time that the clock showed then.
  private func time(_ place: Int) -> Int64 {
    let time = Int64(begin) + Int64(place) * 60
    guard let moved, moved.from > 0, time > Int64(moved.from) else { return time }
    return time - Int64(moved.from) + Int64(moved.to)
  }

  private func hasCome(_ place: Int) -> Bool {
    let time = time(place)
    return time <= head.latest || moved.map { time <= Int64($0.from) } ?? false
  }

  private var places: [Int] {
    rates.indices.filter { MoyoungRates.isRate(rates[$0]) && !taken[$0] && hasCome($0) }
  }

  var name: String { Self.name(Int64(begin)) }
  static func name(_ begin: Int64) -> String { "\(domain)/\(begin)" }
  var mark: String { LookDigest(rates).mark }
  var begins: Int64 { Int64(begin) }
  var count: Int { places.count }
  var future: Int { rates.indices.count { MoyoungRates.isRate(rates[$0]) && !hasCome($0) } }
  /// A band sends them once.
  var refused: Int { future }
  var isWhole: Bool { true }
  var summary: String { "\(count) heart rates of a training" }

  /// Layout 2, begin (4 bytes), minutes (2), number of the overlap at that time, and a bit for each stored minute.
  var progress: [UInt8] {
    var all = taken
    for place in places { all[place] = true }
    var bytes = [Self.progressLayout]
    bytes.append(littleEndian: begin)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: rates.count))
    return bytes + [moved?.number ?? 0] + all.bytes
  }

  private struct Minutes {
    let begin: Int64
    let count: Int
    let number: UInt8
    let places: PlaceSet
  }

  private static func minutes(_ progress: [UInt8]) -> Minutes? {
    guard let layout = progress.first, layout == 1 || layout == progressLayout else { return nil }
    return progress.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      reader.skip(1)
      guard let begin = reader.u32(), let count = reader.u16(), Int(count) <= TrainingRatesParts.limit else {
        return nil
      }
      let number = layout == 1 ? 0 : reader.u8() ?? 0
      let places = PlaceSet(Int(count), Array(reader.rest()))
      return Minutes(begin: Int64(begin), count: Int(count), number: number, places: places)
    }
  }

  /// Minutes of a training that were received.
  static func minuteCount(_ progress: [UInt8]) -> Int { minutes(progress)?.count ?? 0 }

  /// Stored minutes of a training, by the second at which each begins. If the training is from before the clock was set
  /// back, minutes that are shown twice are left out.
  static func storedMinutes(_ progress: [UInt8], _ overlap: MoyoungOverlap? = nil) -> [Int64] {
    guard let told = minutes(progress) else { return [] }
    let minutes = (0..<told.count).filter { told.places[$0] }.map { minute(told.begin, $0) }
    guard let overlap, told.number != overlap.number else { return minutes }
    return minutes.filter { $0 < overlap.from || $0 >= overlap.until }
  }

  func append(to sink: any ItemSink) {
    for place in places { sink.append(.heartRate, Int64(rates[place]), at: time(place) * 1_000_000) }
    sink.refuse(.heartRate, refused)
  }
}
