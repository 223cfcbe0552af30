// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF", and their reference
// code).

/// Fed piece by piece; the result does not depend on the size of the pieces.
struct SipHash128 {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  /// Bytes that wait for their word to be full, the first in the lowest bits.
  private var tail: UInt64 = 0
  private var tailCount: UInt64 = 0
  private var length: UInt64 = 0

  /// The 16 bytes of a key as two little-endian words.
  init(key: (UInt64, UInt64)) {
    v0 = 0x736F_6D65_7073_6575 ^ key.0
    v1 = 0x646F_7261_6E64_6F6D ^ key.1 ^ 0xEE
    v2 = 0x6C79_6765_6E65_7261 ^ key.0
    v3 = 0x7465_6462_7974_6573 ^ key.1
  }

  @inline(__always)
  mutating func update(_ byte: UInt8) {
    tail |= UInt64(byte) << (8 * tailCount)
    tailCount += 1
    length &+= 1
    if tailCount == 8 {
      compress(tail)
      tail = 0
      tailCount = 0
    }
  }

  /// Eight bytes, least significant first.
  @inline(__always)
  mutating func update(_ word: UInt64) {
    length &+= 8
    compress(tail | word << (8 * tailCount))
    // Swift's shift by 64, for an empty tail, gives 0.
    tail = word >> (64 - 8 * tailCount)
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    for index in 0..<words {
      update(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
    }
    for index in (8 * words)..<bytes.count { update(bytes[index]) }
  }

  /// The 16 bytes of the result as two little-endian words.
  consuming func finish() -> (UInt64, UInt64) {
    compress(tail | length << 56)
    v2 ^= 0xEE
    for _ in 0..<4 { round() }
    let first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    for _ in 0..<4 { round() }
    return (first, v0 ^ v1 ^ v2 ^ v3)
  }

  @inline(__always)
  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v2 = v2 &+ v3
    v1 = v1 << 13 | v1 >> 51
    v3 = v3 << 16 | v3 >> 48
    v1 ^= v0
    v3 ^= v2
    v0 = v0 << 32 | v0 >> 32
    v2 = v2 &+ v1
    v0 = v0 &+ v3
    v1 = v1 << 17 | v1 >> 47
    v3 = v3 << 21 | v3 >> 43
    v1 ^= v2
    v3 ^= v0
    v2 = v2 << 32 | v2 >> 32
  }
}
