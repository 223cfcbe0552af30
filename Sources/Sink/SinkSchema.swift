// The schema as text, and its way into a database.

public import EventLoop
public import Reasons

public enum SinkSchema {
  static let version = 1

  /// All statements for a database with or without TimescaleDB.
  public static func text(timescale: Bool) -> String {
    let parts =
      [PackageResources.schema_sql, timescale ? PackageResources.timescale_sql : PackageResources.partitions_sql]
      + [PackageResources.views_sql] + SinkQuestion.all.map(\.bytes)
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  /// Applies it: all of it, or nothing. Where it stands already, nothing changes.
  ///
  /// - Returns: whether TimescaleDB divides the rows.
  /// - Throws: `sinkDatabase`.
  @LoopActor
  public static func apply(_ loop: EpollLoop, _ settings: SinkSettings) async throws(HearthError) -> Bool {
    do throws(DatabaseTrouble) {
      let database = try await Database.open(loop, settings.database.address)
      defer { database.close() }
      let found = try await database.run("SELECT FROM pg_extension WHERE extname = 'timescaledb'")
      let timescale = !found.rows.isEmpty
      try await database.run("BEGIN; SELECT pg_advisory_xact_lock(1752523876, 3)")
      try await database.run(text(timescale: timescale))
      try await database.run("COMMIT")
      return timescale
    } catch {
      throw HearthError(.sinkDatabase, "schema: \(error)")
    }
  }
}
