import EventLoop

private typealias RawPart = UnsafeRawBufferPointer

typealias SeededGenerator = SplitMix64

extension SplitMix64 {
  /// Mostly what fits a default MTU, now and then anything up to an attribute's 512 bytes and a little more.
  mutating func bytes() -> [UInt8] {
    let limit: UInt64 = next() % 64 == 0 ? 520 : 24
    let count = Int(next() % limit)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        withUnsafeBytes(of: next()) { word in
          let part = min(word.count, count - filled)
          UnsafeMutableRawBufferPointer(rebasing: raw[filled..<(filled + part)]).copyMemory(
            from: RawPart(rebasing: word[..<part]))
          filled += part
        }
      }
    }
  }
}
