// All data of a wearable with day folders: recordings, days, nights, trainings, and 24/7 samples. A single walk finds
// them, and a single plan removes them.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// Lists files as complete if they no longer change: past days, a night once a later one has results, ended trainings
/// and recordings. Files of the wearable's present day and last night still change: each look (`PolarGrowth`) stores
/// what is new, and these files are not removed.
final class PolarFiles: FetchDomain {
  let transfer: PSFTPClient
  let link: any WearableLink
  /// The wearable's time or an earlier one, µs since 1970; nil if unknown, and no file is then listed.
  var now: Int64?
  /// The time that its clock showed before it was set back, µs since 1970, in this visit or in one that failed before
  /// its files. Data that ended between `now` and then have times of the clock before.
  var setBackFrom: Int64?
  /// Kinds that were being recorded when an earlier visit set the clock back; nil if this visit set it, or no visit
  /// did.
  var namedAhead: Set<PMD.MeasurementType>?
  var today: LocalDate? { now.map { ClockFace(microseconds: $0).date } }
  /// Kinds that are being recorded, and which of their recordings is the running one.
  var growing: [PMD.MeasurementType: Growing] = [:]
  /// Times when this hub began a recording, on the wearable's clock as it was then, µs since 1970. The file keeps that
  /// name even if the clock was set since.
  var begun: [PMD.MeasurementType: Int64] = [:]
  /// Paths, without part numbers, of recordings that this visit ended or found ended. These files no longer change,
  /// whatever the clock shows.
  var ended: Set<String> = []

  enum Growing: Sendable, Hashable {
    /// The last recording that began by this time of the wearable's clock, µs since 1970. With nil the time is unknown,
    /// and every recording may be the one.
    case newest(by: Int64?)
    /// Recordings that began at this time of the wearable's clock or later, within the length of a visit.
    case since(Int64)

    /// µs: the longest visit.
    static let longestVisit: Int64 = 3_600_000_000

    /// A recording that begins more than a day after now was named by the clock before it lost its time.
    static func isOfEarlierClock(_ begins: Int64, now: Int64) -> Bool {
      let (distance, overflow) = begins.subtractingReportingOverflow(now)
      return overflow ? begins > now : distance > 86_400_000_000
    }
  }

  private(set) var tree = PSFTP.Tree()
  private(set) var samples: [DatedFile] = []
  /// Content of files that was read while listing, kept for the fetch.
  private(set) var contents: [String: [UInt8]] = [:]
  /// Stored progress of files that still changed.
  private(set) var progress: [String: [UInt8]] = [:]
  /// Times from which the next parts continue. For recordings the end of the previous part, ns since 2000, by recording
  /// and part. For exercises their start, µs since 1970, by folder.
  private var anchors: [String: UInt64] = [:]

  /// Largest recording of movement or light, in bytes. A night of acceleration has 3.9 MB. Files of 11 MB were reported
  /// of a sensor that does not split them. Files of messages are smaller (`FileBounds`).
  nonisolated static let fileLimit = 8 << 20
  /// Largest recording of other kinds, in bytes: two days of pulse intervals, 27 kB an hour, are 1.3 MB. Rates and
  /// temperatures have half of that.
  nonisolated static let sparseLimit = 3 << 19
  /// Largest file of automatic samples, in bytes; a day's has some 20 kB.
  static let samplesLimit = 256 << 10
  /// Maximum number of bytes kept between listing and fetching; other files are fetched once more.
  static let contentsLimit = 1 << 20

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  var id: String { "files" }

  /// Series that files and recordings may produce.
  nonisolated static let series: [Series] = {
    let all = Set(PolarFile.Kind.allCases.flatMap(\.series) + PMD.MeasurementType.allCases.flatMap(\.series))
    return Series.all.filter { all.contains($0) }
  }()

  var series: [Series] { Self.series }

  /// The protocol has no offset.
  var resumesAtOffset: Bool { false }

  /// Forgets the results of an earlier visit over the same link.
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

  /// Files of today's completed trainings.
  private func over(_ today: LocalDate, _ now: Int64, _ before: [String: KnownItem]) async throws(VisitTrouble) -> Set<
    String
  > {
    let trainings = PolarTrainings(
      tree: tree, today: today, now: now, setBackFrom: setBackFrom)
    func stored(_ file: PSFTP.RemoteFile) -> KnownItem? {
      before[file.path].flatMap { $0.isDurable && !$0.isErased ? $0 : nil }
    }
    /// A stored file that was rewritten is fetched again when its day is over.
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

  /// Oldest first, and parts in the order in which they continue each other. Of an exercise's files, its base has the
  /// first name.
  private static func order(_ item: HeldItem) -> (Int64, String, Int) {
    guard let recording = PMD.RecordingName(path: item.id) else { return (item.begins ?? .min, item.id, 0) }
    return (recording.begins, recording.group, recording.part ?? 0)
  }

  /// Key of the time from which other parts continue; nil if no part needs it.
  private static func anchor(of path: String) -> String? {
    if let recording = PMD.RecordingName(path: path) { return recording.part.map { recording.group + "\($0)" } }
    return PolarFile(path: path)?.kind == .exerciseBase ? PolarPath.parent(path) : nil
  }

  /// Names of these files are reused, and the day is in the content: the mark is a hash of the content.
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

  /// - Returns: false if there is no room.
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

  /// Largest size of a file at this path, in bytes.
  nonisolated static func sizeLimit(of path: String) -> Int {
    if let file = PolarFile(path: path) { return file.kind.sizeLimit }
    switch PMD.RecordingName(path: path)?.type {
    case .offlineHR, .ppi, .temperature, .skinTemperature: return sparseLimit
    default: return fileLimit
    }
  }

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    if let bytes = contents.removeValue(forKey: item.id), sink.offset < bytes.count {
      // The whole content at once, even if the sink wants less.
      _ = try await sink.take(copyOf: bytes.dropFirst(sink.offset))
      return
    }
    let limit = Self.sizeLimit(of: item.id)
    if let size = item.size, size > limit {
      throw .unsupported("\(item.id) is said to have \(size) bytes; such a file has at most \(limit)")
    }
    try await transfer.fetch(item, into: sink, limit: limit)
  }

  // MARK: content

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  /// Returns a decoder of an item. All that it needs besides the bytes is in orders and marks, so the result is the
  /// same after a restart.
  func pieces(of item: HeldItem) -> any IncrementalDecoder {
    guard let name = PMD.RecordingName(path: item.id) else { return messagePieces(of: item) }
    let before = name.part.flatMap { $0 > 0 ? anchors[name.group + "\($0 - 1)"] : nil } ?? 0
    let (type, model, firmware) = (name.type, link.known.polarModel, link.known.polarFirmware)
    return PolarRecordingPieces(
      item, type, secret: link.orders.polarSecret, after: before,
      // Wrongly reported rates do not occur in recordings of SDK mode.
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
      // Contents of the same size at one path can only be distinguished by a hash.
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
