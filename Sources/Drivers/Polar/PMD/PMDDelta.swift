// Delta compression of frames: a whole sample, and differences from sample to sample.

import Bluetooth
import Wearable

extension PMD {
  /// The content of a compressed frame.
  ///
  ///     channels × number of the reference's bits, rounded up to bytes      first sample
  ///     then blocks:  bits (1)  samples (1)  samples × channels × difference of so many bits, two's complement
  ///
  /// Differences are packed from the least significant bit on, with all channels of a sample in sequence. A block ends
  /// at a byte boundary. Floats are added as the integers of their bit patterns. Sums wrap at 32 bits.
  ///
  /// A view of the given bytes, which must outlive it.
  struct Delta {
    let samples: Int
    private let content: RawBytes
    private let channels: Int
    private let bits: Int

    /// Maximum number of numbers of one frame: 50 s of three axes at 200 Hz. A bound is needed because a byte may hold
    /// eight one-bit differences.
    static let numberLimit = 1 << 15

    /// Checks all blocks, so that decoding needs no bounds checks.
    ///
    /// - Throws: `truncated`; `outOfRange` for differences of more than 32 bits, or more than `numberLimit` numbers.
    init(_ content: RawBytes, channels: Int, bits: Int) throws(DecodeError) {
      let reference = channels * Self.width(bits)
      guard content.count >= reference else { throw .truncated }
      var samples = 1
      var offset = reference
      while offset < content.count {
        guard offset + 2 <= content.count else { throw .truncated }
        let size = Int(content[offset])
        let count = Int(content[offset + 1])
        guard size <= 32 else { throw .outOfRange }
        offset += 2 + Self.length(size, count, channels)
        guard offset <= content.count else { throw .truncated }
        // A block with 0 bits per difference has no samples, as in the wearables' own use of the format.
        if size > 0 { samples += count }
        guard samples * channels <= Self.numberLimit else { throw .outOfRange }
      }
      self.samples = samples
      self.content = content
      self.channels = channels
      self.bits = bits
    }

    private static func width(_ bits: Int) -> Int { (bits + 7) / 8 }
    private static func length(_ size: Int, _ count: Int, _ channels: Int) -> Int { (size * count * channels + 7) / 8 }

    /// Writes `samples` × `channels` numbers.
    func decode(into numbers: UnsafeMutablePointer<Int32>) {
      let width = Self.width(bits)
      for channel in 0..<channels {
        numbers[channel] = Self.signed(Self.word(content, channel * width), bits)
      }
      var offset = channels * width
      var place = channels
      while offset < content.count {
        let size = Int(content[offset])
        let count = Int(content[offset + 1])
        offset += 2
        if size > 0 {
          unpack(offset, size, count * channels, numbers, place)
          place += count * channels
        }
        offset += Self.length(size, count, channels)
      }
    }

    /// Decodes one block. A load of eight bytes has a difference and the up to seven bits before it.
    @inline(__always)
    private func unpack(_ offset: Int, _ size: Int, _ count: Int, _ numbers: UnsafeMutablePointer<Int32>, _ place: Int)
    {
      guard let start = content.baseAddress else { return }
      let drop = Int64(64 - size)
      // Eight-byte loads at this offset or below stay within the content.
      let lastWhole = content.count - 8
      var bit = offset * 8
      var index = place
      let end = place + count
      while index < end, bit >> 3 <= lastWhole {
        let word =
          UInt64(littleEndian: start.loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self)) &>> UInt64(bit & 7)
        let difference = (Int64(bitPattern: word) &<< drop) &>> drop
        numbers[index] = numbers[index - channels] &+ Int32(truncatingIfNeeded: difference)
        bit += size
        index += 1
      }
      while index < end {
        let difference = Self.signed(Self.word(content, bit >> 3) &>> UInt64(bit & 7), size)
        numbers[index] = numbers[index - channels] &+ difference
        bit += size
        index += 1
      }
    }

    /// Eight bytes from `offset` on, padded with zeros beyond the end.
    private static func word(_ bytes: RawBytes, _ offset: Int) -> UInt64 {
      var word: UInt64 = 0
      for place in 0..<min(8, bytes.count - offset) { word |= UInt64(bytes[offset + place]) << UInt64(8 * place) }
      return word
    }

    private static func signed(_ word: UInt64, _ bits: Int) -> Int32 {
      let drop = Int64(64 - bits)
      return Int32(truncatingIfNeeded: (Int64(bitPattern: word) &<< drop) &>> drop)
    }

    /// Encodes whole samples for simulated wearables, in blocks of the smallest sufficient width.
    static func encode(_ numbers: [Int32], channels: Int, bits: Int) -> [UInt8] {
      guard channels > 0 && numbers.count % channels == 0 && !numbers.isEmpty else {
        fatalError("whole samples, at least one")
      }
      var bytes: [UInt8] = []
      for number in numbers.prefix(channels) {
        for place in 0..<width(bits) { bytes.append(UInt8(truncatingIfNeeded: number >> Int32(8 * place))) }
      }
      var start = channels
      while start < numbers.count {
        // Blocks of 16 samples follow the signal closely, and their header of two bytes is small in comparison.
        let end = min(numbers.count, start + 16 * channels)
        let differences = (start..<end).map { numbers[$0] &- numbers[$0 - channels] }
        let size = differences.reduce(1) { max($0, 33 - max($1.leadingZeroBitCount, (~$1).leadingZeroBitCount)) }
        bytes += [UInt8(size), UInt8((end - start) / channels)]
        var packed = [UInt8](repeating: 0, count: length(size, (end - start) / channels, channels))
        var bit = 0
        for difference in differences {
          for place in 0..<size {
            if difference >> Int32(place) & 1 != 0 { packed[bit >> 3] |= 1 << UInt8(bit & 7) }
            bit += 1
          }
        }
        bytes += packed
        start = end
      }
      return bytes
    }
  }
}
