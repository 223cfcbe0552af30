private typealias RawPart = UnsafeRawBufferPointer

/// SplitMix64: the same bytes for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// Mostly what fits a default MTU, now and then anything up to an attribute's 512 bytes and a little more.
  mutating func bytes() -> [UInt8] {
    let limit: UInt64 = next() % 64 == 0 ? 520 : 24
    let count = Int(next() % limit)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        withUnsafeBytes(of: next()) { word in
          let part = min(word.count, count - filled)
          UnsafeMutableRawBufferPointer(rebasing: raw[filled..<(filled + part)]).copyMemory(from: RawPart(rebasing: word[..<part]))
          filled += part
        }
      }
    }
  }
}
