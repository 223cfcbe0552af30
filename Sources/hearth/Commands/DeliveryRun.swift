// One run of a scheduled export: rows of the hub into files of a folder, each in one file, whichever step is the last.

import EventLoop
import HubProtocol
import JSONText
import Reasons

/// Carries all new rows. The steps and what holds after each of them are in Delivery/NOTES.md.
final class DeliveryRun {
  /// Where a run may end: before each of these.
  enum Step: Sendable, CaseIterable { case settle, page, rows, complete, prepare, rename, note, confirm, end }

  /// What a run did.
  struct Outcome: Sendable, Equatable {
    /// Names of the new files.
    var files: [String] = []
    /// Rows in them.
    var rows = 0
  }

  private let settings: DeliverySettings
  private let folder: DeliveryFolder
  private let memory: DeliveryMemory
  private let run: ExportRun
  private let now: WallTime
  /// Tests end a run here.
  private let reach: (Step) throws -> Void
  private let ask: (_ confirms: Bool) throws -> Methods.ExportNext.Reply

  private var state = DeliveryState()
  private var file: DeliveryFile?
  /// Rows of the file.
  private var reached = DeliveredRows()
  private(set) var outcome = Outcome()

  /// - Parameters:
  ///   - run: without an output; each file has its own.
  ///   - ask: the next page of the hub; confirms the pages before, if wanted.
  init(
    _ settings: DeliverySettings, _ folder: DeliveryFolder, _ memory: DeliveryMemory, _ run: ExportRun, now: WallTime,
    reach: @escaping (Step) throws -> Void = { _ in }, ask: @escaping (Bool) throws -> Methods.ExportNext.Reply
  ) {
    (self.settings, self.folder, self.memory, self.run, self.now) = (settings, folder, memory, run, now)
    (self.reach, self.ask) = (reach, ask)
  }

  /// - Throws: as `ask`; `storeInputOutput` for folder and state; `controlMalformed` for rows without a place.
  func carry() throws {
    state = try memory.load()
    try settle()
    var confirms = false
    while true {
      let reply = try ask(confirms)
      try take(reply)
      confirms = reply.last || (file?.output.size ?? 0) >= settings.size
      if !confirms { continue }
      try deliver()
      try reach(.confirm)
      if reply.last { break }
    }
    _ = try ask(true)
    try reach(.end)
    (state.delivered, state.ranAt, state.failedAt, state.failure) = (DeliveredRows(), now, nil, nil)
    (state.gone, state.corrupt) = (run.missing.gone, run.missing.corrupt)
    try memory.save(state)
  }

  /// Ends what a run before began.
  private func settle() throws {
    if let pending = state.pending {
      try reach(.settle)
      let place = DeliveryFolder(path: pending.folder, stem: folder.stem)
      var standing = DeliveryFolder.Standing.absent
      // A folder of earlier settings may be gone for good.
      do { standing = try place.standing(pending.name) } catch { if pending.folder == folder.path { throw error } }
      switch standing {
      case .file: try place.sync()
      case .draft: try place.place(pending.name)
      case .absent:
        Output.error.say(
          "hearth: \(harmless(pending.name, limit: 256)) is gone before it was certain: its rows come again\n")
        (state.pending, state.number) = (nil, state.number - 1)
      }
      state.settle()
      try memory.save(state)
    }
    try folder.removeDrafts()
  }

  private func take(_ reply: Methods.ExportNext.Reply) throws {
    try reach(.page)
    if let store = reply.store, store != state.store {
      // Places of another store say nothing about these rows.
      (state.store, state.delivered) = (store, DeliveredRows())
    }
    run.missing.corrupt = Int(clamping: Int128(run.missing.corrupt) + Int128(reply.corruptChunks))
    var rows = try reply.samples.map { try run.row($0) }
    if rows.contains(where: { $0.place == nil }) || !rows.isEmpty && reply.store == nil {
      throw HearthError(.controlMalformed, "the daemon gave rows without their places; it is older than this program")
    }
    rows.removeAll { state.delivered.has($0) }
    let gaps = (reply.gaps ?? []).compactMap { state.delivered.rest(of: $0) }
    let hasNotes = !gaps.isEmpty || reply.corrections?.isEmpty == false || reply.retimed?.isEmpty == false
    if !rows.isEmpty || run.isNDJSON && hasNotes { try begin() }
    try run.note(reply.corrections, missed: reply.correctionsMissed)
    try run.note(retimed: reply.retimed)
    try run.note(gaps)
    for gap in gaps { reached.note(gap) }
    try reach(.rows)
    for row in rows {
      reached.note(row)
      try run.take(row)
    }
    try run.output.endPage()
    outcome.rows += rows.count
  }

  /// A file of its own for the rows that follow, if there is none.
  private func begin() throws {
    if file != nil { return }
    let number = try max(state.number, folder.highestNumber()) + 1
    let file = try DeliveryFile(folder.name(number, at: now, ending: settings.format.rawValue), in: folder)
    state.number = number
    self.file = file
    run.target = file.output
    run.output = LineOutput(
      isCSV: settings.format == .csv, needsPlaces: settings.ordinals, saysBytes: settings.raw,
      isExploded: settings.explode, to: file.output)
    try run.begin()
  }

  /// Gives the file its name.
  private func deliver() throws {
    guard let file else { return }
    try run.output.end()
    try reach(.complete)
    try file.finish()
    try reach(.prepare)
    state.pending = DeliveryState.Pending(folder: folder.path, name: file.name, rows: reached)
    try memory.save(state)
    try reach(.rename)
    try folder.place(file.name)
    try reach(.note)
    state.settle()
    try memory.save(state)
    outcome.files.append(file.name)
    (self.file, reached) = (nil, DeliveredRows())
  }
}
