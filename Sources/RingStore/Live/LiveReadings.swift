// Readings that a wearable keeps until they are confirmed: durable in one commit with the note that they are here, so
// that one that is offered again is known.

internal import EventLoop
internal import Health
internal import Reasons

extension ChunkLine {
  private static let samplesOfReading = 32

  /// Takes all samples of one reading, of one chunk: no commit has a part of it. Returns the number below which
  /// everything is durable once the reading is.
  func append(_ wearable: WearableID, reading samples: [Sample], at instant: Instant, isSure: Bool) -> UInt64 {
    // No kind of value has more than a dozen numbers.
    let samples = samples.prefix(Self.samplesOfReading)
    let room = samples.count * ChunkBuffer.recordLimit
    let limit = max(chunkLimit, ChunkHeader.size + room)
    if let full = current, !isSure || limit - full.used < room || clockHasStepped(since: full, instant) {
      // Who waits says how soon.
      seal()
    }
    let chunk = current ?? beginChunk(isSure: isSure)
    for sample in samples { add(sample, of: wearable, to: chunk, at: instant) }
    chunk.readings.append((wearable, nextSequence))
    // What comes next is sure.
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
