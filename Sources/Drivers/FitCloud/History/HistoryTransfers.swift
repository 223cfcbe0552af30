// Transfers of history, one at a time: started, counted, and confirmed.

import EventLoop
import Wearable

@LoopActor
final class HistoryTransfers {
  private let client: FitCloudClient
  /// Kind of the last complete transfer, for which the band still expects a verdict; nil: no verdict is due.
  private(set) var pending: HistoryKind?
  /// Whether the last transfer ended properly. If it was empty then, the band has no records.
  private(set) var isAnswered = false
  /// Whether a transfer is running: the hub must not disconnect.
  private(set) var isUnderWay = false
  /// Kinds without an answer. A band that does not report its features may lack them.
  private var unanswered: Set<UInt8> = []
  /// Whether the band reported its features; it must then answer for each.
  var isCertain = false

  /// Longest time without progress (vendor's own bound).
  static let patience: Duration = .seconds(15)
  /// Longest time of one transfer. The slowest link carries 200 bytes a second, and so a week of values in two minutes.
  static let longest: Duration = .seconds(300)
  /// Repetitions after the first attempt.
  private static let repeats = 2
  /// Bytes of one transfer: a week of values with two bytes a minute is 20 KB.
  static let limit = 64 << 10
  /// Frames of one transfer: enough for all bytes at 16 per frame.
  private static let frameLimit = 4096

  init(_ client: FitCloudClient) { self.client = client }

  var generation: FitCloudGeneration { client.generation }

  private enum End {
    case whole([UInt8])
    /// The number of received bytes differs from the total that the band reported.
    case miscounted(said: Int?, came: Int)
    /// Frames stopped coming, or never came if the count is 0.
    case stalled(frames: Int)
    case tooLong
    /// The transfer did not end within its time limit.
    case tooSlow
  }

  /// Requests all records of a kind. The band keeps them until `complete`.
  ///
  /// - Throws: `unsupported` for more than `limit`, or if a band without reported features does not answer. `silent` or
  ///   `framing` after three stalled or miscounted transfers. `silent` for a transfer longer than `longest`.
  func transfer(_ kind: HistoryKind) async throws(VisitTrouble) -> [UInt8] {
    let code = kind.code(generation)
    isAnswered = false
    if unanswered.contains(code) { return [] }
    pending = nil
    var trouble = VisitTrouble.silent(what: "its \(kind.id)")
    for _ in 0...Self.repeats {
      client.forget([.syncStarted, .syncData, .syncEnded])
      isUnderWay = true
      defer { isUnderWay = false }
      try await client.send(FitCloudItem(.startSync, [code]))
      switch try await receive() {
      case .whole(let bytes):
        pending = bytes.isEmpty ? nil : kind
        isAnswered = true
        return bytes
      case .stalled(0):
        guard isCertain, !kind.isOptional else {
          unanswered.insert(code)
          client.link.note("it does not answer for \(kind.id)")
          return []
        }
      case .stalled:
        trouble = .silent(what: "the rest of its \(kind.id)")
        try await client.send(Self.verdict(isComplete: false))
      case .miscounted(let said, let came):
        trouble = .framing("its \(kind.id) has \(came) bytes, and it says \(said.map { "\($0)" } ?? "no number")")
        try await client.send(Self.verdict(isComplete: false))
      case .tooLong:
        try await client.send(Self.verdict(isComplete: false))
        throw .unsupported("more than \(Self.limit) bytes of \(kind.id)")
      case .tooSlow:
        // A repetition would occupy the lane for the same time again.
        try await client.send(Self.verdict(isComplete: false))
        throw .silent(what: "the end of its \(kind.id)")
      }
    }
    throw trouble
  }

  private func receive() async throws(VisitTrouble) -> End {
    var (bytes, frames, begins): ([UInt8], Int, Int) = ([], 0, 0)
    let end = client.link.hubTime.monotonic + Self.longest.wholeNanoseconds
    while let item = try await client.next([.syncStarted, .syncData, .syncEnded], within: Self.patience) {
      frames += 1
      if item.id != .syncEnded, client.link.hubTime.monotonic > end { return .tooSlow }
      switch item.id {
      case .syncData:
        bytes += item.value
        client.link.noteProgress(bytes: item.value.count)
        if bytes.count > Self.limit || frames > Self.frameLimit { return .tooLong }
      case .syncEnded:
        guard item.value.count == 4 else { return .miscounted(said: nil, came: bytes.count) }
        let total = item.value.reduce(0) { $0 << 8 | Int($1) }
        return total == bytes.count ? .whole(bytes) : .miscounted(said: total, came: bytes.count)
      // The band starts the transfer again.
      default:
        begins += 1
        // A band that restarts again and again may be disconnected.
        if begins > Self.repeats { isUnderWay = false }
        bytes = []
        if frames > Self.frameLimit { return .tooLong }
      }
    }
    return .stalled(frames: frames)
  }

  /// Sends the verdict for the last transfer, which is durable: the band may erase it.
  func complete() async throws(VisitTrouble) {
    pending = nil
    try await client.send(Self.verdict(isComplete: true))
  }

  private static func verdict(isComplete: Bool) -> FitCloudItem {
    FitCloudItem(.syncVerdict, [isComplete ? 0 : 1])
  }
}
