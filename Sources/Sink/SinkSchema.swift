// The schema as text, and its way into a database.

public import EventLoop
public import Reasons

public enum SinkSchema {
  /// 2: `hearth.heads`. 3: `hearth.retimed`.
  static let version = 3

  /// What keeps a program from a database whose schema says this of itself; nil: nothing.
  static func trouble(_ text: String?) -> DatabaseTrouble? {
    if text == "\(version)" { return nil }
    let found = text.flatMap { Int($0) }
    let isOlder = found.map { $0 < version } ?? true
    let next = isOlder ? "hearth-sink schema --apply" : "a newer hearth-sink"
    return DatabaseTrouble(
      state: "0A000",
      words: "the schema is of version \(found.map { "\($0)" } ?? "none"), and this program's is \(version): \(next)")
  }

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
      let about = try await database.run("SELECT FROM pg_class WHERE oid = to_regclass('hearth.about')")
      if !about.rows.isEmpty {
        let found = try await database.run("SELECT version FROM hearth.about").rows.first?.first.flatMap { $0 }
        // What is newer stays as it is.
        if let found, let number = Int(found), number > version, let trouble = trouble(found) { throw trouble }
      }
      try await database.run(text(timescale: timescale))
      try await database.run("COMMIT")
      return timescale
    } catch {
      throw HearthError(.sinkDatabase, "schema: \(error)")
    }
  }
}
