// State that one uplink leaves to the next on the same machine: positions of rings, and the number of its last birth.
// The file is beside its socket, in memory, so it does not wear the card.

public import EventLoop
internal import Glibc
internal import UplinkMessages

/// Storage of the state. Tests have their own.
@LoopActor
public protocol UplinkMemory: AnyObject, Sendable {
  func load() -> [UInt8]?
  func keep(_ bytes: [UInt8])
}

/// Content: header, birth number, then batches of ring positions, each after its length.
struct UplinkLegacy {
  private static let form: [UInt8] = Array("hearth-uplink 2\n".utf8)
  /// Header of the version without topics for Home Assistant.
  private static let before: [UInt8] = Array("hearth-uplink 1\n".utf8)

  var birth: UInt8
  var store: UInt64
  var heads: [RingHead]
  /// Topics for Home Assistant with a retained message.
  var home: [String] = []

  init(birth: UInt8, store: UInt64, heads: [RingHead]) { (self.birth, self.store, self.heads) = (birth, store, heads) }

  /// nil: invalid or truncated.
  init?(_ bytes: [UInt8]) {
    let isOld = bytes.starts(with: Self.before)
    guard isOld || bytes.starts(with: Self.form), bytes.count > Self.form.count else { return nil }
    birth = bytes[Self.form.count]
    (store, heads) = (0, [])
    var rest = bytes.dropFirst(Self.form.count + 1)
    var isFirst = !isOld
    if isFirst, rest.count < 4 { return nil }
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      if isFirst {
        guard length <= rest.count else { return nil }
        home = rest.prefix(length).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        (isFirst, rest) = (false, rest.dropFirst(length))
        continue
      }
      guard length <= rest.count, let batch = try? RowBatch(reading: Array(rest.prefix(length))) else { return nil }
      store = batch.store
      heads += batch.heads
      rest = rest.dropFirst(length)
    }
    if !rest.isEmpty { return nil }
  }

  var bytes: [UInt8] {
    var bytes = Self.form + [birth]
    func append(_ part: [UInt8]) {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - 8 * $0)) } + part
    }
    append(Array(home.joined(separator: "\n").utf8))
    for start in stride(from: 0, to: heads.count, by: RingHead.most) {
      let part = Array(heads[start..<min(heads.count, start + RingHead.most)])
      let batch = RowBatchWriter.bytes([], BatchHead(store: store, hub: "memory", sent: 1), heads: part)
      append(batch)
    }
    return bytes
  }
}

/// State that this uplink adds.
@LoopActor
final class UplinkHeritage {
  private let memory: (any UplinkMemory)?
  private(set) var legacy: UplinkLegacy

  /// - Parameter birth: birth number of an uplink without a predecessor.
  init(_ memory: (any UplinkMemory)?, birth: UInt64) {
    self.memory = memory
    let known = memory?.load().flatMap { UplinkLegacy($0) }
    legacy = known ?? UplinkLegacy(birth: UInt8(truncatingIfNeeded: birth), store: 0, heads: [])
  }

  func keep(birth: UInt8) {
    if legacy.birth == birth { return }
    legacy.birth = birth
    memory?.keep(legacy.bytes)
  }

  func keep(home topics: [String]) {
    if legacy.home == topics { return }
    legacy.home = topics
    memory?.keep(legacy.bytes)
  }

  func keep(_ heads: [RingHead], store: UInt64) {
    (legacy.heads, legacy.store) = (heads, store)
    memory?.keep(legacy.bytes)
  }
}

/// File that is replaced as a whole.
@LoopActor
final class MemoryFile: UplinkMemory {
  private static let limit = 4 << 20
  private let path: String

  init(beside socket: String) { path = socket + ".memory" }

  func load() -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= Self.limit {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
    }
    return nil
  }

  /// Writes the state; a failure is ignored, and the next uplink then knows less.
  func keep(_ bytes: [UInt8]) {
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { return }
    var place = 0
    while place < bytes.count {
      let count = bytes[place...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { break }
      place += count
    }
    close(descriptor)
    if place < bytes.count || rename(new, path) != 0 { unlink(new) }
  }
}
