// One band over one link: frames sent and acknowledged, questions with their replies, and what it says by itself.

import Bands
import Bluetooth
import EventLoop
import Wearable

/// The hub's side of the two layers. Sequential: one frame is under way at a time.
@LoopActor
final class FitCloudClient {
  let link: any WearableLink
  private let pieces: BandPieces
  private let answers: GATTCharacteristic
  /// A notification is 20 to 509 bytes, and a frame of the longest kind 26 of the smallest.
  private let inbox = Inbox(limit: 512)
  private var receiver = FitCloudReceiver()
  /// Of the next frame. It advances when the frame was acknowledged.
  private var sequence: UInt16 = 1
  /// The last that came of them.
  private var acknowledged: (sequence: UInt16, isError: Bool)?
  /// Items that nobody took yet, oldest first.
  private var arrived: [FitCloudItem] = []
  private var isOpen = false
  var generation: FitCloudGeneration
  /// It says that something was set at the band itself; whoever reads it again takes it back.
  var configurationChanged = false
  /// Is told of each item when it comes, whatever is waited for then.
  var onItem: (@LoopActor (FitCloudItem) -> Void)?

  /// For the acknowledgement of a frame, and for a reply (vendor's own bound).
  static let patience: Duration = .seconds(10)
  /// ns between two pieces of one frame: fifty times what the slowest bands leave, and six connection events of the
  /// slowest link.
  private static let pieceGap: Int64 = 3_000_000_000
  /// ns behind the end of a wait in which what came already is taken.
  private static let grace: Int64 = 1_000_000_000
  /// Beside the first time.
  private static let repeats = 2
  /// Items that wait: two frames full of the smallest ones.
  private static let waiting = 256

  /// nil where the link shows no band.
  init?(_ link: any WearableLink, isSlow: Bool = false, generation: FitCloudGeneration?) {
    guard let command = link.database.characteristic(Band.command, in: Band.service),
      let answers = link.database.characteristic(Band.answer, in: Band.service)
    else { return nil }
    (self.link, self.answers) = (link, answers)
    pieces = BandPieces(link, command, isSlow: isSlow)
    // Those that want their writes confirmed are of the old generation.
    self.generation = generation ?? (command.properties.contains(.writeWithoutResponse) ? .new : .old)
  }

  /// Its pieces come as old bands like them.
  var isSlow: Bool { pieces.isSlow }
  /// What it says is of the new platform.
  var isNextPlatform: Bool { receiver.isNextPlatform }

  // MARK: Coming

  private func open() async throws(VisitTrouble) {
    if isOpen { return }
    try await link.subscribe(answers, into: inbox)
    isOpen = true
  }

  /// Takes the next notification, waiting for it.
  ///
  /// - Returns: false where none came in time.
  private func pump(until deadline: Int64) async throws(VisitTrouble) -> Bool {
    let left = deadline - link.hubTime.monotonic
    // One that never stops talking does not keep anybody beyond that.
    if left <= 0, inbox.isEmpty || left < -Self.grace { return false }
    let value: [UInt8]
    do throws(VisitTrouble) { value = try await link.next(from: inbox, within: .nanoseconds(max(1, left))) } catch {
      guard case .silent = error else { throw error }
      // What was begun is not gone on with: its sender begins anew.
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
    case .repeated: link.note("it says a frame twice")
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
        link.note("it says more than anybody asked for")
      }
      arrived.append(item)
    }
  }

  private func deadline(_ patience: Duration) -> Int64 { link.hubTime.monotonic + patience.wholeNanoseconds }

  /// The oldest item with one of the keys, waiting for it; nil where none came in time.
  func next(_ keys: [FitCloudKey], within patience: Duration) async throws(VisitTrouble) -> FitCloudItem? {
    let deadline = deadline(patience)
    while true {
      if let place = arrived.firstIndex(where: { keys.contains($0.id) }) { return arrived.remove(at: place) }
      // Whatever came is looked at before the time is over.
      guard try await pump(until: deadline) else { return nil }
    }
  }

  /// What came of the keys is of the past.
  func forget(_ keys: [FitCloudKey]) { arrived.removeAll { keys.contains($0.id) } }

  /// Acknowledges what the band said by itself, without waiting for anything.
  ///
  /// - Returns: all that nobody has asked for.
  func listen() async throws(VisitTrouble) -> [FitCloudItem] {
    try await hear()
    defer { arrived = [] }
    return arrived
  }

  /// Takes in what has come so far.
  func hear() async throws(VisitTrouble) {
    try await open()
    for _ in 0..<inbox.limit where !inbox.isEmpty { _ = try await pump(until: link.hubTime.monotonic) }
  }

  // MARK: Going

  /// Sends one item and waits until the band has it.
  ///
  /// - Throws: `silent` or `framing` after two repeats: the link is of no use.
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

  /// What it learns of pieces is kept at once, whatever becomes of this link.
  private func noteLost(_ frame: [UInt8]) throws(VisitTrouble) {
    let wasSlow = pieces.isSlow
    pieces.noteLost(frame)
    if wasSlow || !pieces.isSlow { return }
    var memory = link.remembered(FitCloudMemory.self) ?? FitCloudMemory()
    memory.isSlow = true
    try link.remember(memory)
  }

  /// - Returns: the value of the reply; nil where the band has the question and does not reply.
  func ask(_ question: FitCloudQuestion, _ value: [UInt8] = [], within patience: Duration = FitCloudClient.patience)
    async throws(VisitTrouble) -> [UInt8]?
  {
    forget([question.reply])
    try await send(FitCloudItem(question.ask, value))
    return try await next([question.reply], within: patience)?.value
  }
}
