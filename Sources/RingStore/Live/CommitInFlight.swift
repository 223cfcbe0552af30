// Samples on their way to the disk.

internal import EventLoop
internal import Reasons

/// Samples on their way to the disk, together.
struct CommitInFlight {
  let number: UInt64
  let chunks: [ChunkBuffer]
  let batch: EventBatch
  let cause: CommitCause
  let began: Instant
  /// What it was given to; nil until then.
  var writer: StoreWriter?
  /// The disk is done with it.
  var isBack = false
  var failure: HearthError?
  var isRootLeft = false
  var evicted = 0

  var nextSequence: UInt64? { chunks.last?.nextSequence }
}

/// Commits in the order in which they were begun, as one chain.
struct CommitsInFlight {
  private(set) var commits: [CommitInFlight] = []
  private(set) var chain = CommitChain()
  private var begun: UInt64 = 0

  /// Those that the disk is not done with.
  var countAtDisk: Int { commits.reduce(0) { $0 + ($1.isBack ? 0 : 1) } }
  /// Why the first of those that failed did.
  var failure: HearthError? { commits.lazy.compactMap(\.failure).first }
  /// One above the last number that is on its way.
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

  /// What is to be written; nil unless all commits before it were given to the same writer.
  mutating func give(_ number: UInt64, to writer: StoreWriter) -> ([ChunkBuffer], EventBatch, CommitChain)? {
    guard let place = commits.firstIndex(where: { $0.number == number }),
      commits[..<place].allSatisfy({ $0.writer === writer })
    else { return nil }
    commits[place].writer = writer
    return (commits[place].chunks, commits[place].batch, chain)
  }

  /// The disk is done with a commit; nil if it was taken back meanwhile.
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

  /// The first commits, so many.
  mutating func take(_ count: Int) -> [CommitInFlight] {
    let first = Array(commits.prefix(count))
    commits.removeFirst(count)
    return first
  }

  /// Nothing is on its way; what comes belongs to another chain.
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
