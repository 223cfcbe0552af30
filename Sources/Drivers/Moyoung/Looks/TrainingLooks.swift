// Looks at trainings: one place of the table, and the rates of one training minute by minute. Pure.

import Bluetooth
import Health
import Wearable

/// One of the three places of answer 55: the head, and the 24 bytes as the band sent them.
struct TrainingLook: MoyoungLook {
  let head: LookHead
  let place: TrainingPlace
  private let raw: [UInt8]

  static let domain = "trainings"

  /// nil for an empty place, and for a moment that cannot be written.
  init?(_ raw: [UInt8], readAt: Int64, since: Int64?) {
    guard raw.count == TrainingPlace.size, let place = TrainingPlace(raw), let at = UInt32(exactly: readAt) else {
      return nil
    }
    (self.place, self.raw) = (place, raw)
    head = LookHead(.training, since.map { place.begin < $0 } ?? true ? [.unsure, .dayIsOver] : .dayIsOver, readAt: at)
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .training)
    guard reader.remaining == TrainingPlace.size else { throw .cut("less than a training") }
    raw = Array(reader.rest())
    guard let place = TrainingPlace(raw) else { throw .malformed("an empty place") }
    guard place.isOver(at: Int64(head.readAt)) else { throw .malformed("a training that is not over") }
    self.place = place
  }

  var bytes: [UInt8] { head.bytes + raw }
  /// `trainings/1795600800`: as its begin is shown, seconds.
  var name: String { "\(Self.domain)/\(place.begin)" }
  var mark: String { LookDigest(raw).mark }
  var begins: Int64 { place.begin }
  var count: Int { 1 }
  var future: Int { 0 }
  var progress: [UInt8] { [] }
  var isWhole: Bool { true }
  var summary: String { "a training of \(place.seconds / 60) min" }

  /// Its steps are in those of the day already.
  func append(to sink: any ItemSink) {
    sink.append(
      .training,
      [
        0, Int64(place.type), Int64(place.seconds), Int64(place.metres), Int64(place.kilocalories), 0, 0,
      ], bytes: [], at: place.begin * 1_000_000, kind: .normal, isManual: true)
  }
}

/// Command 52, all its parts.
///
///     0-6     head
///     7-10    begin, seconds as the band's clock shows them
///     11-12   minutes
///     then    a bit for each minute that is stored already, of it or of the rates of the day
///     then    rates, as the band sent them
struct TrainingRatesLook: MoyoungLook {
  let head: LookHead
  let begin: UInt32
  let taken: PlaceSet
  let rates: [UInt8]

  static let domain = "training-rates"
  private static let progressLayout: UInt8 = 1

  /// - Parameters:
  ///   - isOfDay: whether the rate of a minute is stored as one of the day, by the second at which the minute begins.
  ///   - known: progress of the same training.
  init?(
    _ rates: [UInt8], begin: Int64, readAt: Int64, since: Int64?, known: [UInt8], isOfDay: (Int64) -> Bool
  ) {
    guard !rates.isEmpty, rates.count <= TrainingRatesParts.limit, let start = UInt32(exactly: begin),
      let at = UInt32(exactly: readAt)
    else { return nil }
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
    guard let taken = reader.take((Int(count) + 7) / 8), let rates = reader.take(Int(count)), reader.isAtEnd else {
      throw .cut("fewer rates than are said")
    }
    (self.begin, self.taken, self.rates) = (begin, PlaceSet(Int(count), taken), Array(rates))
  }

  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.append(littleEndian: begin)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: rates.count))
    return bytes + taken.bytes + rates
  }

  /// Second at which the minute of a rate begins, as a clock shows minutes.
  private static func minute(_ begin: Int64, _ place: Int) -> Int64 {
    let time = begin + Int64(place) * 60
    return time - time % 60
  }

  private func time(_ place: Int) -> Int64 { Int64(begin) + Int64(place) * 60 }

  private var places: [Int] {
    rates.indices.filter { MoyoungRates.isRate(rates[$0]) && !taken[$0] && time($0) <= head.latest }
  }

  var name: String { Self.name(Int64(begin)) }
  static func name(_ begin: Int64) -> String { "\(domain)/\(begin)" }
  var mark: String { LookDigest(rates).mark }
  var begins: Int64 { Int64(begin) }
  var count: Int { places.count }
  var future: Int { rates.indices.count { MoyoungRates.isRate(rates[$0]) && time($0) > head.latest } }
  var isWhole: Bool { true }
  var summary: String { "\(count) heart rates of a training" }

  /// Layout 1, begin (4 bytes), minutes (2), and a bit for each that is stored.
  var progress: [UInt8] {
    var all = taken
    for place in places { all[place] = true }
    var bytes = [Self.progressLayout]
    bytes.append(littleEndian: begin)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: rates.count))
    return bytes + all.bytes
  }

  private static func minutes(_ progress: [UInt8]) -> (begin: Int64, count: Int, places: PlaceSet)? {
    guard progress.first == progressLayout else { return nil }
    return progress.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      reader.skip(1)
      guard let begin = reader.u32(), let count = reader.u16(), Int(count) <= TrainingRatesParts.limit else {
        return nil
      }
      return (Int64(begin), Int(count), PlaceSet(Int(count), Array(reader.rest())))
    }
  }

  /// Minutes that are stored of a training: the second at which each begins.
  static func storedMinutes(_ progress: [UInt8]) -> [Int64] {
    guard let (begin, count, places) = minutes(progress) else { return [] }
    return (0..<count).filter { places[$0] }.map { minute(begin, $0) }
  }

  func append(to sink: any ItemSink) {
    for place in places { sink.append(.heartRate, Int64(rates[place]), at: time(place) * 1_000_000) }
    if future > 0 { sink.noteAnomaly("heart rates of a time that had not come, refused") }
  }
}
