// How the loop reaches the disk: the writer, small changes, what a failed write means.

internal import EventLoop
internal import Reasons

extension Store {
  /// The writer; opens the environment again if its roots could not be written, or if the kernel's cache is not to be
  /// trusted.
  func openWriter() async throws -> StoreWriter {
    if let writer, !mistrustsCache { return writer }
    if isShut { throw DatabaseFailure(call: "the store is closed", code: 9) }
    // An LMDB environment must never be open twice in one process.
    await reopenTurn.take()
    defer { reopenTurn.give() }
    if let writer, !mistrustsCache { return writer }
    let options = options
    let (old, account) = (environment, account)
    let forgetting = mistrustsCache
    backup?.end()
    environment = nil
    writer = nil
    let (environment, writer) = try await disk.perform {
      old?.close()
      if forgetting { StoreOpening.forgetCached(options) }
      return try StoreOpening.reopen(options, account: account)
    }
    mistrustsCache = false
    self.environment = environment
    self.writer = writer
    note(CommitOutcome(extent: writer.state))
    noteMiscounts(environment)
    return writer
  }

  /// Makes a small change of other tables durable: `body` runs on the disk's side, inside one transaction that needs at
  /// most `pages` pages.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  func change<T: Sendable>(pages: Int, _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> T)
    async throws(HearthError) -> T
  {
    if isClosing { throw HearthError(.storeFailing, "\(options.path) is being closed") }
    do {
      let writer = try await openWriter()
      let (result, outcome) = try await disk.perform { try writer.change(pages: pages, body) }
      note(outcome)
      return result
    } catch {
      throw await explain(error)
    }
  }

  /// What a failed write means; where LMDB gave the environment up it is closed, to be opened again at the next
  /// attempt.
  func explain(_ error: any Error) async -> HearthError {
    guard let failure = error as? DatabaseFailure else {
      return HearthError(.storeFailing, "\(options.path): \(error)")
    }
    if let environment {
      environment.clearDeadReaders()
      // What is miscounted is counted anew when the environment is opened.
      if failure.isOfRoots || failure.isOfPages {
        backup?.end()
        self.environment = nil
        writer = nil
        _ = try? await disk.perform { environment.close() }
      }
      if failure.spoilsCache { mistrustsCache = true }
    }
    return writeFailure(failure, options.path)
  }
}
