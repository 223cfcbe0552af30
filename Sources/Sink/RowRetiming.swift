// Rows with times corrected after they were stored at their hub. Each replaces a row of its ring and ordinal that was
// sent with another time, whatever their order of arrival and however often they come.

internal import EventLoop
internal import UplinkMessages

@LoopActor
struct RowRetiming {
  let database: Database

  /// Ranges of ordinals with corrected times, stored to recognise rows that were sent before but arrive later. Without
  /// gaps, because a gap may hide a separate row.
  static func stretches(_ ordinals: [Int64]) -> [ClosedRange<Int64>] {
    var stretches: [ClosedRange<Int64>] = []
    for ordinal in ordinals {
      if let last = stretches.last, last.upperBound < ordinal, ordinal - last.upperBound == 1 {
        stretches[stretches.count - 1] = last.lowerBound...ordinal
      } else {
        stretches.append(ordinal...ordinal)
      }
    }
    return stretches
  }

  func keep(_ runs: [(ring: Int32, ordinals: [Int64])]) async throws(DatabaseTrouble) {
    var stretches: Set<[Int64]> = []
    for run in runs {
      for stretch in Self.stretches(run.ordinals) {
        stretches.insert([Int64(run.ring), stretch.lowerBound, stretch.upperBound])
      }
    }
    if stretches.isEmpty { return }
    let sorted = stretches.sorted { $0.lexicographicallyPrecedes($1) }
    try await database.run(
      """
      INSERT INTO hearth.retimed (ring, first, last) SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[])
      ON CONFLICT DO NOTHING
      """, (0..<3).map { column in sqlArray(sorted.map { "\($0[column])" }) })
  }

  /// Leaves in `incoming` the rows to insert, and deletes rows in `hearth.rows` that they replace.
  func settle() async throws(DatabaseTrouble) {
    try await database.run(
      """
      DELETE FROM incoming USING hearth.retimed
      WHERE NOT incoming.retimed AND retimed.ring = incoming.ring
        AND incoming.ordinal BETWEEN retimed.first AND retimed.last
      """)
    // The gap before a row was stored when it was sent first.
    try await database.run(
      """
      WITH gone AS (
        DELETE FROM hearth.rows USING incoming
        WHERE incoming.retimed AND rows.ring = incoming.ring AND rows.ordinal = incoming.ordinal
          AND rows."time" <> incoming."time"
        RETURNING rows.ring, rows.ordinal, rows.before)
      UPDATE incoming SET before = gone.before FROM gone
      WHERE incoming.retimed AND incoming.ring = gone.ring AND incoming.ordinal = gone.ordinal
      """)
  }
}
