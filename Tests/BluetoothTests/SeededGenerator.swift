import EventLoop

typealias SeededGenerator = SplitMix64

extension SplitMix64 {
  mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: counts, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// Makes one to four changes: a byte altered, removed, inserted, or the rest cut off.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
      default: bytes.removeLast(bytes.count - index)
      }
    }
    return bytes
  }
}
