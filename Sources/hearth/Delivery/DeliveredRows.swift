// Rows that lie in files, by their places in the store.

import Export
import HubProtocol

/// The last place of each ring that lies in a file. Places of a ring rise by one, and files take them in this order.
struct DeliveredRows: Sendable, Equatable {
  /// Rows of one series of an enrolment that came one way.
  struct Ring: Sendable, Hashable {
    var enrolment: UInt32
    var way: String
    var series: String
  }

  private var last: [Ring: UInt64] = [:]

  var isEmpty: Bool { last.isEmpty }

  /// A row without a place is in no file.
  func has(_ row: ExportRow) -> Bool {
    guard let place = row.place, let last = last[Ring(place, row.series)] else { return false }
    return place.ordinal <= last
  }

  mutating func note(_ row: ExportRow) {
    if let place = row.place { note(Ring(place, row.series), place.ordinal) }
  }

  /// Lines about missing rows lie in files too.
  mutating func note(_ gap: MissingRowsDocument) {
    if let ring = Ring(gap), let to = gap.to.flatMap({ UInt64(exactly: $0) }) { note(ring, to) }
  }

  mutating func note(_ others: DeliveredRows) {
    for (ring, ordinal) in others.last { note(ring, ordinal) }
  }

  private mutating func note(_ ring: Ring, _ ordinal: UInt64) { last[ring] = max(last[ring] ?? 0, ordinal) }

  /// What is missing behind the rows that lie in files; nil: nothing.
  func rest(of gap: MissingRowsDocument) -> MissingRowsDocument? {
    guard let ring = Ring(gap), let known = last[ring], let known = Int(exactly: known), let from = gap.from,
      let to = gap.to, from <= known
    else { return gap }
    if to <= known { return nil }
    var rest = gap
    rest.from = known + 1
    return rest
  }

  // MARK: In a file

  /// An element is a ring and its last place.
  var json: JSON {
    .array(
      last.sorted { ($0.key.enrolment, $0.key.series, $0.key.way) < ($1.key.enrolment, $1.key.series, $1.key.way) }
        .map { ring, ordinal in
          [
            "enrolment": .integer(Int64(ring.enrolment)), "way": .string(ring.way), "series": .string(ring.series),
            "ordinal": .string("\(ordinal)"),
          ]
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
      note(Ring(enrolment: enrolment, way: way, series: series), ordinal)
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
