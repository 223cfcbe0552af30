// Transfers of history, one at a time: started, counted, and told whether they are complete.

import EventLoop
import Wearable

@LoopActor
final class HistoryTransfers {
  private let client: FitCloudClient
  /// What the last whole transfer was of, which the band may still be told of; nil: nothing.
  private(set) var pending: HistoryKind?
  /// The last transfer came to its end: where it brought nothing, the band has nothing.
  private(set) var isAnswered = false
  /// The band was asked to send and has not come to its end: no host may hang up.
  private(set) var isUnderWay = false
  /// A band that does not say what it has need not have what it does not answer for.
  private var unanswered: Set<UInt8> = []
  /// It said what it has: then it answers for it.
  var isCertain = false

  /// Without progress (vendor's own bound).
  static let patience: Duration = .seconds(15)
  /// Of one transfer. At the slowest, a link brings 200 bytes a second, and a week of values in two minutes.
  static let longest: Duration = .seconds(300)
  /// Beside the first.
  private static let repeats = 2
  /// Bytes of one transfer: a week of values of two bytes a minute is 20 KB.
  static let limit = 64 << 10
  /// Frames of one transfer: as many as bytes of 16 at a time would need.
  private static let frameLimit = 4096

  init(_ client: FitCloudClient) { self.client = client }

  var generation: FitCloudGeneration { client.generation }

  private enum End {
    case whole([UInt8])
    /// As many bytes came as it says that they were not.
    case miscounted(said: Int?, came: Int)
    /// Nothing more came; nothing at all where it is 0.
    case stalled(frames: Int)
    case tooLong
    /// It came to no end in the time that a transfer may take.
    case tooSlow
  }

  /// All that it has of a kind now. It keeps all of it until `complete`.
  ///
  /// - Throws: `unsupported` where a band that does not say what it has does not answer, or for more than `limit`;
  ///   `silent` or `framing` where it stalls or miscounts three times, `silent` for one that takes more than `longest`.
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
        trouble = .framing("its \(kind.id) has \(came) bytes, and it says \(said.map { "\($0)" } ?? "nothing")")
        try await client.send(Self.verdict(isComplete: false))
      case .tooLong:
        try await client.send(Self.verdict(isComplete: false))
        throw .unsupported("more than \(Self.limit) bytes of \(kind.id)")
      case .tooSlow:
        // Begun anew, it would take the lane for as long again.
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
      // It begins anew.
      default:
        begins += 1
        // What begins anew again and again may be cut.
        if begins > Self.repeats { isUnderWay = false }
        bytes = []
        if frames > Self.frameLimit { return .tooLong }
      }
    }
    return .stalled(frames: frames)
  }

  /// The last transfer is durable: the band may forget it.
  func complete() async throws(VisitTrouble) {
    pending = nil
    try await client.send(Self.verdict(isComplete: true))
  }

  private static func verdict(isComplete: Bool) -> FitCloudItem {
    FitCloudItem(.syncVerdict, [isComplete ? 0 : 1])
  }
}
