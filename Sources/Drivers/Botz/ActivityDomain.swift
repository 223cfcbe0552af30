// The activity files of an insole: found without a listing, fetched in chunks from an offset.

import Bluetooth
import EventLoop
import Health
import Wearable

/// No command lists a folder: files are found by asking for numbers. Content is told from another by length, start and
/// a checksum of the first record, so that numbers which are used again after an erase are noticed.
final class ActivityDomain: FetchDomain {
  let insole: InsoleClient
  let channel: SMPChannel
  let inquiry: FileInquiry
  /// No file is larger.
  private let memory: Int
  /// Those of this hub are ended before files are asked for.
  private let streams: InsoleStreams?
  /// First chunks that were read while listing, by item.
  private var firstChunks: [String: [UInt8]] = [:]
  /// Items whose kept bytes are of another content.
  private var mustStartOver: Set<String> = []
  /// Something is on the insole that was not listed.
  var isIncomplete = false
  /// Why the first file was not listed of which the insole does not say how long it is.
  var untold: String?
  /// An erase was called on this link.
  var hasErased = false

  /// Numbers asked for behind the newest known: an announcement may have been missed.
  static let lookAhead = 3
  /// Contents looked into while listing; those beyond are told apart when they are fetched.
  static let lookIntoLimit = 24
  /// Contents that may change while they are fetched.
  static let restartLimit = 3
  /// The insole closes a file in this time.
  static let closingTime: Duration = .seconds(5)

  init(_ insole: InsoleClient, _ channel: SMPChannel, memory: Int, streams: InsoleStreams? = nil) {
    self.insole = insole
    self.channel = channel
    inquiry = FileInquiry(insole.link, channel)
    self.memory = memory
    self.streams = streams
  }

  var id: String { "activity" }

  var series: [Series] { Botz.ActivityRecord.series }

  /// A session is begun and ended by somebody.
  nonisolated static let sessions = SyncDomain("sessions", Botz.ActivityRecord.series, isAutomatic: false)

  var syncDomains: [SyncDomain] { [Self.sessions] }

  // MARK: list

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    try await endStreams()
    try await refuseSession()
    (firstChunks, mustStartOver, isIncomplete, untold) = ([:], [], false, nil)
    let newest = try await insole.readNewestFile()
    let present = known.filter { !$0.isErased }
    var files = Dictionary(grouping: present) { ActivityPlace(id: $0.id)?.number }.reduce(
      into: [Botz.FileNumber: KnownActivity]()
    ) {
      if let number = $1.key { $0[number] = KnownActivity(number, $1.value) }
    }
    var sizes: [Botz.FileNumber: Int] = [:]
    if try await isUnchanged(files) {
      try await askAfterKnown(files, newest, &sizes)
      // What was not asked for is there as it was.
      for (number, file) in files where sizes[number] == nil && file.open == nil { sizes[number] = file.durableSize }
    } else {
      // First contact, or somebody erased: nothing is known of what is there. After an erase of our own, numbers begin
      // anew and the announcement is old.
      files = [:]
      if known.isEmpty || !present.isEmpty || newest == nil {
        for number in Botz.FileNumber.all { sizes[number] = try await size(of: number) }
      } else {
        try await ask(from: 1, beyond: Int(newest?.value ?? 0), &sizes)
      }
    }
    // One that says nothing of any has not been listed.
    if sizes.isEmpty, let untold { throw .unsupported(untold) }
    return try await items(files, sizes, present)
  }

  private func endStreams() async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await streams?.hold() } catch {
      guard case .silent(let what) = error else { throw error }
      throw .busy(what: what, retryAfter: .seconds(60))
    }
  }

  /// While a session runs its file is open: what is there of it is not what it will be.
  private func refuseSession() async throws(VisitTrouble) {
    let activity = try await insole.readStatus().activity
    if activity.isSession { throw .busy(what: "it is \(activity.name)", retryAfter: .seconds(60)) }
  }

  /// Whether the newest of the files known is the one that was seen: after an erase its number is free, or another
  /// session's.
  private func isUnchanged(_ files: [Botz.FileNumber: KnownActivity]) async throws(VisitTrouble) -> Bool {
    let seen = files.values.filter { $0.first.map { !$0.mark.isEmpty && $0.size != nil } ?? false }
    guard let last = seen.max(by: { $0.number < $1.number }), let first = last.first, let size = first.size else {
      return false
    }
    guard let total = try await inquiry.size(of: last.number), total >= max(size, last.durableSize) else {
      return false
    }
    return try await mark(of: ActivityPlace(last.number), size: size) == first.mark
  }

  /// What is not in the store yet, and what may be new.
  private func askAfterKnown(
    _ files: [Botz.FileNumber: KnownActivity], _ newest: Botz.FileNumber?, _ sizes: inout [Botz.FileNumber: Int]
  ) async throws(VisitTrouble) {
    for number in files.keys.sorted() where files[number]?.open != nil {
      sizes[number] = try await size(of: number)
    }
    let highest = Int(files.keys.max()?.value ?? 0)
    try await ask(from: highest + 1, beyond: max(highest, Int(newest?.value ?? 0)), &sizes)
    // After the last number come the first ones again, and what is there is appended to.
    if highest == 255, let first = Botz.FileNumber(1), sizes[first] == nil {
      sizes[first] = try await size(of: first)
    }
  }

  /// Asks for numbers one after the other until `lookAhead` of them behind `last`, and behind any that is there, are
  /// free.
  private func ask(from first: Int, beyond last: Int, _ sizes: inout [Botz.FileNumber: Int]) async throws(VisitTrouble)
  {
    var end = last + Self.lookAhead
    var next = first
    while next <= min(end, 255), let number = Botz.FileNumber(next) {
      if let size = try await size(of: number) {
        sizes[number] = size
        end = max(end, next + Self.lookAhead)
      }
      next += 1
    }
  }

  private func items(_ files: [Botz.FileNumber: KnownActivity], _ sizes: [Botz.FileNumber: Int], _ known: [KnownItem])
    async throws(VisitTrouble) -> [HeldItem]
  {
    var kept: [HeldItem] = []
    var fresh: [HeldItem] = []
    let sizes = try await closed(sizes, files)
    let knownByID = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    for number in sizes.keys.sorted() {
      guard let total = sizes[number] else { continue }
      // A file without a byte holds nothing that could be lost.
      if total == 0 { continue }
      guard total <= memory else {
        insole.link.note("\(number.name) claims \(total) bytes, more than the insole has")
        isIncomplete = true
        continue
      }
      let file = files[number].flatMap { $0.durableSize <= total ? $0 : nil }
      kept += (file?.durable ?? []).map {
        HeldItem(id: $0.id, mark: $0.mark, size: $0.size, begins: Self.begins($0.mark))
      }
      let base = file?.durableSize ?? 0
      if base < total { fresh.append(HeldItem(id: ActivityPlace(number, base: base).id, size: total - base)) }
    }
    // What was appended to a file of an older number is the newest of all.
    fresh = fresh.filter { !$0.id.contains("+") } + fresh.filter { $0.id.contains("+") }
    for index in fresh.indices {
      let (item, before) = (fresh[index], knownByID[fresh[index].id])
      guard let place = ActivityPlace(id: item.id), let size = item.size else { continue }
      if index < Self.lookIntoLimit || (before?.fetched ?? 0) > 0 {
        fresh[index].mark = try await mark(of: place, size: size, keeping: item.id)
        fresh[index].begins = Self.begins(fresh[index].mark)
      }
      if let before, before.fetched > 0, before.mark.isEmpty || before.mark != fresh[index].mark {
        mustStartOver.insert(item.id)
      }
    }
    // A session that began meanwhile has a file of 53 bytes, which must not pass for one that was lost with the
    // battery.
    if !fresh.isEmpty { try await refuseSession() }
    return kept + fresh
  }

  /// A file is closed some seconds after its session has ended. Until then it shows a header alone, and would pass for
  /// one whose session was lost with the battery. It is the last one, or what the first one is appended with behind
  /// that.
  private func closed(_ sizes: [Botz.FileNumber: Int], _ files: [Botz.FileNumber: KnownActivity])
    async throws(VisitTrouble) -> [Botz.FileNumber: Int]
  {
    let last = sizes.keys.max()
    let bare = sizes.filter { number, total in
      guard number == last || number.value == 1 && last?.value == 255 else { return false }
      let durable = files[number].map { $0.durableSize <= total ? $0.durableSize : 0 } ?? 0
      return total - durable == Botz.ActivityHeader.size
    }
    if bare.isEmpty { return sizes }
    try await insole.link.settle(for: Self.closingTime)
    var sizes = sizes
    for number in bare.keys.sorted() { sizes[number] = try await size(of: number) }
    return sizes
  }

  private static func begins(_ mark: String) -> Int64? { ActivityMark.start(of: mark).map { Int64($0) * 1_000_000 } }

  /// The mark of what lies there; empty if it cannot be had. What was read for it is kept for the fetch.
  func mark(of place: ActivityPlace, size: Int, keeping id: String? = nil) async throws(VisitTrouble) -> String {
    let prefix = min(size, ActivityMark.prefix)
    guard let bytes = try await inquiry.bytes(of: place.number, from: place.base, atLeast: prefix) else {
      return ""
    }
    if let id, bytes.count <= size { firstChunks[id] = bytes }
    return bytes.withUnsafeBytes { ActivityMark($0, size: size).text }
  }

  // MARK: fetch

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let place = ActivityPlace(id: item.id), var size = item.size else {
      throw .unsupported("\(item.id) is no activity file")
    }
    try ActivityContents.check(item.id, size)
    if mustStartOver.remove(item.id) != nil, sink.offset > 0 { try await sink.startOver(mark: item.mark, size: size) }
    var restarts = 0
    while true {
      switch try await fetchOnce(place, item.id, size, sink) {
      case .ended: return
      case .changed(let now):
        // It changed while it was read: what is there now is fetched from its beginning.
        try await refuseSession()
        guard restarts < Self.restartLimit else {
          throw .busy(what: "\(item.id) changes while it is read", retryAfter: .seconds(60))
        }
        restarts += 1
        size = now
        try await sink.startOver(mark: try await mark(of: place, size: size, keeping: item.id), size: size)
      }
    }
  }

  private enum Fetching {
    /// All of it is there, or the sink has enough.
    case ended
    /// It is no longer what it was: its length now.
    case changed(Int)
  }

  private func fetchOnce(_ place: ActivityPlace, _ id: String, _ size: Int, _ sink: any ByteSink)
    async throws(VisitTrouble) -> Fetching
  {
    while sink.offset < size {
      try await insole.keepClock()
      let offset = sink.offset
      var data: [UInt8]
      if offset == 0, let first = firstChunks.removeValue(forKey: id), first.count <= size {
        data = first
      } else {
        guard let chunk = try await inquiry.chunk(place.number, at: place.base + offset) else {
          throw .unsupported("\(id) is gone")
        }
        data = chunk.data
        if let total = chunk.total, total != place.base + size { return .changed(try length(place, total)) }
      }
      if data.isEmpty || data.count > size - offset {
        if let now = try await changed(place, size) { return .changed(now) }
        if data.isEmpty { throw .framing("\(id) ends after \(offset) of \(size) bytes") }
        data.removeLast(data.count - (size - offset))
      }
      if try await sink.take(copyOf: data) == .enough { return .ended }
    }
    return try await changed(place, size).map { .changed($0) } ?? .ended
  }

  /// Its length if that is no longer `size`.
  private func changed(_ place: ActivityPlace, _ size: Int) async throws(VisitTrouble) -> Int? {
    guard let total = try await inquiry.size(of: place.number) else { throw .unsupported("\(place.id) is gone") }
    return total == place.base + size ? nil : try length(place, total)
  }

  private func length(_ place: ActivityPlace, _ total: Int) throws(VisitTrouble) -> Int {
    guard total > place.base, total <= memory else {
      throw .unsupported("\(place.id): the file has \(total) bytes now")
    }
    try ActivityContents.check(place.id, total - place.base)
    return total - place.base
  }

  // MARK: what is in it

  func pieces(of item: HeldItem) -> any ItemPieces { ActivityContents(item) }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try ActivityContents(item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try ActivityContents(item).decodeAll(bytes, into: sink)
  }
}
