import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("Whether backups are as young as they are wanted")
struct BackupWatchTests {
  private static let start = WallTime(microseconds: 1_795_000_000_000_000)

  @Test("H4206: a backup that is too old is said until one is made, a failed one until it is made after all")
  func overdue() {
    var watch = BackupWatch(madeAt: nil, since: Self.start)
    func reason(_ hours: Int64, every: Duration? = .seconds(86_400)) -> Reason? {
      watch.trouble(every: every, Self.start + .seconds(hours * 3600))?.reason
    }
    #expect(reason(48) == nil && reason(49) == .backupOverdue, "twice the time between two, from the start on")
    #expect(reason(4900, every: nil) == nil, "none is wanted")
    watch.note(.success(Self.start + .seconds(49 * 3600)))
    #expect(reason(49) == nil && reason(97) == nil && reason(98) == .backupOverdue)
    watch.note(.failure(HearthError(.backupFailed, "no room")))
    #expect(reason(50) == .backupFailed && reason(50, every: nil) == .backupFailed)
    watch.note(.success(Self.start + .seconds(50 * 3600)))
    #expect(reason(50) == nil)
    // An earlier backup is no evidence about the newest.
    watch.note(.success(Self.start))
    #expect(watch.madeAt == Self.start + .seconds(50 * 3600))
  }
}
