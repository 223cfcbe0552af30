// Client of one band over one link: frames and their acknowledgements, requests with their replies, and unsolicited
// items.

import Bands
import Bluetooth
import EventLoop
import Wearable

/// Hub's side of both protocol layers. Sequential: one frame is in flight at a time.
@LoopActor
final class FitCloudClient {
  let link: any WearableLink
  private let pieces: BandPieces
  private let answers: GATTCharacteristic
  /// Notifications have 20 to 509 bytes. The longest frame fills 26 of the shortest.
  private let inbox = Inbox(limit: 512)
  private var receiver = FitCloudReceiver()
  /// Sequence number of the next frame, which advances with each acknowledgement.
  private var sequence: UInt16 = 1
  /// Newest acknowledgement.
  private var acknowledged: (sequence: UInt16, isError: Bool)?
  /// Items that no caller has taken yet, oldest first.
  private var arrived: [FitCloudItem] = []
  private var isOpen = false
  var generation: FitCloudGeneration
  /// The band reports that a setting was changed on it. The caller that reads the setting again clears this.
  var configurationChanged = false
  /// Called with each item on arrival, whatever is awaited then.
  var onItem: (@LoopActor (FitCloudItem) -> Void)?

  /// Time for the acknowledgement of a frame, and for a reply (the vendor's own bound).
  static let patience: Duration = .seconds(10)
  /// Time between two pieces of one frame, ns. That is fifty times the gap of the slowest bands, and six connection
  /// events of the slowest link.
  private static let pieceGap: Int64 = 3_000_000_000
  /// Time beyond a deadline, ns, in which received pieces are still processed.
  private static let grace: Int64 = 1_000_000_000
  /// Repetitions after the first attempt.
  private static let repeats = 2
  /// Queue length of items: two frames full of the smallest ones.
  private static let waiting = 256

  /// nil if the link shows no band.
  init?(_ link: any WearableLink, isSlow: Bool = false, generation: FitCloudGeneration?) {
    guard let command = link.database.characteristic(Band.command, in: Band.service),
      let answers = link.database.characteristic(Band.answer, in: Band.service)
    else { return nil }
    (self.link, self.answers) = (link, answers)
    pieces = BandPieces(link, command, isSlow: isSlow)
    // A band that requires confirmed writes is of the old generation.
    self.generation = generation ?? (command.properties.contains(.writeWithoutResponse) ? .new : .old)
  }

  /// Whether frames are written with the slow pause between pieces.
  var isSlow: Bool { pieces.isSlow }
  /// Whether the band speaks the protocol of the new platform.
  var isNextPlatform: Bool { receiver.isNextPlatform }

  // MARK: Receiving

  private func open() async throws(VisitTrouble) {
    if isOpen { return }
    try await link.subscribe(answers, into: inbox)
    isOpen = true
  }

  /// Waits for the next notification and processes it.
  ///
  /// - Returns: false if none came in time.
  private func pump(until deadline: Int64) async throws(VisitTrouble) -> Bool {
    let left = deadline - link.hubTime.monotonic
    // A band that never stops sending cannot extend the wait beyond that.
    if left <= 0, inbox.isEmpty || left < -Self.grace { return false }
    let value: [UInt8]
    do throws(VisitTrouble) { value = try await link.next(from: inbox, within: .nanoseconds(max(1, left))) } catch {
      guard case .silent = error else { throw error }
      // Drop the incomplete frame: its sender starts again with a new one.
      if left >= Self.pieceGap { receiver.drop() }
      return false
    }
    for event in receiver.take(value) { try await take(event) }
    if receiver.isNextPlatform { throw .unsupported("it speaks the new platform's protocol") }
    return true
  }

  private func take(_ event: FitCloudReceiver.Event) async throws(VisitTrouble) {
    switch event {
    case .answer(let bytes): try await pieces.write(bytes)
    case .acknowledged(let sequence, let isError): acknowledged = (sequence, isError)
    case .message(let message): take(message)
    case .repeated: link.note("it sent a frame twice")
    case .odd(let defect): link.note("a frame that cannot be read: \(defect.rawValue)")
    }
  }

  private func take(_ message: FitCloudMessage) {
    for item in message.items {
      let item = FitCloudItem(FitCloudKey(message.command, item.key), item.value)
      if item.id == .configurationChanged {
        configurationChanged = true
        continue
      }
      onItem?(item)
      if arrived.count == Self.waiting {
        arrived.removeFirst()
        link.note("it sends more than was requested")
      }
      arrived.append(item)
    }
  }

  private func deadline(_ patience: Duration) -> Int64 { link.hubTime.monotonic + patience.wholeNanoseconds }

  /// Oldest item with one of the keys; nil after a timeout.
  func next(_ keys: [FitCloudKey], within patience: Duration) async throws(VisitTrouble) -> FitCloudItem? {
    let deadline = deadline(patience)
    while true {
      if let place = arrived.firstIndex(where: { keys.contains($0.id) }) { return arrived.remove(at: place) }
      // Received items are checked before the timeout.
      guard try await pump(until: deadline) else { return nil }
    }
  }

  /// Discards queued items of these keys.
  func forget(_ keys: [FitCloudKey]) { arrived.removeAll { keys.contains($0.id) } }

  /// Acknowledges unsolicited frames without waiting.
  ///
  /// - Returns: all queued items.
  func listen() async throws(VisitTrouble) -> [FitCloudItem] {
    try await hear()
    defer { arrived = [] }
    return arrived
  }

  /// Processes all received pieces.
  func hear() async throws(VisitTrouble) {
    try await open()
    for _ in 0..<inbox.limit where !inbox.isEmpty { _ = try await pump(until: link.hubTime.monotonic) }
  }

  // MARK: Sending

  /// Sends one item and waits for its acknowledgement.
  ///
  /// - Throws: `silent` or `framing` after two repetitions, when the link counts as unusable.
  func send(_ item: FitCloudItem) async throws(VisitTrouble) {
    try await open()
    let frame = FitCloudFrame(sequence, .data(item.payload))
    var isRefused = false
    for attempt in 0...Self.repeats {
      acknowledged = nil
      isRefused = false
      if attempt > 0 { try noteLost(frame.bytes) }
      try await pieces.write(frame.bytes)
      let deadline = deadline(Self.patience)
      while !isRefused {
        if let answer = acknowledged, answer.sequence == sequence {
          guard answer.isError else {
            sequence &+= 1
            return
          }
          isRefused = true
          break
        }
        guard try await pump(until: deadline) else { break }
      }
    }
    let what = "key \(item.id.command)/\(item.id.key)"
    throw isRefused ? .framing("\(what) arrives damaged three times") : .silent(what: what)
  }

  /// Stores a switch to the slow pause at once, in case this link is lost.
  private func noteLost(_ frame: [UInt8]) throws(VisitTrouble) {
    let wasSlow = pieces.isSlow
    pieces.noteLost(frame)
    if wasSlow || !pieces.isSlow { return }
    var memory = link.remembered(FitCloudMemory.self) ?? FitCloudMemory()
    memory.isSlow = true
    try link.remember(memory)
  }

  /// - Returns: the value of the reply; nil if the band acknowledges the request but does not reply.
  func ask(_ question: FitCloudQuestion, _ value: [UInt8] = [], within patience: Duration = FitCloudClient.patience)
    async throws(VisitTrouble) -> [UInt8]?
  {
    forget([question.reply])
    try await send(FitCloudItem(question.ask, value))
    return try await next([question.reply], within: patience)?.value
  }
}
