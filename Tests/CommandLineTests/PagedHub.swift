import HubProtocol

@testable import hearth

/// The reader's side of a hub: rings that gain and lose rows, and the confirmed place of one cursor. A connection gives
/// pages of a few rows. No daemon gives up rows at will.
final class PagedHub {
  /// Rows of one ring, by their ordinals.
  struct Ring {
    var enrolment: Int
    var series: String
    var rows: ClosedRange<Int>?
    /// Ordinal of the newest row that was ever here.
    var newest = -1
    var confirmed = -1
  }

  var rings = [
    Ring(enrolment: 1, series: "heart_rate"), Ring(enrolment: 1, series: "battery"),
    Ring(enrolment: 2, series: "heart_rate"),
  ]
  var store = "0123456789abcdef"
  var corrections: [CorrectionDocument] = []
  var page = 5
  /// Rows that cannot be read; only an export of a person reports them.
  var damage: [MissingRowsDocument] = []
  /// The person that wore the wearable of a ring when it measured an ordinal.
  var wearer: (_ ring: Int, _ ordinal: Int) -> String = { _, _ in "Ada" }

  /// Rows come to a ring.
  func grow(_ ring: Int, _ count: Int) {
    let first = rings[ring].rows?.lowerBound ?? rings[ring].newest + 1
    rings[ring].newest += count
    if count > 0 || rings[ring].rows != nil { rings[ring].rows = first...rings[ring].newest }
  }

  /// The oldest rows of a ring go.
  func evict(_ ring: Int, _ count: Int) {
    guard let rows = rings[ring].rows else { return }
    rings[ring].rows = count < rows.count ? rows.lowerBound + count...rows.upperBound : nil
  }

  /// A connection: its first page begins behind what was confirmed.
  func connect() -> (Bool) -> Methods.ExportNext.Reply {
    var (places, isDone) = (rings.map(\.confirmed), false)
    return { [self] confirms in
      if confirms {
        for (ring, place) in places.enumerated() { rings[ring].confirmed = max(rings[ring].confirmed, place) }
        corrections = []
        if isDone { return Methods.ExportNext.Reply(samples: [], corruptChunks: 0, last: true, store: store) }
      }
      var (samples, gaps): ([JSON], [MissingRowsDocument]) = ([], [])
      for ring in rings.indices {
        let first = rings[ring].rows?.lowerBound ?? rings[ring].newest + 1
        if first > places[ring] + 1 {
          gaps.append(
            MissingRowsDocument(
              device: "strap-0\(rings[ring].enrolment)", address: "F0:F1", enrolment: rings[ring].enrolment,
              series: rings[ring].series, way: "live", from: places[ring] + 1, to: first - 1, cause: "gone"))
          places[ring] = first - 1
        }
        while let rows = rings[ring].rows, places[ring] < rows.upperBound, samples.count < page {
          places[ring] += 1
          samples.append(row(ring, places[ring]))
        }
      }
      isDone = rings.indices.allSatisfy { places[$0] >= rings[$0].newest }
      return Methods.ExportNext.Reply(
        samples: samples, corruptChunks: 0, last: isDone, store: store,
        corrections: corrections.isEmpty ? nil : corrections, gaps: gaps.isEmpty ? nil : gaps)
    }
  }

  /// All rows that are of a person now, as an export of that person without a cursor.
  func pages(of person: String) -> [DeliveryRun.Page] {
    let rows = rings.indices.flatMap { ring in
      (rings[ring].rows.map { Array($0) } ?? []).filter { wearer(ring, $0) == person }.map { row(ring, $0) }
    }
    let starts = rows.isEmpty ? [0] : Array(stride(from: 0, to: rows.count, by: page))
    return starts.map { start in
      DeliveryRun.Page(
        Methods.Export.Reply(
          samples: Array(rows[start..<min(start + page, rows.count)]), corruptChunks: 0, store: store,
          gaps: damage.isEmpty ? nil : damage))
    }
  }

  private func row(_ ring: Int, _ ordinal: Int) -> JSON {
    [
      "device": .string("strap-0\(rings[ring].enrolment)"), "address": "F0:F1", "series": .string(rings[ring].series),
      "time": "2026-11-30T10:00:00.000Z", "value": .integer(Int64(ordinal)), "unit": "bpm", "origin": "live",
      "enrolment": .integer(Int64(rings[ring].enrolment)), "way": "live", "ordinal": .integer(Int64(ordinal)),
    ]
  }
}
