// What was deleted is not in the file any more either.

internal import EventLoop

extension Store {
  /// Waits for readers of a purge, which last for one page of samples each.
  private nonisolated static let tries = 20

  /// Makes zeros of all pages that hold nothing any more: of what was purged, and of what was evicted, moved or written
  /// anew before. Commits go on between its steps.
  ///
  /// Not what lies in the unused parts of pages that are in use, as names of people may (`PageScrub`); not the damaged
  /// files and copies beside the store.
  ///
  /// - Returns: how many pages still hold what they had, because somebody reads an older state of the store; nil: the
  ///   disk refused, so nobody knows.
  public func overwriteDeleted() async -> Int? {
    do {
      let writer = try await disk.openWriter()
      guard let environment = disk.environment else { return nil }
      var pass = FreedPages(through: environment.latestTransaction)
      // The pages that the last commit gave up belong to the root before it, until there is another.
      disk.note(try await disk.perform { try writer.keepOdometer() })
      for _ in 0..<Self.tries where (environment.oldestReader ?? .max) <= pass.through {
        try await disk.loop.sleep(for: .milliseconds(100))
      }
      try await disk.perform { try writer.wipeJournalFile() }
      while pass.next != nil {
        guard disk.environment === environment, disk.isSound else { return nil }
        let begun = pass
        pass = try await disk.perform {
          var pass = begun
          try environment.overwriteFreed(&pass)
          return pass
        }
      }
      return pass.held
    } catch {
      _ = await disk.explain(error)
      return nil
    }
  }
}
