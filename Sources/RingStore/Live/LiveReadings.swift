// Readings that a wearable stores until they are confirmed. A reading and its mark become durable in one commit, so
// that a repeated offer of the same reading is recognised.

internal import EventLoop
internal import Health
internal import Reasons

extension ChunkLine {
  private static let samplesOfReading = 32

  /// Appends all samples of one reading to one chunk, so that no commit has only a part of it. Returns the sequence
  /// number below which everything must be durable for the reading to be so.
  func append(_ wearable: WearableID, reading samples: [Sample], at instant: Instant, isSure: Bool) -> UInt64 {
    // No kind of value has more than a dozen numbers.
    let samples = samples.prefix(Self.samplesOfReading)
    let room = samples.count * ChunkBuffer.recordLimit
    let limit = max(chunkLimit, ChunkHeader.size + room)
    if let full = current, !isSure || limit - full.used < room || clockHasStepped(since: full, instant) {
      // The waiting caller determines the time of the commit.
      seal()
    }
    let chunk = current ?? beginChunk(isSure: isSure)
    for sample in samples { add(sample, of: wearable, to: chunk, at: instant) }
    chunk.readings.append((wearable, nextSequence))
    // Later samples are reliable.
    if !isSure { seal() }
    return nextSequence
  }
}

extension LiveCommits {
  /// See `Store.append`.
  func append(
    _ wearable: WearableID, reading samples: [Sample], mark: ReadingMark?, at instant: Instant, isSure: Bool
  ) -> ReadingTicket? {
    if line.refuses(samples.count) { return nil }
    let through = line.append(wearable, reading: samples, at: instant, isSure: isSure)
    if let mark { readings.add(mark, of: wearable, through: through) }
    return ReadingTicket(through: through)
  }

  func isDurable(_ ticket: ReadingTicket) -> Bool { ticket.through <= durableBelow }

  /// See `Store.durable`.
  func durable(_ ticket: ReadingTicket, atOnce: Bool) async throws(HearthError) {
    if isDurable(ticket) { return }
    try await wait(until: ticket.through, isPatient: !atOnce)
  }
}
