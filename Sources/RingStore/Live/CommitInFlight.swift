// Samples on their way to the disk.

internal import EventLoop
internal import Reasons

/// Samples of one commit on their way to the disk.
struct CommitInFlight {
  let number: UInt64
  let chunks: [ChunkBuffer]
  let batch: EventBatch
  let cause: CommitCause
  let began: Instant
  /// The writer that got them; nil before that.
  var writer: StoreWriter?
  /// Whether the disk has answered.
  var isBack = false
  var failure: HearthError?
  var isRootLeft = false
  var evicted = 0

  var nextSequence: UInt64? { chunks.last?.nextSequence }
}

/// Commits in the order of their beginning, as one chain.
struct CommitsInFlight {
  private(set) var commits: [CommitInFlight] = []
  private(set) var chain = CommitChain()
  private var begun: UInt64 = 0

  /// Number of commits that the disk has not answered.
  var countAtDisk: Int { commits.reduce(0) { $0 + ($1.isBack ? 0 : 1) } }
  /// The error of the first failed commit.
  var failure: HearthError? { commits.lazy.compactMap(\.failure).first }
  /// The sequence number after the last one on its way.
  var nextSequence: UInt64? { commits.last?.nextSequence }

  func hasReadings(of wearable: WearableID) -> Bool {
    commits.contains { $0.batch.readings.contains { $0.wearable == wearable } }
  }

  /// Returns the commit's number.
  mutating func begin(_ chunks: [ChunkBuffer], _ batch: EventBatch, _ cause: CommitCause, at now: Instant) -> UInt64 {
    guard !chunks.isEmpty else { fatalError("a commit without samples") }
    begun += 1
    commits.append(CommitInFlight(number: begun, chunks: chunks, batch: batch, cause: cause, began: now))
    return begun
  }

  /// The content of a commit for a writer; nil unless all commits before it went to the same writer.
  mutating func give(_ number: UInt64, to writer: StoreWriter) -> ([ChunkBuffer], EventBatch, CommitChain)? {
    guard let place = commits.firstIndex(where: { $0.number == number }),
      commits[..<place].allSatisfy({ $0.writer === writer })
    else { return nil }
    commits[place].writer = writer
    return (commits[place].chunks, commits[place].batch, chain)
  }

  /// Notes the disk's answer for a commit; nil if the commit was taken back meanwhile.
  mutating func isBack(_ number: UInt64) -> (place: Int, cause: CommitCause)? {
    guard let place = commits.firstIndex(where: { $0.number == number }) else { return nil }
    commits[place].isBack = true
    return (place, commits[place].cause)
  }

  mutating func succeeded(_ place: Int, _ outcome: CommitOutcome) {
    commits[place].isRootLeft = outcome.isRootLeft
    commits[place].evicted = Int(clamping: outcome.losses.reduce(0) { $0 + $1.items })
  }

  mutating func failed(_ place: Int, _ error: HearthError) { commits[place].failure = error }

  /// Takes the first `count` commits.
  mutating func take(_ count: Int) -> [CommitInFlight] {
    let first = Array(commits.prefix(count))
    commits.removeFirst(count)
    return first
  }

  /// Drops all commits; later ones belong to another chain.
  mutating func forget() {
    commits = []
    chain = CommitChain()
  }
}

extension CommitReport {
  init(_ commit: CommitInFlight, throughSequence: UInt64, now: Instant) {
    self.init(
      cause: commit.cause, samples: commit.chunks.reduce(0) { $0 + $1.count }, chunks: commit.chunks.count,
      bytes: commit.chunks.reduce(0) { $0 + $1.used }, throughSequence: throughSequence, duration: now - commit.began,
      evictedSamples: commit.evicted, sharesWait: commit.isRootLeft)
  }
}
