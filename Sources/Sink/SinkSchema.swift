// SQL schema, and its application to a database.

public import EventLoop
public import Reasons

/// Schema of the sink's tables and functions.
public enum SinkSchema {
  /// Changes: 2: `hearth.heads`. 3: `hearth.retimed`. 4: `hearth.stretches`. 5: `hearth.owners`, groups in answers.
  static let version = 5

  /// Reason why this program cannot use a schema of this version; nil: it can.
  static func trouble(_ text: String?) -> DatabaseTrouble? {
    if text == "\(version)" { return nil }
    let found = text.flatMap { Int($0) }
    let isOlder = found.map { $0 < version } ?? true
    let next = isOlder ? "hearth-sink schema --apply" : "a newer hearth-sink"
    return DatabaseTrouble(
      state: "0A000",
      words: "the schema is of version \(found.map { "\($0)" } ?? "none"), and this program's is \(version): \(next)")
  }

  /// Returns the statements for a database with or without TimescaleDB.
  public static func text(timescale: Bool) -> String {
    let parts =
      [PackageResources.schema_sql, timescale ? PackageResources.timescale_sql : PackageResources.partitions_sql]
      + [PackageResources.views_sql] + SinkQuestion.all.map(\.bytes)
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  /// Applies the schema, atomically. An up-to-date schema is unchanged.
  ///
  /// - Returns: whether TimescaleDB partitions the rows.
  /// - Throws: `sinkDatabase`.
  @LoopActor
  public static func apply(_ loop: EpollLoop, _ settings: SinkSettings) async throws(HearthError) -> Bool {
    do throws(DatabaseTrouble) {
      let database = try await Database.open(loop, settings.database.address)
      defer { database.close() }
      let found = try await database.run("SELECT FROM pg_extension WHERE extname = 'timescaledb'")
      let timescale = !found.rows.isEmpty
      // Locked against other applications and groups of sinks: each would wait for tables of the other.
      try await database.run(
        "BEGIN; SELECT pg_advisory_xact_lock(1752523876, 3); SELECT pg_advisory_xact_lock(1752523876, 1)")
      let about = try await database.run("SELECT FROM pg_class WHERE oid = to_regclass('hearth.about')")
      if about.rows.isEmpty {
        try await refuseEncoding(database)
      } else {
        let found = try await database.run("SELECT version FROM hearth.about").rows.first?.first.flatMap { $0 }
        // A newer schema is left unchanged.
        if let found, let number = Int(found), number > version, let trouble = trouble(found) { throw trouble }
      }
      // Upgrading an older schema reads every row: hours with thousands of millions of them.
      try await database.run(text(timescale: timescale), patience: .seconds(86_400))
      try await database.run("COMMIT")
      return timescale
    } catch {
      throw HearthError(.sinkDatabase, "schema: \(error)")
    }
  }

  /// Hub names are UTF-8; a database with another encoding cannot store some of them.
  @LoopActor
  private static func refuseEncoding(_ database: Database) async throws(DatabaseTrouble) {
    let answer = try await database.run("SELECT current_setting('server_encoding'), current_database()")
    guard let row = answer.rows.first, let encoding = row[0], encoding != "UTF8" else { return }
    throw DatabaseTrouble(
      state: "0A000",
      words: "the database \(row[1] ?? "") has the encoding \(encoding), which lacks letters of people's names: "
        + "createdb -E UTF8 -T template0 NAME")
  }
}
