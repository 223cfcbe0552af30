// Connection to PostgreSQL on the loop: only the calling task waits. Statements run one at a time.

internal import CPostgres
internal import EventLoop

/// Result of a statement: rows of text, if any.
struct DatabaseAnswer: Sendable {
  var rows: [[String?]] = []
  var columns: [String] = []
  /// Number of rows written.
  var written = 0
}

/// Error of the database, in its own words.
struct DatabaseTrouble: Error, Sendable, CustomStringConvertible {
  /// SQLSTATE, five characters; empty for a failure of the connection.
  var state: String
  var words: String

  var description: String { state.isEmpty ? words : "\(words) (\(state))" }

  /// Whether the connection is unusable.
  var isLost: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") }
  /// Whether the data cannot be stored, however often it is tried: data exceptions, integrity, limits of the program.
  var isOfData: Bool { ["22", "23", "54"].contains { state.hasPrefix($0) } }
  /// Whether a retry may succeed: two sinks got in each other's way.
  var isOfMoment: Bool { state == "40001" || state == "40P01" || state == "55P03" }
}

@LoopActor
final class Database {
  /// Longest time for a statement. A group of rows takes a second; a correction of a month takes several.
  private static let patience: Duration = .seconds(300)
  private static let connectPatience: Duration = .seconds(15)
  /// Bytes of COPY passed at once.
  private static let piece = 256 << 10

  /// Fields of an error that libpq names by macros: PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
  private static let stateField = Int32(UInt8(ascii: "C"))
  private static let wordsField = Int32(UInt8(ascii: "M"))

  private let loop: EpollLoop
  /// Connection of libpq, owned by this object: used on the loop, and once more by the last release.
  private nonisolated(unsafe) let connection: OpaquePointer
  private var watch: Watch?
  private var waiting: CheckedContinuation<Bool, Never>?
  private var timer: LoopTimer?

  private init(_ loop: EpollLoop, _ connection: OpaquePointer) { (self.loop, self.connection) = (loop, connection) }

  deinit { PQfinish(connection) }

  var now: Instant { loop.now }
  var wall: WallTime { loop.wall }

  /// Opens a connection. The lookup of a host name blocks, as in libpq.
  static func open(_ loop: EpollLoop, _ address: String) async throws(DatabaseTrouble) -> Database {
    guard let connection = PQconnectStart(address) else { throw DatabaseTrouble(state: "", words: "no memory") }
    let database = Database(loop, connection)
    if PQstatus(connection) == CONNECTION_BAD { throw database.lost() }
    let deadline = loop.now + connectPatience
    while true {
      let step = PQconnectPoll(connection)
      if step == PGRES_POLLING_OK { break }
      if step == PGRES_POLLING_FAILED { throw database.lost() }
      // The socket may change at each step.
      database.watch?.end()
      database.watch = nil
      try await database.wait(step == PGRES_POLLING_WRITING ? .writable : .readable, until: deadline)
    }
    database.watch?.end()
    database.watch = nil
    PQsetnonblocking(connection, 1)
    // Notices are ignored.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    try await database.run("SET client_min_messages = warning; SET TIME ZONE 'UTC'; SET client_encoding = 'UTF8'")
    // Rows acknowledged to the broker must be on the database's disk, whatever its settings are for other clients.
    try await database.run(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
    return database
  }

  /// Ends the connection; a waiting task gets an error.
  func close() {
    watch?.end()
    watch = nil
    resume(false)
  }

  /// Runs one statement with parameters, or several without.
  @discardableResult
  func run(
    _ statement: String, _ parameters: [String?] = [], patience: Duration = patience
  ) async throws(DatabaseTrouble) -> DatabaseAnswer {
    let isSent =
      parameters.isEmpty
      ? PQsendQuery(connection, statement)
      : withTexts(parameters) {
        PQsendQueryParams(connection, statement, Int32(parameters.count), nil, $0, nil, nil, 0)
      }
    if isSent == 0 { throw lost() }
    let deadline = loop.now + patience
    try await flush(until: deadline)
    return try await answer(until: deadline)
  }

  /// Runs COPY … FROM STDIN with its bytes.
  @discardableResult
  func copy(_ statement: String, _ bytes: [UInt8]) async throws(DatabaseTrouble) -> DatabaseAnswer {
    if PQsendQuery(connection, statement) == 0 { throw lost() }
    let deadline = loop.now + Self.patience
    try await flush(until: deadline)
    try await become(readyUntil: deadline)
    guard let result = PQgetResult(connection) else { throw lost() }
    let status = PQresultStatus(result)
    if status != PGRES_COPY_IN {
      let trouble = trouble(of: result)
      PQclear(result)
      _ = try await answer(until: deadline)
      throw trouble
    }
    PQclear(result)
    var place = 0
    while place < bytes.count {
      let count = min(Self.piece, bytes.count - place)
      let taken = bytes.withUnsafeBytes { raw in
        raw.baseAddress.map {
          PQputCopyData(connection, ($0 + place).assumingMemoryBound(to: CChar.self), Int32(count))
        } ?? -1
      }
      if taken < 0 { throw lost() }
      if taken > 0 { place += count }
      try await flush(until: deadline)
    }
    while true {
      let taken = PQputCopyEnd(connection, nil)
      if taken < 0 { throw lost() }
      try await flush(until: deadline)
      if taken > 0 { break }
    }
    return try await answer(until: deadline)
  }

  // MARK: - Waiting

  private func flush(until deadline: Instant) async throws(DatabaseTrouble) {
    while true {
      let left = PQflush(connection)
      if left < 0 { throw lost() }
      if left == 0 { return }
      // Also reads, because a server that must send something first would block for ever.
      try await wait([.readable, .writable], until: deadline)
      if PQconsumeInput(connection) == 0 { throw lost() }
    }
  }

  private func become(readyUntil deadline: Instant) async throws(DatabaseTrouble) {
    while PQisBusy(connection) != 0 {
      try await wait(.readable, until: deadline)
      if PQconsumeInput(connection) == 0 { throw lost() }
    }
  }

  /// Reads all results; the first error is thrown when the connection is free again.
  private func answer(until deadline: Instant) async throws(DatabaseTrouble) -> DatabaseAnswer {
    var answer = DatabaseAnswer()
    var failure: DatabaseTrouble?
    while true {
      try await become(readyUntil: deadline)
      guard let result = PQgetResult(connection) else { break }
      let status = PQresultStatus(result)
      if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK {
        answer = read(result)
      } else if failure == nil {
        failure = trouble(of: result)
      }
      PQclear(result)
      // A connection lost in the middle returns errors for ever.
      if PQstatus(connection) == CONNECTION_BAD { throw failure ?? lost() }
    }
    if let failure { throw failure }
    return answer
  }

  private func wait(_ readiness: Readiness, until deadline: Instant) async throws(DatabaseTrouble) {
    let descriptor = PQsocket(connection)
    if descriptor < 0 { throw lost() }
    if let watch {
      watch.update(readiness)
    } else {
      watch = loop.watch(descriptor, for: readiness) { [weak self] _ in self?.resume(true) }
    }
    timer = loop.schedule(at: deadline) { [weak self] in self?.resume(false) }
    let isReady = await withCheckedContinuation { waiting = $0 }
    if !isReady { throw DatabaseTrouble(state: "", words: "the database does not answer") }
  }

  private func resume(_ isReady: Bool) {
    guard let waiting else { return }
    self.waiting = nil
    if let timer { loop.cancel(timer) }
    // Level-triggered: without this the loop would not sleep until a task reads.
    watch?.update([])
    waiting.resume(returning: isReady)
  }

  // MARK: - Results

  private func read(_ result: OpaquePointer) -> DatabaseAnswer {
    var answer = DatabaseAnswer()
    let columns = PQnfields(result)
    for column in 0..<columns { answer.columns.append(PQfname(result, column).map { String(cString: $0) } ?? "") }
    for row in 0..<PQntuples(result) {
      answer.rows.append(
        (0..<columns).map { column in
          PQgetisnull(result, row, column) != 0 ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
        })
    }
    answer.written = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    return answer
  }

  private func trouble(of result: OpaquePointer) -> DatabaseTrouble {
    let state = PQresultErrorField(result, Self.stateField).map { String(cString: $0) } ?? ""
    let words = PQresultErrorField(result, Self.wordsField).map { String(cString: $0) }
    return DatabaseTrouble(state: state, words: words ?? lost().words)
  }

  private func lost() -> DatabaseTrouble {
    let words = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    return DatabaseTrouble(state: "", words: words.isEmpty ? "the connection is lost" : oneLine(words))
  }
}

func oneLine(_ words: String) -> String {
  var line = ""
  for scalar in words.unicodeScalars.prefix(400) {
    line.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
  }
  while line.hasSuffix(" ") { line.removeLast() }
  return line
}

/// Passes the parameters as C strings during `body`.
private func withTexts<Value>(_ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value) -> Value {
  var bytes: [CChar] = []
  let starts = texts.map { text -> Int? in
    guard let text else { return nil }
    defer { bytes += text.utf8CString }
    return bytes.count
  }
  return bytes.withUnsafeBufferPointer { buffer in
    let pointers = starts.map { start in start.flatMap { place in buffer.baseAddress.map { $0 + place } } }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

/// SQL text array in its external form.
func sqlArray(_ values: [String]) -> String {
  var text = "{"
  for (index, value) in values.enumerated() {
    if index > 0 { text += "," }
    text += "\""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { text += "\\" }
      text.unicodeScalars.append(character)
    }
    text += "\""
  }
  return text + "}"
}
