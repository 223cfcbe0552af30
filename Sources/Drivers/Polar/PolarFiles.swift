// Everything a wearable with day folders holds: recordings, days, nights, trainings, and 24/7 samples. One walk finds
// them, one plan removes them.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// Listed whole is what will not change any more: days that are over, a night's results after the next one, trainings
/// and recordings that have ended. What still changes, the wearable's own day and its last night, is looked at
/// (`PolarGrowth`): each look stores what is new, and nothing of it is removed.
final class PolarFiles: FetchDomain {
  let transfer: PSFTPClient
  let link: any WearableLink
  /// The time by the wearable's clock, or an earlier one, µs since 1970; nil while it is not known: then nothing is
  /// listed.
  var now: Int64?
  /// What its clock showed before it was set back, in this visit or in one that did not come to its files, µs since
  /// 1970: whatever ended between now and then has times of the clock as it was.
  var setBackFrom: Int64?
  /// Kinds that went on being recorded when an earlier visit set it back; nil: it was set in this visit, or never.
  var namedAhead: Set<PMD.MeasurementType>?
  var today: LocalDate? { now.map { ClockFace(microseconds: $0).date } }
  /// Kinds that are being recorded, and which of their recordings is the one.
  var growing: [PMD.MeasurementType: Growing] = [:]
  /// Where this hub began what is recorded: when, by the wearable's clock as it was set then, µs since 1970. Its file
  /// is named so, whatever the clock shows now.
  var begun: [PMD.MeasurementType: Int64] = [:]
  /// Recordings that this visit ended, or found beside those, by their path without numbers of parts: at rest, whatever
  /// the clock shows now.
  var ended: Set<String> = []

  enum Growing: Sendable, Hashable {
    /// The last one to have begun by this time of the wearable's clock, µs since 1970; nil where that is not known:
    /// then any may be it.
    case newest(by: Int64?)
    /// Those that began at this time of the wearable's clock or later, but no later than a visit lasts.
    case since(Int64)

    /// µs: the longest turn there is.
    static let longestVisit: Int64 = 3_600_000_000

    /// What begins after now by more than any visit lasts was named by the clock before it lost its time.
    static func isOfEarlierClock(_ begins: Int64, now: Int64) -> Bool {
      let (distance, overflow) = begins.subtractingReportingOverflow(now)
      return overflow ? begins > now : distance > 86_400_000_000
    }
  }

  private(set) var tree = PSFTP.Tree()
  private(set) var samples: [DatedFile] = []
  /// What was read of automatic samples to see their day, for the fetch.
  private(set) var contents: [String: [UInt8]] = [:]
  /// What of files that changed is in the store.
  private(set) var progress: [String: [UInt8]] = [:]
  /// What the parts of recordings and of exercises go on from: where the part before ended, ns since 2000, by recording
  /// and part; when the exercise began, µs since 1970, by folder.
  private var anchors: [String: UInt64] = [:]

  /// Bytes of a recording of movement or of light: what the hub keeps of one item. A night of acceleration has 3.9 MB,
  /// and a sensor that does not split them was seen with 11 MB. Files of messages have less (`FileBounds`).
  nonisolated static let fileLimit = 8 << 20
  /// Of any other: two days of pulse intervals, 27 kB an hour, are 1.3 MB; rates and temperatures have half of that.
  nonisolated static let sparseLimit = 3 << 19
  /// Bytes of a file of automatic samples; a day's has some 20 kB.
  static let samplesLimit = 256 << 10
  /// Bytes that are kept of them between listing and fetching; what exceeds it is fetched once more.
  static let contentsLimit = 1 << 20

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  var id: String { "files" }

  /// What all kinds of files and recordings may become.
  nonisolated static let series: [Series] = {
    let all = Set(PolarFile.Kind.allCases.flatMap(\.series) + PMD.MeasurementType.allCases.flatMap(\.series))
    return Series.all.filter { all.contains($0) }
  }()

  var series: [Series] { Self.series }

  /// The protocol knows no offset.
  var resumesAtOffset: Bool { false }

  /// What an earlier visit over the same link found out.
  func forget() {
    (setBackFrom, namedAhead) = (nil, nil)
    (now, growing, tree, samples, contents, anchors, progress) = (nil, [:], PSFTP.Tree(), [], [:], [:], [:])
    (begun, ended) = ([:], [])
  }

  // MARK: list

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    guard let now, let today else { return [] }
    (samples, contents) = ([], [:])
    tree = try await walkUser()
    let phases = self.phases ?? Set(PolarPhase.allCases)
    let before = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    anchors = [:]
    for item in known {
      if let time = PolarFileMark(item.mark)?.time, let anchor = Self.anchor(of: item.id) { anchors[anchor] = time }
    }
    progress = Dictionary(known.lazy.filter { !$0.isErased && !$0.progress.isEmpty }.map { ($0.id, $0.progress) }) {
      first, _ in first
    }
    let atRest = recordingsAtRest
    let isNightWanted = !phases.isDisjoint(with: [.sleep, .nightlyRecharge])
    let nights = isNightWanted ? try await nightsThatAreOver(today, now, before) : []
    let over = phases.contains(.trainings) ? try await over(today, now, before) : []
    let lastNight = tree.files.lazy.filter { $0.size > 0 }.compactMap { PolarFile(path: $0.path) }.filter {
      $0.kind == .sleep
    }.compactMap(\.day).max()
    let rules = RemovalRules(today: today, lastNight: lastNight) { _ in true }
    var items: [HeldItem] = []
    for file in tree.files where file.size > 0 && file.path.utf8.count <= HeldItem.idLimit {
      guard let phase = PolarPhase(path: file.path), phases.contains(phase) else { continue }
      let size = Int(clamping: file.size)
      if let recording = PMD.RecordingName(path: file.path) {
        guard atRest.contains(file.path) else { continue }
        let mark = PolarFileMark.listed(
          size, before[file.path], key: link.orders.polarSecret?.checkValue ?? PolarFileMark.noKey)
        items.append(HeldItem(id: file.path, mark: mark.text, size: size, begins: recording.begins))
      } else if let known = PolarFile(path: file.path), known.kind.isMeasured {
        if known.kind == .automaticSamples {
          if let item = try await automaticSamples(file, today, now, before[file.path]) { items.append(item) }
        } else if let day = known.day, rules.isFinal(day, Self.folder(in: file.path)) || over.contains(file.path) {
          items.append(try await whole(file, known, before[file.path]))
        } else if let item = try await still(file, known, today, nights, now, before[file.path]) {
          items.append(item)
        }
      }
    }
    return items.map { ($0, Self.order($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Files of today's trainings that are over.
  private func over(_ today: LocalDate, _ now: Int64, _ before: [String: KnownItem]) async throws(VisitTrouble) -> Set<
    String
  > {
    let trainings = PolarTrainings(
      tree: tree, today: today, now: now, setBackFrom: setBackFrom)
    func stored(_ file: PSFTP.RemoteFile) -> KnownItem? {
      before[file.path].flatMap { $0.isDurable && !$0.isErased ? $0 : nil }
    }
    /// What is stored and was written anew all the same comes when its day is over.
    func mayCome(_ file: PSFTP.RemoteFile) -> Bool {
      stored(file).map { PolarFileMark($0.mark)?.size == Int(clamping: file.size) } ?? true
    }
    var over: Set<String> = []
    for (folder, session) in trainings.sessions where mayCome(session) {
      if stored(session) == nil {
        guard let bytes = try await transfer.get(session.path, limit: PolarTrainings.sessionLimit),
          bytes.count == Int(clamping: session.size)
        else { continue }
        guard trainings.isOver(bytes, in: folder) else { continue }
        contents[session.path] = bytes
      }
      over.formUnion(trainings.files(in: folder).filter(mayCome).map(\.path))
    }
    return over
  }

  /// The oldest first, and parts in the order in which they go on from each other: the base of an exercise has the
  /// first of their names.
  private static func order(_ item: HeldItem) -> (Int64, String, Int) {
    guard let recording = PMD.RecordingName(path: item.id) else { return (item.begins ?? .min, item.id, 0) }
    return (recording.begins, recording.group, recording.part ?? 0)
  }

  /// What is remembered of a part for those that go on from it; nil for what nothing goes on from.
  private static func anchor(of path: String) -> String? {
    if let recording = PMD.RecordingName(path: path) { return recording.part.map { recording.group + "\($0)" } }
    return PolarFile(path: path)?.kind == .exerciseBase ? PolarPath.parent(path) : nil
  }

  /// Files of these are named in turn, and their day is in them: the content is the mark.
  private func automaticSamples(_ file: PSFTP.RemoteFile, _ today: LocalDate, _ now: Int64, _ known: KnownItem?)
    async throws(VisitTrouble) -> HeldItem?
  {
    guard file.size <= Self.samplesLimit, let bytes = try await transfer.get(file.path, limit: Self.samplesLimit),
      !bytes.isEmpty
    else { return nil }
    guard let day = PSFTP.sampleDay(bytes) else {
      link.note("automatic samples without a day")
      return nil
    }
    guard day < today else { return day == today ? look(at: file, bytes, day.midnight, now, known) : nil }
    samples.append(DatedFile(file: file, day: day))
    keepForFetch(bytes, of: file.path)
    return HeldItem(
      id: file.path, mark: bytes.withUnsafeBytes { Self.contentMark($0) }, size: bytes.count, begins: day.midnight)
  }

  /// - Returns: there is room.
  @discardableResult
  func keepForFetch(_ bytes: [UInt8], of path: String) -> Bool {
    guard contents.values.reduce(bytes.count, { $0 + $1.count }) <= Self.contentsLimit else { return false }
    contents[path] = bytes
    return true
  }

  /// Size and FNV-1a, 64 bits.
  nonisolated static func contentMark(_ bytes: RawBytes) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return "\(bytes.count)-" + String(hash, radix: 16)
  }

  /// `SLEEP` of `/U/0/20261121/SLEEP/SLEEPRES.BPB`.
  private static func folder(in path: String) -> Substring {
    let parts = PolarPath.components(path)
    return parts.count > 3 ? parts[3] : ""
  }

  // MARK: fetch

  /// Bytes of a file at a place, at most.
  nonisolated static func sizeLimit(of path: String) -> Int {
    if let file = PolarFile(path: path) { return file.kind.sizeLimit }
    switch PMD.RecordingName(path: path)?.type {
    case .offlineHR, .ppi, .temperature, .skinTemperature: return sparseLimit
    default: return fileLimit
    }
  }

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    if let bytes = contents.removeValue(forKey: item.id), sink.offset < bytes.count {
      // All there is, whether more is wanted or not.
      _ = try await sink.take(copyOf: bytes.dropFirst(sink.offset))
      return
    }
    let limit = Self.sizeLimit(of: item.id)
    if let size = item.size, size > limit {
      throw .unsupported("\(item.id) is said to have \(size) bytes; such a file has at most \(limit)")
    }
    try await transfer.fetch(item, into: sink, limit: limit)
  }

  // MARK: what is in it

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  /// What they are read with besides their bytes is in orders and in marks: the same after a restart.
  func pieces(of item: HeldItem) -> any ItemPieces {
    guard let name = PMD.RecordingName(path: item.id) else { return messagePieces(of: item) }
    let before = name.part.flatMap { $0 > 0 ? anchors[name.group + "\($0 - 1)"] : nil } ?? 0
    let (type, model, firmware) = (name.type, link.known.polarModel, link.known.polarFirmware)
    return PolarRecordingPieces(
      item, type, secret: link.orders.polarSecret, after: before,
      // In SDK mode nothing is recorded at the rates that are told wrongly.
      trueRate: { PMD.trueRate(type, told: $0, model: model, firmware: firmware, inSDKMode: false) },
      noteEnd: { [self] end in if let anchor = Self.anchor(of: item.id) { anchors[anchor] = end == 0 ? nil : end } })
  }

  private func messagePieces(of item: HeldItem) -> PolarMessagePieces {
    let anchor = PolarPath.parent(item.id) ?? ""
    let listed = PolarFileMark(item.mark)
    let lookedAt = item.isOpen ? listed?.time.flatMap { Int64(exactly: $0) } ?? now : nil
    let part = PolarPart(before: progress[item.id].flatMap { PolarProgress($0) }, lookedAt: lookedAt)
    return PolarMessagePieces(item, exerciseStart: anchors[anchor].flatMap { Int64(exactly: $0) }, part: part) {
      [self] contents, bytes in
      if item.isOpen { return item.mark }
      // Two contents of one size at one place can only be told by what they are.
      if item.id.hasPrefix(PolarPath.automaticSamples) { return Self.contentMark(bytes) }
      var mark = PolarFileMark(item.mark) ?? PolarFileMark(size: bytes.count)
      if case .base(let base) = contents {
        mark.time = base.start.moment.flatMap { UInt64(exactly: $0.microseconds) }.flatMap { $0 == 0 ? nil : $0 }
        anchors[anchor] = mark.time
      }
      return mark.text
    }
  }
}
