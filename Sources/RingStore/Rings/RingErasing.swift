// Deletes single items of a ring by their times; the remaining items keep their ordinals.

internal import EventLoop
internal import Health

extension RingWriter {
  /// Chunks in one transaction. Each is read, decoded and perhaps rewritten.
  static let eraseStep = 32

  /// Deletes the items in the spans, in some chunks from `ordinal` on. A damaged chunk has no readable times, and is
  /// deleted whole.
  ///
  /// - Returns: the ordinal to continue from, nil at the end of the ring; and the number of deleted items.
  mutating func erase(_ ring: RingID, _ spans: [WornSpan], from ordinal: UInt64, _ transaction: Transaction)
    throws(DatabaseFailure) -> (next: UInt64?, items: UInt64)
  {
    guard var state = table[ring], state.chunks > 0 else { return (nil, 0) }
    var found: [(first: UInt64, bytes: [UInt8])] = []
    var behind: UInt64?
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(ring.chunkKey(ordinal))
      while let candidate = entry, let chunk = RingReading.chunk(candidate, ring) {
        if found.count == Self.eraseStep {
          behind = chunk.first
          break
        }
        found.append((chunk.first, Array(chunk.bytes)))
        entry = try cursor.next()
      }
    }
    let clocks = try BootClocks.load(transaction)
    var gone: UInt64 = 0
    for (index, chunk) in found.enumerated() {
      let nextFirst = index + 1 < found.count ? found[index + 1].first : behind ?? state.next
      gone += try erase(ring, spans, chunk, nextFirst, clocks, &state, transaction)
    }
    if gone > 0 {
      try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
        if let entry = try cursor.seek(ring.key), let first = RingReading.chunk(entry, ring) {
          state.begin(
            at: first.first, RingChunkHeader.verify(first.bytes, at: transaction.place(ring, first.first)))
        } else {
          state.becomeEmpty()
        }
      }
      state.purged &+= gone
      set(ring, state)
    }
    return (behind, gone)
  }

  private func erase(
    _ ring: RingID, _ spans: [WornSpan], _ chunk: (first: UInt64, bytes: [UInt8]), _ nextFirst: UInt64,
    _ clocks: BootClocks, _ state: inout RingState, _ transaction: Transaction
  ) throws(DatabaseFailure) -> UInt64 {
    let place = transaction.place(ring, chunk.first)
    let header = chunk.bytes.withUnsafeBytes { RingChunkHeader.verify($0, at: place) }
    let shift = header.flatMap { clocks.shift($0.anchor, ring.way, latest: $0.latest) } ?? 0
    // By the corrected times, which readers see.
    func isGone(_ stored: Int64) -> Bool {
      let time = stored &+ shift
      return spans.contains {
        $0.from.microseconds <= time && time < $0.to.microseconds
          || $0.to.microseconds == .max && $0.from.microseconds <= time
      }
    }
    var columns: ItemColumns?
    if let header {
      let mayHold = spans.contains {
        $0.from.microseconds <= header.latest &+ shift && header.earliest &+ shift <= $0.to.microseconds
      }
      if !mayHold { return 0 }
      var items = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
      if chunk.bytes.withUnsafeBytes({ RingChunkDecoder.decode($0, at: place, into: &items) }) != nil {
        columns = items
      }
    }
    if let columns, !columns.times.contains(where: isGone) { return 0 }
    let whole = RingWriter.items(chunk.first, header, nextFirst: nextFirst)
    try transaction.delete(transaction.tables.chunks, ring.chunkKey(chunk.first))
    state.bytes -= min(state.bytes, UInt64(chunk.bytes.count))
    state.chunks -= min(state.chunks, 1)
    state.items -= min(state.items, whole)
    guard let header, let columns else { return whole }
    var kept: UInt64 = 0
    for run in columns.runs(where: { !isGone($0) }) {
      var position = 0
      // The first item is the rest of one before it only if that one remains too.
      var continues = run.start == 0 && header.continues
      while position < run.items.count {
        var bytes: [UInt8] = []
        let ordinal = chunk.first &+ UInt64(run.start + position)
        // High water is not lowered: it may exceed the remaining times, but never be below them.
        let taken = RingChunkEncoder.encode(
          run.items, from: position, at: transaction.place(ring, ordinal), highWater: header.highWater,
          anchor: header.anchor, continues: continues, into: &bytes)
        try transaction.put(transaction.tables.chunks, ring.chunkKey(ordinal), bytes)
        state.bytes &+= UInt64(bytes.count)
        state.chunks &+= 1
        state.items &+= UInt64(taken)
        kept += UInt64(taken)
        position += taken
        continues = run.items.goesOn(position - 1)
      }
    }
    return whole - min(whole, kept)
  }
}

extension ItemColumns {
  /// The items with times that pass, as runs without gaps, each with its start index.
  func runs(where passes: (Int64) -> Bool) -> [(start: Int, items: ItemColumns)] { placedRuns { passes(times[$0]) } }

  /// The items with places that pass, in the same way.
  func placedRuns(where passes: (Int) -> Bool) -> [(start: Int, items: ItemColumns)] {
    var runs: [(start: Int, items: ItemColumns)] = []
    var offset = 0
    var isOpen = false
    for index in 0..<count {
      let length = hasBytes ? Int(lengths[index]) : 0
      defer { offset += length }
      guard passes(index) else {
        isOpen = false
        continue
      }
      if !isOpen { runs.append((index, ItemColumns(valueCount: valueCount, hasBytes: hasBytes))) }
      isOpen = true
      let values = values.map { $0[index] }
      values.withUnsafeBufferPointer { values in
        heap[offset..<(offset + length)].withUnsafeBytes { bytes in
          runs[runs.count - 1].items.append(
            time: times[index], flags: UInt8(truncatingIfNeeded: flags[index]), values: values, bytes: bytes)
        }
      }
    }
    return runs
  }
}
