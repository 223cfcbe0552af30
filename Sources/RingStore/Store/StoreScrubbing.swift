// What was deleted is not in the file any more either.

internal import EventLoop

extension Store {
  /// Waits for readers of a purge, which last for one page of samples each.
  private nonisolated static let tries = 20

  /// Overwrites all unused pages with zeros: pages of purged data, and of data that were evicted, moved or rewritten
  /// before. Commits go on between its steps.
  ///
  /// Two places keep deleted data. Unused parts of pages in use may contain names of people (`PageScrub`). Damaged
  /// files and copies beside the store are not touched.
  ///
  /// - Returns: number of pages not overwritten, because a reader still uses an older state of the store. nil: the disk
  ///   refused, so the number is unknown.
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
