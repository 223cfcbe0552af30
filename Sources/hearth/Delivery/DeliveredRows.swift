// Rows that lie in files, by their places in the store.

import Export
import HubProtocol

/// Places of each ring that lie in files.
///
/// A cursor takes the places of a ring in their order, so that all up to the last one lie in files. An export of a
/// person has only the places of times when that person wore the wearable.
struct DeliveredRows: Sendable, Equatable {
  /// Rows of one series of an enrolment that came one way.
  struct Ring: Sendable, Hashable {
    var enrolment: UInt32
    var way: String
    var series: String
  }

  /// Ascending and apart from each other.
  private var places: [Ring: [ClosedRange<UInt64>]] = [:]

  var isEmpty: Bool { places.isEmpty }

  /// A row without a place is in no file.
  func has(_ row: ExportRow) -> Bool {
    guard let place = row.place, let ranges = places[Ring(place, row.series)] else { return false }
    return range(of: place.ordinal, ranges) != nil
  }

  /// - Parameter alone: only the places of this row; otherwise those before it too.
  mutating func note(_ row: ExportRow, alone: Bool = false) {
    guard let place = row.place else { return }
    // A daemon's row may claim any number of parts.
    let before = UInt64(max(place.parts, 1)) - 1
    let first = place.ordinal >= before ? place.ordinal - before : 0
    note(Ring(place, row.series), (alone ? first : 0)...place.ordinal)
  }

  /// Lines about missing rows lie in files too.
  mutating func note(_ gap: MissingRowsDocument, alone: Bool = false) {
    guard let ring = Ring(gap), let to = gap.to.flatMap({ UInt64(exactly: $0) }) else { return }
    let from = gap.from.flatMap { UInt64(exactly: $0) } ?? 0
    note(ring, (alone ? min(from, to) : 0)...to)
  }

  mutating func note(_ others: DeliveredRows) {
    for (ring, ranges) in others.places { for range in ranges { note(ring, range) } }
  }

  private mutating func note(_ ring: Ring, _ range: ClosedRange<UInt64>) {
    // In place: a row must not copy the ranges of its ring.
    Self.join(range, to: &places[ring, default: []])
  }

  private static func join(_ range: ClosedRange<UInt64>, to ranges: inout [ClosedRange<UInt64>]) {
    // Rows come in order: most are joined with the last range, or follow it.
    if let last = ranges.last, last.upperBound < range.lowerBound {
      if last.upperBound + 1 == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      } else {
        ranges.append(range)
      }
      return
    }
    let first = ranges.firstIndex { $0.upperBound >= range.lowerBound || $0.upperBound + 1 == range.lowerBound }
    guard let first else { return ranges.append(range) }
    var (joined, end) = (range, first)
    while end < ranges.count {
      let next = ranges[end].lowerBound
      if next > joined.upperBound, next - 1 != range.upperBound { break }
      joined = min(joined.lowerBound, ranges[end].lowerBound)...max(joined.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [joined])
  }

  /// The range that has an ordinal.
  private func range(of ordinal: UInt64, _ ranges: [ClosedRange<UInt64>]) -> ClosedRange<UInt64>? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = low + (high - low) / 2
      if ranges[middle].upperBound < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(ordinal) ? ranges[low] : nil
  }

  /// What is missing behind the rows that lie in files; nil: nothing.
  func rest(of gap: MissingRowsDocument) -> MissingRowsDocument? {
    guard let ring = Ring(gap), let ranges = places[ring], let from = gap.from, let to = gap.to, from <= to,
      let first = UInt64(exactly: from), let known = range(of: first, ranges)
    else { return gap }
    guard let known = Int(exactly: known.upperBound), known < to else { return nil }
    var rest = gap
    rest.from = known + 1
    return rest
  }

  // MARK: In a file

  /// An element is a ring and a range of its places. Without `from` the range begins with the ring.
  var json: JSON {
    let rings = places.sorted {
      ($0.key.enrolment, $0.key.series, $0.key.way) < ($1.key.enrolment, $1.key.series, $1.key.way)
    }
    return .array(
      rings.flatMap { ring, ranges in
        ranges.map { range in
          var members = [
            JSON.Member("enrolment", .integer(Int64(ring.enrolment))), JSON.Member("way", .string(ring.way)),
            JSON.Member("series", .string(ring.series)),
          ]
          if range.lowerBound > 0 { members.append(JSON.Member("from", .string("\(range.lowerBound)"))) }
          return .object(members + [JSON.Member("ordinal", .string("\(range.upperBound)"))])
        }
      })
  }

  init() {}

  /// nil for another form.
  init?(_ json: JSON?) {
    guard case .array(let elements)? = json else { return nil }
    for one in elements {
      guard case .integer(let number)? = one["enrolment"], let enrolment = UInt32(exactly: number),
        let way = one["way"]?.text, let series = one["series"]?.text,
        let ordinal = one["ordinal"]?.text.flatMap({ UInt64($0) })
      else { return nil }
      var from: UInt64 = 0
      if let text = one["from"] {
        guard let first = text.text.flatMap({ UInt64($0) }), first <= ordinal else { return nil }
        from = first
      }
      note(Ring(enrolment: enrolment, way: way, series: series), from...ordinal)
    }
  }
}

extension DeliveredRows.Ring {
  fileprivate init(_ place: ExportRow.Place, _ series: String) {
    self.init(enrolment: place.enrolment, way: place.way, series: series)
  }

  fileprivate init?(_ gap: MissingRowsDocument) {
    guard let enrolment = gap.enrolment.flatMap({ UInt32(exactly: $0) }), let way = gap.way, let series = gap.series
    else { return nil }
    self.init(enrolment: enrolment, way: way, series: series)
  }
}
