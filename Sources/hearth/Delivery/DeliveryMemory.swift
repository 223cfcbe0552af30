// State of a scheduled export: a small file that is replaced in one step.

import EventLoop
import Glibc
import HubProtocol
import Reasons

/// What a run has to know of those before it.
struct DeliveryState: Sendable, Equatable {
  /// A complete file whose name may not be its own yet.
  struct Pending: Sendable, Equatable {
    var folder: String
    var name: String
    var rows: DeliveredRows
  }

  /// Number of the newest file.
  var number = 0
  /// Identity of the store that the places are of.
  var store: String?
  /// The person whose rows they are; nil: rows of all persons.
  var person: String?
  /// Rows in files that may not be confirmed; of a person all rows in files, as that export has no cursor at the hub.
  var delivered = DeliveredRows()
  var pending: Pending?
  /// End of the last complete run.
  var ranAt: WallTime?
  /// Time and words of a failure since then.
  var failedAt: WallTime?
  var failure: String?
  /// Rows of the last run that went before it had them, and chunks that it could not read.
  var gone = 0
  var corrupt = 0

  /// The pending file has its name.
  mutating func settle() {
    if let pending { delivered.note(pending.rows) }
    pending = nil
  }
}

extension DeliveryState {
  static let schema = "io.hearth.delivery-state/1"

  var json: JSON {
    [
      "schema": .string(Self.schema), "number": .integer(Int64(number)), "store": .optional(store),
      "person": .optional(person),
      "ran_at": .optional(ranAt?.rfc3339), "failed_at": .optional(failedAt?.rfc3339), "failure": .optional(failure),
      "gone": .integer(Int64(gone)), "corrupt": .integer(Int64(corrupt)),
      "pending": pending.map {
        ["folder": .string($0.folder), "name": .string($0.name), "rows": $0.rows.json]
      } ?? .null,
      "delivered": delivered.json,
    ]
  }

  /// nil for bytes that are no state.
  init?(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes), json["schema"]?.text == Self.schema,
      let delivered = DeliveredRows(json["delivered"])
    else { return nil }
    func count(_ key: String) -> Int? {
      guard case .integer(let number)? = json[key], number >= 0 else { return nil }
      return Int(exactly: number)
    }
    func time(_ key: String) -> WallTime? { json[key]?.text.flatMap { WallTime(rfc3339: $0) } }
    guard let number = count("number"), let gone = count("gone"), let corrupt = count("corrupt") else { return nil }
    self.init(
      number: number, store: json["store"]?.text, person: json["person"]?.text, delivered: delivered,
      ranAt: time("ran_at"),
      failedAt: time("failed_at"), failure: json["failure"]?.text, gone: gone, corrupt: corrupt)
    if let place = json["pending"], place != .null {
      guard let folder = place["folder"]?.text, let name = place["name"]?.text, DeliveryFolder.isName(name),
        let rows = DeliveredRows(place["rows"])
      else { return nil }
      pending = Pending(folder: folder, name: name, rows: rows)
    }
  }
}

/// The file of the state, one for each cursor.
struct DeliveryMemory {
  /// A ring takes about a hundred bytes: 100 000 of them, far more than a hub keeps.
  static let limit = 16 << 20

  let folder: String
  let cursor: String

  var path: String { Self.path(folder, cursor) }

  static func path(_ folder: String, _ cursor: String) -> String { "\(folder)/\(cursor).json" }

  private static func failure(_ path: String, _ code: Int32) -> HearthError {
    HearthError(.storeInputOutput, "\(path): \(String(cString: strerror(code)))")
  }

  /// Makes the folder, and waits until no other run uses the cursor. The lock ends with the program.
  ///
  /// - Throws: `storeInputOutput`.
  func lock() throws(HearthError) {
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw Self.failure(folder, errno) }
    let lock = "\(folder)/\(cursor).lock"
    let descriptor = open(lock, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    if descriptor < 0 { throw Self.failure(lock, errno) }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw Self.failure(lock, errno) }
    }
  }

  /// An empty state without a file.
  ///
  /// - Throws: `storeInputOutput` for a file that cannot be read or is no state: without it, rows could come twice.
  func load() throws(HearthError) -> DeliveryState {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 {
      if errno == ENOENT { return DeliveryState() }
      throw Self.failure(path, errno)
    }
    defer { close(descriptor) }
    var (bytes, part): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 64 << 10))
    while bytes.count <= Self.limit {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Self.failure(path, errno) }
      if count == 0 { break }
      bytes += part.prefix(count)
    }
    guard bytes.count <= Self.limit, let state = DeliveryState(bytes) else {
      throw HearthError(
        .storeInputOutput,
        "\(path) is no state of a scheduled export; if you delete it, rows of the newest file may come again")
    }
    return state
  }

  /// Replaces the state in one step. Durable when this returns.
  ///
  /// - Throws: `storeInputOutput`.
  func save(_ state: DeliveryState) throws(HearthError) {
    let draft = "\(path).part"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw Self.failure(draft, errno) }
    var code = PrivateFile.send(state.json.compact, to: descriptor)
    // Whoever runs hearth doctor reads it: it has times and places, and no values.
    if code == 0, fchmod(descriptor, 0o644) != 0 || fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, rename(draft, path) != 0 { code = errno }
    if code != 0 {
      unlink(draft)
      throw Self.failure(draft, code)
    }
    try DeliveryFolder.sync(folder)
  }

  /// Keeps a failure for `hearth doctor`. Only tries, as the failure itself is what is reported.
  func keep(_ failure: String, at time: WallTime) {
    guard var state = try? load() else { return }
    (state.failedAt, state.failure) = (time, failure)
    try? save(state)
  }
}
