// File and directory operations, queries, and the meaning of their error codes.

import Bluetooth
import EventLoop
import Wearable

extension PSFTPClient {
  /// Longest answer to a query, in bytes. Known answers have at most a hundred.
  static let queryLimit = 4096
  /// Longest file, in bytes, that is read into memory as a whole (messages). The largest known is a day's activity
  /// samples, some 20 kB.
  static let fileLimit = 64 << 10
  /// Longest directory listing, in bytes: some 2,000 entries.
  nonisolated static let directoryLimit = 64 << 10

  /// The content of a file; nil if it does not exist.
  func get(_ path: String, limit: Int = fileLimit) async throws(VisitTrouble) -> [UInt8]? {
    let message = try request(.get, path)
    let (answer, bytes) = try await perform(message, limit: limit)
    return try isDone(answer, message) ? bytes : nil
  }

  /// Amount of a file that was forwarded to the sink.
  enum FileTransfer: Sendable, Hashable {
    /// The whole file, with its length in bytes. If the file was replaced by a shorter one, that is less than the sink
    /// holds.
    case whole(bytes: Int)
    /// Part as large as the sink wants for now.
    case enough
    /// The file does not exist.
    case absent
  }

  /// Streams a file into `sink`, from the first byte that the sink does not have.
  ///
  /// - Parameters:
  ///   - base: offset of the file in the sink's item, for items that consist of several files.
  ///   - limit: largest plausible size in bytes; a longer file aborts the transfer.
  func get(_ path: String, into sink: any ByteSink, base: Int = 0, limit: Int) async throws(VisitTrouble)
    -> FileTransfer
  {
    let message = try request(.get, path)
    let stream = PSFTPStream(sink, base: base, limit: limit)
    guard try isDone(await perform(message, into: stream), message) else { return .absent }
    return stream.taking == .enough ? .enough : .whole(bytes: stream.received)
  }

  /// Fetches an item that is a single file, or as much of it as the sink wants for now.
  ///
  /// - Parameter limit: largest plausible size in bytes.
  /// - Throws: `unsupported` if the file is gone, `busy` if it differs from its listing: the next visit then lists it
  ///   again.
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

  /// Writes a file, replacing the old one.
  func put(_ path: String, _ content: [UInt8]) async throws(VisitTrouble) {
    try await acknowledge(request(.put, path, content: content))
  }

  /// Adds a piece to a file; how is up to the wearable. The vendor's programs never use this operation.
  func merge(_ path: String, _ content: [UInt8]) async throws(VisitTrouble) {
    try await acknowledge(request(.merge, path, content: content))
  }

  /// Removes a file, or a directory with its content.
  ///
  /// - Returns: false if it did not exist.
  @discardableResult
  func remove(_ path: String) async throws(VisitTrouble) -> Bool {
    let message = try request(.remove, path)
    return try isDone(await perform(message, limit: Self.queryLimit).answer, message)
  }

  /// The entries of a directory; nil if it does not exist.
  ///
  /// - Parameter path: ends in `/`.
  /// - Throws: `unsupported` for a listing that is refused or unreadable.
  func list(_ path: String) async throws(VisitTrouble) -> PSFTP.Directory? {
    guard path.hasSuffix("/"), let bytes = try await get(path, limit: Self.directoryLimit) else { return nil }
    // Decoding a listing takes a turn of the event loop, and a walk may decode many.
    await Task.yield()
    guard let directory = bytes.withUnsafeBytes({ PSFTP.Directory($0) }) else {
      throw .unsupported("a directory that cannot be read: \(path)")
    }
    if directory.refused > 0 { link.note("invalid names in a directory") }
    return directory
  }

  /// Whether the directory is empty. A directory that does not exist counts as empty.
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

  /// The answer to a query; nil if the wearable does not support it.
  func askIfPresent(_ query: PSFTP.Query, _ parameters: [UInt8] = []) async throws(VisitTrouble) -> [UInt8]? {
    let message = PSFTP.Message.query(query, parameters)
    let (answer, bytes) = try await perform(message, limit: Self.queryLimit)
    switch answer {
    case .done: return bytes
    case .failed(.notImplemented), .failed(.invalidCommand): return nil
    case .failed(let error): throw trouble(error, message.what)
    }
  }

  /// The answer to a query that only reads; nil if the wearable does not support it or refuses it. The visit goes on
  /// without the answer.
  ///
  /// - Throws: `busy` if the wearable reports that it is, and troubles of the link.
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
      throw .unsupported("an invalid path")
    }
    return message
  }

  private func acknowledge(_ message: PSFTP.Message) async throws(VisitTrouble) {
    let answer = try await perform(message, limit: Self.queryLimit).answer
    if case .failed(let error) = answer { throw trouble(error, message.what) }
  }

  /// False if the path does not exist.
  private func isDone(_ answer: Answer, _ message: PSFTP.Message) throws(VisitTrouble) -> Bool {
    switch answer {
    case .done: return true
    case .failed(.noSuchFileOrDirectory): return false
    case .failed(let error): throw trouble(error, message.what)
    }
  }
}
