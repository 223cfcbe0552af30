// Queries of operators: questions about rows, and the report of missing rows.

public import EventLoop
internal import JSONText
public import Reasons

/// Period with a start and an end, as PostgreSQL parses them: `2026-11-01`, `yesterday`, `now`.
public struct AskedSpan: Sendable {
  /// Begin, as PostgreSQL parses it.
  public var since: String
  /// End, as PostgreSQL parses it.
  public var until: String

  /// A period of two texts.
  public init(since: String, until: String) { (self.since, self.until) = (since, until) }
}

/// Runner of operators' queries.
@LoopActor
public enum SinkAsking {
  /// The answer as a text table or as JSON: a list of objects with all values as text or null.
  ///
  /// - Throws: `sinkDatabase`.
  public static func ask(
    _ loop: EpollLoop, _ settings: SinkSettings, _ question: SinkQuestion, _ span: AskedSpan, whom: String?, json: Bool
  ) async throws(HearthError) -> String {
    let answer = try await answer(
      loop, settings, "SELECT * FROM hearth.\(question.name)($1::timestamptz, $2::timestamptz, $3)",
      [span.since, span.until, whom])
    return json ? document(answer) : table(answer)
  }

  /// The report of missing rows, and the number of missing ordinals.
  ///
  /// - Throws: `sinkDatabase`.
  public static func gaps(_ loop: EpollLoop, _ settings: SinkSettings, _ span: AskedSpan, json: Bool)
    async throws(HearthError) -> (text: String, missing: Int64)
  {
    let answer = try await answer(
      loop, settings,
      """
      SELECT grp, hub, wearable, series, way, store, enrolment, first, last, last - first + 1 AS missing, time_before,
        time_after FROM hearth.gaps($1::timestamptz, $2::timestamptz)
      """, [span.since, span.until])
    let told = try await self.answer(
      loop, settings, "SELECT coalesce(sum(last - first + 1), 0) FROM hearth.skips", [])
    let missing = answer.rows.reduce(Int64(0)) { $0 &+ ($1[9].flatMap { Int64($0) } ?? 0) }
    let toldCount = told.rows.first?.first.flatMap { $0 } ?? "0"
    if json {
      let gaps = "{\"code\":\"\(Reason.sinkGap.code)\",\"missing\":\(missing),\"told_by_hubs\":\(toldCount),\"gaps\":"
      return (gaps + document(answer) + "}", missing)
    }
    if answer.rows.isEmpty { return ("no gaps; ordinals that hubs reported as missing: \(toldCount)", 0) }
    let text = Reason.sinkGap.text
    return (
      """
      \(table(answer))
      \(Reason.sinkGap.code) \(text.sentence): \(missing) in \(answer.rows.count) gaps
            next: \(text.next)
      """, missing
    )
  }

  /// Retries messages that were put aside, one at a time.
  ///
  /// - Returns: how many are stored now, and how many remain.
  /// - Throws: `sinkDatabase`.
  public static func again(_ loop: EpollLoop, _ settings: SinkSettings) async throws(HearthError) -> (
    stored: Int, left: Int
  ) {
    do throws(DatabaseTrouble) {
      let database = try await Database.open(loop, settings.database.address)
      defer { database.close() }
      let writer = try await GroupWriter.make(database, settings.database)
      let all = try await database.run("SELECT id FROM hearth.quarantine ORDER BY id")
      var (stored, left) = (0, 0)
      for row in all.rows {
        if try await writer.retry(row[0]) { stored += 1 } else { left += 1 }
      }
      return (stored, left)
    } catch {
      throw HearthError(.sinkDatabase, "\(error)")
    }
  }

  /// Assigns a store of another hub to this one, from its next rows on.
  ///
  /// - Parameters:
  ///   - store: 16 hexadecimal digits.
  ///   - hub: `group/name`, as in topics.
  /// - Returns: false if the database does not know the store or the hub.
  /// - Throws: `sinkDatabase`.
  public static func adopt(
    _ loop: EpollLoop, _ settings: SinkSettings, store: String, hub: String
  ) async throws(HearthError) -> Bool {
    let found = try await answer(
      loop, settings,
      """
      UPDATE hearth.stores SET heir = hubs.hub FROM hearth.hubs
      WHERE store = $1 AND grp || '/' || name = $2 RETURNING stores.store
      """, [store, hub])
    return !found.rows.isEmpty
  }

  private static func answer(_ loop: EpollLoop, _ settings: SinkSettings, _ statement: String, _ values: [String?])
    async throws(HearthError) -> DatabaseAnswer
  {
    do throws(DatabaseTrouble) {
      let database = try await Database.open(loop, settings.database.address)
      defer { database.close() }
      return try await database.run(statement, values)
    } catch {
      throw HearthError(.sinkDatabase, "\(error)")
    }
  }

  private static func document(_ answer: DatabaseAnswer) -> String {
    let list = JSON.array(
      answer.rows.map { row in
        .object(zip(answer.columns, row).map { JSON.Member($0, value($0, $1)) })
      })
    return String(decoding: list.compact, as: UTF8.self)
  }

  /// Text of the database as JSON text, except whole numbers, which every JSON reader keeps exactly.
  private static func value(_ column: String, _ text: String?) -> JSON {
    guard let text else { return .null }
    let counts = ["first", "last", "missing", "enrolment", "rows", "wearables", "persons", "minutes"]
    return counts.contains(column) ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
  }

  /// Table with columns as wide as their widest value.
  private static func table(_ answer: DatabaseAnswer) -> String {
    let lines = [answer.columns] + answer.rows.map { row in row.map { oneLine($0 ?? "-") } }
    let widths = answer.columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      var text = ""
      for (column, value) in line.enumerated() {
        text += value
        if column < line.count - 1 { text += String(repeating: " ", count: widths[column] - value.count + 2) }
      }
      return text
    }.joined(separator: "\n")
  }
}
