// The registry in memory, equal to the disk's: enrolled wearables, wearers, assignments, bonds, this run.

internal import EventLoop
internal import Reasons

@LoopActor
final class RegistryKeeper {
  let disk: StoreDisk
  let events: EventLog
  let secrets: StoreSecrets
  /// Held while the registry is changed.
  let turn: Turn
  /// Changed only here and in the files of this class, after the change is on the disk.
  var content: RegistryContent
  /// Whether `keepRun` was called: a hub runs on this store.
  private var isRunning = false
  /// Called when a wearable is forgotten.
  var onForgotten: (@LoopActor (WearableID) -> Void)?

  init(_ disk: StoreDisk, _ events: EventLog, _ content: RegistryContent, _ secrets: StoreSecrets) {
    self.disk = disk
    self.events = events
    self.content = content
    self.secrets = secrets
    turn = events.turn
  }

  var people: People { content.people }

  // MARK: This run

  /// See `Store.run`.
  var run: RunMark? { content.run }

  /// See `Store.keepRun`.
  func keepRun(_ mark: RunMark) {
    if disk.isClosing { return }
    content.run = mark
    events.note(mark)
    isRunning = true
    events.arm()
  }

  /// Completes the mark of a run that is stopped cleanly.
  func endRun() {
    guard isRunning, var mark = content.run else { return }
    mark.ended = disk.loop.wall
    mark.alive = disk.loop.wall
    content.run = mark
    events.note(mark)
  }

  // MARK: Refusals

  /// Refuses data of a forgotten wearable. A visit may outlast the enrolment, and its data would be stored after a
  /// purge.
  ///
  /// - Throws: `noSuchWearable`
  func refuseForgotten(_ wearable: WearableID) throws(HearthError) {
    guard wearable.number < content.nextNumber, !wearables.contains(where: { $0.id == wearable }) else { return }
    throw HearthError(.noSuchWearable, "wearable \(wearable.number) was forgotten")
  }

  /// Leaf pages of a wearable's custody and staged bytes: deleting these writes copies of them.
  func custodyLeaves(of wearable: WearableID) throws(HearthError) -> Int {
    let records = try disk.reading { transaction throws(DatabaseFailure) in
      try CustodyTable.all(transaction, of: wearable)
    }
    return records.count / 8 + records.reduce(0) { $0 + Staged.leaves($1.fetched) } + 4
  }
}

extension Staged {
  /// Leaf pages for this number of staged bytes.
  static func leaves(_ bytes: Int) -> Int { bytes / (pageSize * 20) }
}
