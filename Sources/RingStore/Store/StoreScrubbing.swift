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
      var held = 0
      for round in 0..<Self.tries {
        let writer = try await disk.openWriter()
        var pass = FreedPages(through: disk.environment?.latestTransaction ?? 0)
        // The pages that the last commit gave up belong to the root before it, until there is another.
        try await disk.perform { try writer.keepOdometer() }
        while pass.next != nil {
          guard let environment = disk.environment, disk.isSound else { return nil }
          let begun = pass
          pass = try await disk.perform {
            var pass = begun
            try environment.overwriteFreed(&pass)
            return pass
          }
        }
        held = pass.held
        if held == 0 { return 0 }
        if round + 1 < Self.tries { try await disk.loop.sleep(for: .milliseconds(100)) }
      }
      return held
    } catch {
      return nil
    }
  }
}
