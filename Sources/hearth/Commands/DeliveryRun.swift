// One run of a scheduled export: rows of the hub into files of a folder, each in one file, whichever step is the last.

import EventLoop
import Export
import Glibc
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

  /// A page of rows, with what is said beside them.
  struct Page {
    var rows: [JSON]
    var store: String?
    /// Chunks that could not be read, behind those of the page before.
    var corrupt: Int
    var corrections: (list: [CorrectionDocument]?, missed: Int?)
    var retimed: [JSON]?
    var gaps: [MissingRowsDocument]
  }

  /// Weight at which a file ends that is written as a whole, as its rows are in memory until then. 400 000 rows stay
  /// below the limits of each format, with up to four values in a row.
  static let wholeLimit = 64 << 20
  /// Weight of a row of such a file, and of a training: a FIT file has at most 5000 of them.
  private static let weight: (row: Int, training: Int) = (160, 16 << 10)

  /// What was taken since the last file had its name.
  private struct Part {
    /// nil: no row yet.
    var file: DeliveryFile?
    var reached = DeliveredRows()
    var rows = 0
    var weight = 0
  }

  private let settings: DeliverySettings
  private let folder: DeliveryFolder
  private let memory: DeliveryMemory
  private let run: ExportRun
  private let now: WallTime
  /// Makes the output of a file.
  private let writer: (Output) throws -> any RowOutput
  /// Tests end a run here.
  private let reach: (Step) throws -> Void

  private var state = DeliveryState()
  private var part = Part()
  private(set) var outcome = Outcome()

  /// - Parameters:
  ///   - run: its output is replaced by that of each file.
  ///   - writer: makes the output of a file.
  init(
    _ settings: DeliverySettings, _ folder: DeliveryFolder, _ memory: DeliveryMemory, _ run: ExportRun, now: WallTime,
    writer: @escaping (Output) throws -> any RowOutput, reach: @escaping (Step) throws -> Void = { _ in }
  ) {
    (self.settings, self.folder, self.memory, self.run, self.now) = (settings, folder, memory, run, now)
    (self.writer, self.reach) = (writer, reach)
  }

  /// Carries rows behind a cursor of the hub.
  ///
  /// - Parameter ask: the next page of the hub; confirms the pages before, if wanted.
  /// - Throws: as `ask`; `storeInputOutput` for folder and state; `controlMalformed` for rows without a place.
  func carry(_ ask: (_ confirms: Bool) throws -> Methods.ExportNext.Reply) throws {
    try begin(of: nil)
    var confirms = false
    while true {
      let reply = try ask(confirms)
      try take(Page(reply))
      confirms = reply.last || isFull
      if !confirms { continue }
      try deliver()
      try reach(.confirm)
      if reply.last { break }
    }
    _ = try ask(true)
    try end { $0.delivered = DeliveredRows() }
  }

  /// Carries rows of a person. The hub gives all of them, and those that lie in files are left out. A cursor would mark
  /// rows of others as read that are in no file.
  ///
  /// - Parameter pages: gives all pages of the hub.
  /// - Throws: as `carry`.
  func carryAll(_ pages: (_ take: (Page) throws -> Void) throws -> Void) throws {
    try begin(of: settings.person)
    try pages { page in
      try take(page)
      if isFull { try deliver() }
    }
    try deliver()
    try end { _ in }
  }

  private func begin(of person: String?) throws {
    state = try memory.load()
    try settle()
    // The places in files are those of one person.
    if state.person != person { (state.person, state.delivered) = (person, DeliveredRows()) }
  }

  private func end(_ change: (inout DeliveryState) -> Void) throws {
    try reach(.end)
    change(&state)
    (state.ranAt, state.failedAt, state.failure) = (now, nil, nil)
    (state.gone, state.corrupt) = (run.missing.gone, run.missing.corrupt)
    try memory.save(state)
  }

  private var isOfPerson: Bool { settings.person != nil }

  private var isFull: Bool {
    if settings.format.isLines { return (part.file?.output.size ?? 0) >= settings.size }
    return part.weight >= min(settings.size, Self.wholeLimit)
  }

  private func weigh(_ row: ExportRow) -> Int {
    if row.known == .training { return Self.weight.training }
    var block = 0
    if case .samples(let samples) = row.value { block = 4 * samples.count * samples.components }
    return Self.weight.row + block + (row.data?.count ?? 0)
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

  private func take(_ page: Page) throws {
    try reach(.page)
    if let store = page.store, store != state.store {
      // Places of another store say nothing about these rows.
      (state.store, state.delivered) = (store, DeliveredRows())
    }
    var rows = try page.rows.map { try run.row($0) }
    if rows.contains(where: { $0.place == nil }) || !rows.isEmpty && page.store == nil {
      throw HearthError(.controlMalformed, "the daemon gave rows without their places; it is older than this program")
    }
    rows.removeAll { state.delivered.has($0) }
    let gaps = page.gaps.compactMap { state.delivered.rest(of: $0) }
    // A person's rows are read in each run, and with them the same damage.
    run.missing.corrupt += isOfPerson ? gaps.count : page.corrupt
    let hasNotes = !gaps.isEmpty || page.corrections.list?.isEmpty == false || page.retimed?.isEmpty == false
    if !rows.isEmpty || run.isNDJSON && hasNotes { try begin() }
    try run.note(page.corrections.list, missed: page.corrections.missed)
    try run.note(retimed: page.retimed)
    try run.note(gaps)
    for gap in gaps { part.reached.note(gap, alone: isOfPerson) }
    try reach(.rows)
    for row in rows {
      part.reached.note(row, alone: isOfPerson)
      part.weight += weigh(row)
      try run.take(row)
    }
    try run.output.endPage()
    part.rows += rows.count
  }

  /// A file of its own for the rows that follow, if there is none.
  private func begin() throws {
    if part.file != nil { return }
    let number = try max(state.number, folder.highestNumber()) + 1
    let file = try DeliveryFile(folder.name(number, at: now, ending: settings.format.ending), in: folder)
    state.number = number
    part.file = file
    run.target = file.output
    run.output = try writer(file.output)
    try run.begin()
  }

  /// Gives the file its name.
  private func deliver() throws {
    defer { part = Part() }
    guard let file = part.file else { return state.delivered.note(part.reached) }
    do { try run.output.end() } catch is NoContent { return leave(file) }
    try reach(.complete)
    if let ending = run.output.ending { try file.end(in: ending) }
    try file.finish()
    if file.output.size == 0 { return leave(file) }
    try reach(.prepare)
    state.pending = DeliveryState.Pending(folder: folder.path, name: file.name, rows: part.reached)
    try memory.save(state)
    try reach(.rename)
    try folder.place(file.name)
    try reach(.note)
    state.settle()
    try memory.save(state)
    outcome.files.append(file.name)
    outcome.rows += part.rows
  }

  /// Leaves out a file without content for its format. Its number is free again.
  private func leave(_ file: DeliveryFile) {
    unlink(folder.draft(file.name))
    state.number -= 1
    state.delivered.note(part.reached)
  }
}

extension DeliveryRun.Page {
  init(_ reply: Methods.ExportNext.Reply) {
    self.init(
      rows: reply.samples, store: reply.store, corrupt: reply.corruptChunks,
      corrections: (reply.corrections, reply.correctionsMissed), retimed: reply.retimed, gaps: reply.gaps ?? [])
  }

  /// Damage is counted by its gaps, as the hub's number is that of all pages.
  init(_ reply: Methods.Export.Reply) {
    self.init(
      rows: reply.samples, store: reply.store, corrupt: 0, corrections: (nil, nil), retimed: nil, gaps: reply.gaps ?? []
    )
  }
}
