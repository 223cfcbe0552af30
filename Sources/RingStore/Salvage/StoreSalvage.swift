// Salvage: chunks of an old file that a rescue did not reach come back into the store. FORMAT.md, "Damage".

public import EventLoop
internal import Glibc
internal import Health
public import Reasons

/// A salvage of one old file into a store that no process serves. Holds the store's lock from beginning to end.
public final class StoreSalvage {
  private let options: StoreOptions
  private let old: OldStore
  private let lock: StoreLock
  private let takesEvicted: Bool
  /// Called before each step that reaches the disk: tests kill themselves there.
  package var probe: (@Sendable (String) -> Void)?

  /// Takes the lock, and opens the old file for reading.
  ///
  /// - Parameters:
  ///   - path: a data file, or the folder of a store.
  ///   - takesEvicted: also items that the store counts as evicted. After the restore of a backup without samples,
  ///     these are all.
  /// - Throws: `storeInUse` while a daemon runs; `storeAbsent` or `salvageRefused`; `storeDamaged` for a store that a
  ///   start has to rescue first.
  public init(_ options: StoreOptions, from path: String, takesEvicted: Bool = false) throws(HearthError) {
    (self.options, self.takesEvicted) = (options, takesEvicted)
    guard let lock = try StoreLock(options.path, create: false),
      try StoreProbe.isPresent(options.path, hasLock: true)
    else { throw HearthError(.storeAbsent, "\(options.path) has no store") }
    self.lock = lock
    old = try OldStore(path, for: options.path, options.whileRescuing)
  }

  /// Brings back what the store misses.
  ///
  /// - Parameter dryRun: only reports, and changes no file.
  /// - Throws: `salvageRefused` for a file of another store, or a store of an earlier format; `storeFull`; the disk's
  ///   error. What was written until then stays, and a second run goes on from there.
  public func run(dryRun: Bool, now: WallTime) throws(HearthError) -> SalvageReport {
    let (selection, planned) = try plan()
    if dryRun || planned.items == 0 { return planned }
    try checkPages()
    let writer: SalvageWriter
    do throws(DatabaseFailure) {
      writer = try SalvageWriter(try StoreOpening.openEnvironment(options, mark: nil), options, probe)
    } catch { throw openFailure(error.code, options.path) }
    defer { writer.environment.close() }
    var report = SalvageReport(isDryRun: false)
    try writer.drain()
    try selection.fill(writer.environment, isDrained: true, &report) {
      parts, ring, hole, endsHere throws(HearthError) in
      try writer.put(parts, of: ring, in: &hole, endsHere: endsHere)
    }
    for lost in selection.lostJournal() {
      let items = try selection.items(of: lost, writer.environment, &report)
      if items.isEmpty { continue }
      try writer.add(items, mark: lost.mark)
      for (ring, added) in items { report.add(UInt64(added.count), to: ring) }
    }
    selection.describe(&report)
    // As planned: what came is behind their positions now.
    report.readers = planned.readers
    try writer.note("\(report.items) items of \(report.rings.count) rings from \(old.name)", now: now)
    try giveToOwner()
    return report
  }

  /// Reads both files, and counts what would come.
  private func plan() throws(HearthError) -> (SalvageSelection, SalvageReport) {
    let environment: Environment
    do throws(DatabaseFailure) {
      environment = try Environment(path: options.path, size: 0, mode: .traceless)
      try environment.openTables()
      environment.tail.replace(try JournalFile.tail(environment, options.path))
    } catch { throw openFailure(error.code, options.path) }
    defer { environment.close() }
    try refuseOtherFormat(environment)
    let selection = try SalvageSelection(old, environment, takesEvicted: takesEvicted)
    var report = SalvageReport(isDryRun: true)
    var places = ReaderPlaces()
    try places.load(environment, options.path)
    try selection.fill(environment, isDrained: false, &report) { parts, ring, _, _ throws(HearthError) in
      for part in parts where part.items != nil { places.note(part.range, of: ring) }
      return true
    }
    for lost in selection.lostJournal() {
      for (ring, items) in try selection.items(of: lost, environment, &report) {
        report.add(UInt64(items.count), to: ring)
      }
    }
    selection.describe(&report)
    report.readers = places.passed
    return (selection, report)
  }

  private func refuseOtherFormat(_ environment: Environment) throws(HearthError) {
    let found: UInt16?
    do throws(DatabaseFailure) {
      found = try environment.read { transaction throws(DatabaseFailure) in
        try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
      }
    } catch { throw openFailure(error.code, options.path) }
    if let found, found != FormatMark.version {
      throw HearthError(
        .salvageRefused, "\(options.path) is of format \(found): start hearthd once, which converts it")
    }
  }

  private func checkPages() throws(HearthError) {
    do throws(DatabaseFailure) { _ = try PageCheck.run(options.path, size: options.sizeBytes) } catch {
      throw error.isOfPages ? HearthError(.storeDamaged, error.call) : openFailure(error.code, error.call)
    }
  }

  /// Gives files that root made to the owner of the folder: the hub runs as its own user.
  private func giveToOwner() throws(HearthError) {
    var folder = stat()
    guard geteuid() == 0, stat(options.path, &folder) == 0, folder.st_uid != 0 else { return }
    let file = Environment.readerTable(options.path)
    if lchown(file, folder.st_uid, folder.st_gid) != 0, errno != ENOENT { throw openFailure(errno, file) }
  }
}

/// Positions of readers, and how many items come back before them.
private struct ReaderPlaces {
  private var readers: [ExportReader] = []
  private var items: [UInt64] = []

  mutating func load(_ environment: Environment, _ path: String) throws(HearthError) {
    do throws(DatabaseFailure) {
      readers = try environment.read { transaction throws(DatabaseFailure) in try Readers.all(transaction).records }
    } catch { throw openFailure(error.code, path) }
    items = [UInt64](repeating: 0, count: readers.count)
  }

  mutating func note(_ range: Range<UInt64>, of ring: RingID) {
    for (index, reader) in readers.enumerated() {
      let place = reader.rings[ring] ?? 0
      if place > range.lowerBound { items[index] += min(place, range.upperBound) - range.lowerBound }
    }
  }

  var passed: [(name: String, items: UInt64)] {
    zip(readers, items).filter { $0.1 > 0 }.map { ($0.0.name, $0.1) }
  }
}
