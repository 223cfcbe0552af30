// The use of each slot of a sound journal file, by its layout (FORMAT.md, "journal.log").

extension PageMap {
  /// Kinds: `log head`, `log slot`, `log unused`. The newest write is left out: its damage looks like a write that a
  /// power cut interrupted, which no commit promised.
  init(log bytes: [UInt8]) {
    self.init(bytes, [String](repeating: "log unused", count: bytes.count / Self.size))
    guard kinds.count > 1 else { return }
    mark(0, "log head", fields: 0..<32)
    let used = kinds.indices.dropFirst().filter { number($0 * Self.size + 4, 2) > 0 }
      .sorted { slotNumber($0) < slotNumber($1) }
    // Bit 3 of a chunk's flags: it was written together with the one before it.
    let newest = used.lastIndex { bytes[$0 * Self.size + 17] & 8 == 0 } ?? 0
    for (place, slot) in used.enumerated() {
      if place < newest { mark(slot, "log slot", fields: 0..<(16 + 88)) } else { mark(slot, "", fields: 0..<0) }
    }
  }

  private func slotNumber(_ slot: Int) -> Int { number(slot * Self.size + 8, 8) }
}
