// Files and directories of a wearable, and its queries, with what its error codes mean.

import Bluetooth
import EventLoop
import Wearable

extension PSFTPClient {
  /// Bytes of an answer to a query: none is longer than a hundred.
  static let queryLimit = 4096
  /// Bytes of a file that is kept whole before it is used (messages; the largest is a day's activity samples with some
  /// 20 kB).
  static let fileLimit = 64 << 10
  /// Bytes of a directory: some 2,000 entries.
  nonisolated static let directoryLimit = 64 << 10

  /// A file's content; nil where there is no such file.
  func get(_ path: String, limit: Int = fileLimit) async throws(VisitTrouble) -> [UInt8]? {
    let message = try request(.get, path)
    let (answer, bytes) = try await perform(message, limit: limit)
    return try isDone(answer, message) ? bytes : nil
  }

  /// How far a file was handed on.
  enum FileTransfer: Sendable, Hashable {
    /// All that there is of it: bytes of the whole file, which are fewer than the sink has of it if it is another by
    /// now.
    case whole(bytes: Int)
    /// As much as the sink wants now.
    case enough
    /// There is no such file.
    case absent
  }

  /// Hands a file on as it comes, from the first byte that `sink` does not have.
  ///
  /// - Parameters:
  ///   - base: where the file begins in the sink's item, for items that are several files.
  ///   - limit: bytes of the file that make sense; more end the transfer.
  func get(_ path: String, into sink: any ByteSink, base: Int = 0, limit: Int) async throws(VisitTrouble)
    -> FileTransfer
  {
    let message = try request(.get, path)
    let stream = PSFTPStream(sink, base: base, limit: limit)
    guard try isDone(await perform(message, into: stream), message) else { return .absent }
    return stream.taking == .enough ? .enough : .whole(bytes: stream.received)
  }

  /// All of an item that is one file, or as much as the sink wants now.
  ///
  /// - Parameter limit: as above.
  /// - Throws: `unsupported` where it is gone, `busy` where it is another one than was listed: the next visit lists it
  ///   as what it is.
  func fetch(_ item: HeldItem, into sink: any ByteSink, limit: Int) async throws(VisitTrouble) {
    guard let size = item.size else { throw .unsupported("\(item.id): of no size") }
    switch try await get(item.id, into: sink, limit: limit) {
    case .whole(let bytes):
      guard bytes == size, sink.offset == size else {
        throw .busy(what: "\(item.id) changed while it was read", retryAfter: PSFTPError.idlePause)
      }
    case .enough: return
    case .absent: throw .unsupported("\(item.id) is gone")
    }
  }

  /// Writes a file anew.
  func put(_ path: String, _ content: [UInt8]) async throws(VisitTrouble) {
    try await acknowledge(request(.put, path, content: content))
  }

  /// Adds a piece to a file, however the wearable does that. The vendor's programs never use it.
  func merge(_ path: String, _ content: [UInt8]) async throws(VisitTrouble) {
    try await acknowledge(request(.merge, path, content: content))
  }

  /// Removes a file, or a directory with all that is in it.
  ///
  /// - Returns: false if it was not there.
  @discardableResult
  func remove(_ path: String) async throws(VisitTrouble) -> Bool {
    let message = try request(.remove, path)
    return try isDone(await perform(message, limit: Self.queryLimit).answer, message)
  }

  /// What is in a directory; nil where there is no such directory.
  ///
  /// - Parameter path: ends in `/`.
  /// - Throws: `unsupported` for a listing that cannot be read, or is refused.
  func list(_ path: String) async throws(VisitTrouble) -> PSFTP.Directory? {
    guard path.hasSuffix("/"), let bytes = try await get(path, limit: Self.directoryLimit) else { return nil }
    // Reading one is a turn's work, and a walk may come to many.
    await Task.yield()
    guard let directory = bytes.withUnsafeBytes({ PSFTP.Directory($0) }) else {
      throw .unsupported("a directory that cannot be read: \(path)")
    }
    if directory.refused > 0 { link.note("names in a directory that are none") }
    return directory
  }

  /// A directory that does not exist is empty too.
  func isEmpty(_ path: String) async throws(VisitTrouble) -> Bool {
    guard let directory = try await list(path) else { return true }
    return directory.entries.isEmpty && directory.refused == 0
  }

  /// The answer to a query.
  func ask(_ query: PSFTP.Query, _ parameters: [UInt8] = []) async throws(VisitTrouble) -> [UInt8] {
    let message = PSFTP.Message.query(query, parameters)
    let (answer, bytes) = try await perform(message, limit: Self.queryLimit)
    if case .failed(let error) = answer { throw trouble(error, message.what) }
    return bytes
  }

  /// The answer to a query; nil where the wearable does not have it.
  func askIfPresent(_ query: PSFTP.Query, _ parameters: [UInt8] = []) async throws(VisitTrouble) -> [UInt8]? {
    let message = PSFTP.Message.query(query, parameters)
    let (answer, bytes) = try await perform(message, limit: Self.queryLimit)
    switch answer {
    case .done: return bytes
    case .failed(.notImplemented), .failed(.invalidCommand): return nil
    case .failed(let error): throw trouble(error, message.what)
    }
  }

  /// The answer to a query that changes nothing; nil where the wearable does not have it, or answers with an error of
  /// its own: the visit goes on without.
  ///
  /// - Throws: `busy` where it says so, and what concerns the link.
  func askWhatDescribes(_ query: PSFTP.Query) async throws(VisitTrouble) -> [UInt8]? {
    let message = PSFTP.Message.query(query, [])
    let (answer, bytes) = try await perform(message, limit: Self.queryLimit)
    guard case .failed(let error) = answer else { return bytes }
    let trouble = trouble(error, message.what)
    switch (error, trouble) {
    case (.notImplemented, _), (.invalidCommand, _): return nil
    case (.airPacketLost, _), (_, .busy), (_, .silent): throw trouble
    default:
      link.note("\(message.what): \(error.text)")
      return nil
    }
  }

  private func request(_ command: PSFTP.Command, _ path: String, content: [UInt8] = []) throws(VisitTrouble)
    -> PSFTP.Message
  {
    guard let message = PSFTP.Message.request(command, path, content: content) else {
      throw .unsupported("a path that is none")
    }
    return message
  }

  private func acknowledge(_ message: PSFTP.Message) async throws(VisitTrouble) {
    let answer = try await perform(message, limit: Self.queryLimit).answer
    if case .failed(let error) = answer { throw trouble(error, message.what) }
  }

  /// False where there is nothing at the path.
  private func isDone(_ answer: Answer, _ message: PSFTP.Message) throws(VisitTrouble) -> Bool {
    switch answer {
    case .done: return true
    case .failed(.noSuchFileOrDirectory): return false
    case .failed(let error): throw trouble(error, message.what)
    }
  }
}
