// Exercises in a strap's memory: heart rate or beats, started and stopped by a host, one at a time.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

/// Exercises of a strap (H10). An exercise has no time of its own. This hub writes the time into the names of those
/// that it begins, and fetches and removes them. For any other exercise, the end is taken to be when it was first seen
/// ended, which is the latest possible time. Such an exercise stays until an operator orders its removal.
final class PolarExercises: FetchDomain {
  private let transfer: PSFTPClient
  private let link: any WearableLink
  private var tree = PSFTP.Tree()
  /// The exercise that is being recorded.
  private var running: String?

  /// Longest exercise, in bytes: a day of heart rate every second has less than 200 kB.
  static let fileLimit = 1 << 20

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  var id: String { "exercises" }

  var series: [Series] { [.heartRate, .rrInterval] }

  /// The protocol has no offset.
  var resumesAtOffset: Bool { false }

  // MARK: operator actions

  func exerciseStatus() async throws(VisitTrouble) -> PSFTP.RecordingStatus { try await transfer.recordingStatus() }

  /// Begins an exercise, and checks that it runs.
  ///
  /// - Parameter id: for people; the time is added.
  /// - Returns: the name under which it is stored.
  /// - Throws: `busy` if the wearable reports that it is; `unsupported` while another exercise runs, and for an invalid
  ///   id or interval.
  func startExercise(id: String, _ samples: PSFTPClient.StrapSamples) async throws(VisitTrouble) -> String {
    if case .heartRate(let seconds) = samples, seconds != 1, seconds != 5 {
      throw .unsupported("heart rate is kept every second or every 5 s")
    }
    let before = try await transfer.recordingStatus()
    if before.isRecording { throw .unsupported("it records '\(before.name)' already; stop that first") }
    guard let name = PolarExerciseName(id, begins: link.hubTime.wall) else {
      throw .unsupported("an exercise is named with 1 to \(PolarExerciseName.idLimit) letters, digits and '-'")
    }
    try await transfer.startRecording(samples, name: name.text)
    let after = try await transfer.recordingStatus()
    guard after.isRecording, after.name == name.text else {
      throw .unsupported("it does not record \(name.text), though it said so")
    }
    return name.text
  }

  /// - Returns: the name of the exercise that was ended; nil if no exercise was being recorded.
  func stopExercise() async throws(VisitTrouble) -> String? {
    let before = try await transfer.recordingStatus()
    guard before.isRecording else { return nil }
    try await transfer.stopRecording()
    guard try await !transfer.recordingStatus().isRecording else {
      throw .busy(what: "it still records \(before.name)", retryAfter: nil)
    }
    return before.name
  }

  // MARK: list and fetch

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    try await look()
    try forgetOrders { tree.files.map(\.path).contains(Self.path(of: $0)) }
    let before = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    return tree.files.compactMap { file -> HeldItem? in
      guard file.size > 0, file.path.utf8.count <= HeldItem.idLimit, !isRunning(file.path) else { return nil }
      let size = Int(clamping: file.size)
      let own = PolarExerciseName(path: file.path)
      var mark = PolarFileMark.listed(size, before[file.path])
      // The exercise has ended by now; the mark remembers the first time that it was seen.
      if own == nil, mark.time == nil { mark.time = UInt64(exactly: link.hubTime.wall.microseconds) }
      return HeldItem(id: file.path, mark: mark.text, size: size, begins: own?.begins.microseconds)
    }.sorted { ($0.begins ?? .min, $0.id) < ($1.begins ?? .min, $1.id) }
  }

  /// Reads which exercise runs, and which are stored: `SAMPLES.BPB` in folders of the root.
  private func look() async throws(VisitTrouble) {
    let status = try await transfer.recordingStatus()
    running = status.isRecording ? status.name : nil
    tree = try await transfer.walk("/") { name, directory in
      directory == "/" ? name.hasSuffix("/") : name == "SAMPLES.BPB"
    }
  }

  /// Tells whether an exercise runs. If the running one has no name, every exercise may be the running one.
  private func isRunning(_ path: String) -> Bool {
    running.map { $0.isEmpty || path.hasPrefix("/" + $0 + "/") } ?? false
  }

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    if let size = item.size, size > Self.fileLimit {
      throw .unsupported("\(item.id) is said to have \(size) bytes; an exercise has at most \(Self.fileLimit)")
    }
    try await transfer.fetch(item, into: sink, limit: Self.fileLimit)
  }

  // MARK: content

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  func pieces(of item: HeldItem) -> any IncrementalDecoder {
    let name = PolarExerciseName(path: item.id)
    let seen = name == nil ? PolarFileMark(item.mark)?.time.flatMap { Int64(exactly: $0) } : nil
    return PolarMessagePieces(item, exerciseStart: name?.begins.microseconds, endsBy: seen) { _, _ in item.mark }
  }

  // MARK: remove

  /// Exercises of other hosts that an operator wants removed.
  private var ordered: [String] { link.remembered(PolarExerciseRemovals.self)?.names ?? [] }

  static func path(of name: String) -> String { "/\(name)/SAMPLES.BPB" }

  private func forgetOrders(exceptThose isWanted: (String) -> Bool) throws(VisitTrouble) {
    let before = ordered
    let left = before.filter(isWanted)
    if left != before { try link.remember(PolarExerciseRemovals(left)) }
  }

  /// Orders the removal of another host's exercise, at the next visit at which all of it is stored.
  ///
  /// - Throws: `unsupported` if it does not exist, is running, or is this hub's own; `needsAttention` with
  ///   `storeTableFull` beyond the number that can be stored.
  func orderRemoval(of name: String) async throws(VisitTrouble) {
    try await look()
    let names = tree.files.filter { $0.size > 0 }.compactMap { PolarPath.components($0.path).first.map { String($0) } }
    guard names.contains(name) else {
      throw .unsupported(
        """
        it keeps no exercise \
        '\(name.prefix(64))'\(names.isEmpty ? "" : "; it keeps \(names.sorted().joined(separator: ", "))")
        """
      )
    }
    if isRunning(Self.path(of: name)) { throw .unsupported("'\(name)' is being recorded") }
    if PolarExerciseName(name) != nil { throw .unsupported("'\(name)' is this hub's own: it goes once it is stored") }
    let all = ordered.filter { $0 != name } + [name]
    guard all.count <= PolarExerciseRemovals.countLimit, name.utf8.count <= PolarExerciseRemovals.nameLimit else {
      throw .needsAttention(
        .storeTableFull, "cannot have '\(name.prefix(64))' remembered with all that waits to be removed")
    }
    try link.remember(PolarExerciseRemovals(all))
  }

  func removals(of items: [HeldItem]) -> [Removal] { calls(of: items).map(\.removal) }

  private func calls(of items: [HeldItem]) -> [(call: RemovalCall, removal: Removal)] {
    let listed = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
    // A strap has no days: exercises that are stored and not running may be removed.
    let ordered = Set(ordered.map(Self.path))
    let rules = RemovalRules(today: ClockFace(microseconds: link.hubTime.wall.microseconds).date) { [self] file in
      !isRunning(file.path) && (PolarExerciseName(path: file.path) != nil || ordered.contains(file.path))
        && listed[file.path]?.size == Int(clamping: file.size)
    }
    return RemovalPlan.strapExercises(tree, rules).compactMap { call in call.removal(of: listed).map { (call, $0) } }
  }

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    // Another host may have begun or changed an exercise in the meantime.
    try await look()
    guard let call = calls(of: proof.removal.covers).first(where: { $0.call.path == proof.removal.name })?.call else {
      return .notNow("\(proof.removal.name) changed since it was listed")
    }
    let outcome = try await transfer.remove(call)
    // A later exercise with the same name is another one.
    if outcome == .erased { try forgetOrders { Self.path(of: $0) != call.path } }
    return outcome
  }
}

/// `ID_20261121_101500_250`: the operator's name for an exercise, and its start on the hub's clock, to the millisecond
/// in UTC.
struct PolarExerciseName: Hashable, Sendable {
  let text: String
  let begins: WallTime

  /// Longest id: the 63 characters that a strap accepts, less those of the time.
  static let idLimit = 63 - timeSize
  private static let timeSize = 20

  /// nil for an invalid id or time.
  init?(_ id: String, begins: WallTime) {
    guard (1...Self.idLimit).contains(id.utf8.count), id.utf8.allSatisfy(Self.isPlain) else { return nil }
    let time = ClockFace(microseconds: begins.microseconds)
    guard (1...9999).contains(time.date.year) else { return nil }
    func digits(_ number: Int, _ places: Int) -> String {
      String(repeating: "0", count: max(0, places - "\(number)".count)) + "\(number)"
    }
    text =
      "\(id)_\(PolarPath.digits(of: time.date))_" + digits(time.hour, 2) + digits(time.minute, 2)
      + digits(time.second, 2) + "_" + digits(time.millisecond, 3)
    self.begins = WallTime(microseconds: begins.microseconds - begins.microseconds % 1000)
  }

  /// nil for a name that is not from a hub.
  init?(_ text: String) {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.allSatisfy(Self.isPlain), (1...Self.idLimit).contains(parts[0].utf8.count),
      parts[3].utf8.count == 3,
      let day = PolarPath.day(digits: parts[1]), let time = PolarFile.time(folder: String(parts[2])),
      let milliseconds = PolarPath.number(parts[3])
    else { return nil }
    self.text = text
    begins = WallTime(
      microseconds: day.dayNumber * 86_400_000_000 + Int64(time) * 1_000_000 + Int64(milliseconds) * 1000)
  }

  /// Takes the folder at the root that contains the file.
  init?(path: String) {
    guard let folder = PolarPath.components(path).first else { return nil }
    self.init(String(folder))
  }

  /// Whether the character is allowed in file names of every wearable, and is not the separator of id and time.
  private static func isPlain(_ octet: UInt8) -> Bool {
    (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet) || octet == 0x2D
  }
}
