// Activity files of an insole: found without a listing, fetched in chunks from an offset.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Fetch domain of activity files. No command lists a folder, so files are found by requesting numbers. Length, start
/// and a checksum of the first record identify a content, so that a number reused after an erase is noticed.
final class ActivityDomain: FetchDomain {
  let insole: InsoleClient
  let channel: SMPChannel
  let inquiry: FileInquiry
  /// Largest possible file, bytes.
  private let memory: Int
  /// Streams of this hub, which are ended before files are requested.
  private let streams: InsoleStreams?
  /// First chunks read while listing, by item.
  private var firstChunks: [String: [UInt8]] = [:]
  /// Items with stored bytes of another content.
  private var mustStartOver: Set<String> = []
  /// Some content on the insole was not listed.
  var isIncomplete = false
  /// Reason why a file was not listed, for the first one without a reported length.
  var untold: String?
  /// The hub has sent an erase over this link.
  var hasErased = false

  /// Numbers requested after the newest known one: an announcement may have been missed.
  static let lookAhead = 3
  /// Contents examined while listing; further ones are distinguished when they are fetched.
  static let lookIntoLimit = 24
  /// Restarts of a fetch because the content changed meanwhile.
  static let restartLimit = 3
  /// Time in which the insole closes a file.
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

  /// Sessions: a person starts and stops each.
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
      // Files that were not requested are assumed unchanged.
      for (number, file) in files where sizes[number] == nil && file.open == nil { sizes[number] = file.durableSize }
    } else {
      // First contact, or another erase: no file is known. After an erase by this hub, numbers restart and the
      // announcement is outdated.
      files = [:]
      if known.isEmpty || !present.isEmpty || newest == nil {
        for number in Botz.FileNumber.all { sizes[number] = try await size(of: number) }
      } else {
        try await ask(from: 1, beyond: Int(newest?.value ?? 0), &sizes)
      }
    }
    // Not one length was reported: that is no listing.
    if sizes.isEmpty, let untold { throw .unsupported(untold) }
    return try await items(files, sizes, present)
  }

  private func endStreams() async throws(VisitTrouble) {
    do throws(VisitTrouble) { try await streams?.hold() } catch {
      guard case .silent(let what) = error else { throw error }
      throw .busy(what: what, retryAfter: .seconds(60))
    }
  }

  /// Refuses during a session: its file is open, and its content not final.
  private func refuseSession() async throws(VisitTrouble) {
    let activity = try await insole.readStatus().activity
    if activity.isSession { throw .busy(what: "it is \(activity.name)", retryAfter: .seconds(60)) }
  }

  /// Whether the newest known file is still the same: after an erase its number is free, or belongs to another session.
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

  /// Requests files that are not stored yet, or may be new.
  private func askAfterKnown(
    _ files: [Botz.FileNumber: KnownActivity], _ newest: Botz.FileNumber?, _ sizes: inout [Botz.FileNumber: Int]
  ) async throws(VisitTrouble) {
    for number in files.keys.sorted() where files[number]?.open != nil {
      sizes[number] = try await size(of: number)
    }
    let highest = Int(files.keys.max()?.value ?? 0)
    try await ask(from: highest + 1, beyond: max(highest, Int(newest?.value ?? 0)), &sizes)
    // After the last number come the first ones again, and their files grow.
    if highest == 255, let first = Botz.FileNumber(1), sizes[first] == nil {
      sizes[first] = try await size(of: first)
    }
  }

  /// Requests one number after the other, until `lookAhead` of them after `last`, and after each existing one, are
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
      // An empty file has no data to lose.
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
    // Content appended to a file with a lower number is the newest.
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
    // A session that began meanwhile has a file of 53 bytes, which must not look like one lost with the battery.
    if !fresh.isEmpty { try await refuseSession() }
    return kept + fresh
  }

  /// Waits for a file to be closed, some seconds after the end of its session. Until then it has only a header, like a
  /// session lost with the battery. That file is the last one, or was appended to the first one after it.
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

  /// Mark of the content there; empty if not available. The bytes read for it are kept for the fetch.
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
        // The content changed while it was read: the new one is fetched from its beginning.
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
    /// The content is complete, or the sink has enough.
    case ended
    /// The content has changed: its length now.
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

  /// Current length if that is no longer `size`.
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

  // MARK: content

  func pieces(of item: HeldItem) -> any IncrementalDecoder { ActivityContents(item) }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try ActivityContents(item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try ActivityContents(item).decodeAll(bytes, into: sink)
  }
}
