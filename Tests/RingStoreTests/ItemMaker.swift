// Items of every kind from a seed: what the tests of the codecs are fed with.

import StateCodec

@testable import RingStore

/// Makes columns of items.
struct ItemMaker {
  var random: Seeded

  init(seed: Int) { random = Seeded(UInt64(seed)) }

  /// The pattern of one column: those of real series, and others.
  enum Habit: CaseIterable {
    case constant, line, jitteredLine, walk, parabola, repeated, backwards, stepsInTheMiddle, constantUntilTheEnd, tens,
      millions, huge, wild, extremes
  }

  static let extremes: [Int64] = [
    0, 1, -1, 63, 64, -64, -65, .max, .min, .max - 1, .min + 1, 1 << 55, 1 << 56, 1 << 57, -(1 << 56), .max / 10 * 10,
  ]

  mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  mutating func any() -> Int64 { Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }

  mutating func column(_ habit: Habit, _ count: Int) -> [Int64] {
    let start = any()
    let step = any()
    let noise = 1 + below(40)
    var value = start
    return (0..<count).map { index in
      let i = Int64(index)
      switch habit {
      case .constant: return start
      case .line: return start &+ i &* step
      case .jitteredLine: return start &+ i &* step &+ Int64(below(noise))
      case .walk: value &+= Int64(below(noise)) - Int64(noise / 2)
      case .parabola: return start &+ i &* i &* (step >> 40) &+ Int64(below(3))
      case .repeated: if below(3) == 0 { value &+= 1000 }
      case .backwards: value = below(50) == 0 ? value &- 1_000_000_000 : value &+ 1_000_000
      case .stepsInTheMiddle: return index < count / 2 ? start : start &+ step
      case .constantUntilTheEnd: return index == count - 1 ? step : start
      case .tens: return Int64(below(1000)) * 10
      case .millions: return index == 200 ? 1_000_100 : Int64(below(1 << 40)) * 1_000_000
      case .huge: return Int64(bitPattern: random.next()) >> 7
      case .wild: return any()
      case .extremes: return Self.extremes[below(Self.extremes.count)]
      }
      return value
    }
  }

  mutating func flags() -> UInt8 { UInt8(below(3) | below(2) << 2 | below(8) << 3 | below(2) << 6) }

  /// Items of that shape; bytes of 0 to `longest`.
  mutating func items(_ count: Int, values: Int, hasBytes: Bool, longest: Int = ItemColumns.bytesLimit) -> ItemColumns {
    var items = ItemColumns(valueCount: values, hasBytes: hasBytes)
    let times = column(Habit.allCases[below(Habit.allCases.count)], count)
    let columns = (0..<values).map { _ in column(Habit.allCases[below(Habit.allCases.count)], count) }
    let sameFlags: UInt8? = below(2) == 0 ? flags() : nil
    let sameLength: Int? = below(3) == 0 ? below(longest + 1) : nil
    for index in 0..<count {
      var bytes: [UInt8] = []
      if hasBytes {
        let length = sameLength ?? (below(4) == 0 ? longest : below(longest + 1))
        bytes = (0..<length).map { UInt8(truncatingIfNeeded: index &+ $0) }
      }
      let values = columns.map { $0[index] }
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes {
          items.append(time: times[index], flags: sameFlags ?? flags(), values: values, bytes: $0)
        }
      }
    }
    return items
  }
}

extension ItemColumns {
  /// Item by item, as the slow reader has them.
  var plain: [PlainItem] {
    var heapOffset = 0
    return (0..<count).map { index in
      let length = hasBytes ? Int(lengths[index]) : 0
      defer { heapOffset += length }
      return PlainItem(
        time: times[index], flags: UInt8(flags[index]), values: values.map { $0[index] }, hasBytes: hasBytes,
        bytes: Array(heap[heapOffset..<(heapOffset + length)]))
    }
  }
}

/// Of stores that tests write by hand.
let storeNumber = StoreNumber(value: 0x5707_E0B1)

/// The place that a chunk of a ring states, in a ring of no known series: any values are its own.
func statedPlace(_ bytes: [UInt8], _ number: StoreNumber = storeNumber) -> ChunkPlace {
  let ring = RingID(wearable: one, seriesNumber: 60_000, way: .fetched)
  return ChunkPlace(number, ring, bytes.withUnsafeBytes { RingChunkHeader($0)?.ordinal } ?? 0)
}

/// With the checksum that belongs to the bytes, so that a damaged chunk gets past it.
func checksummed(_ bytes: [UInt8]) -> [UInt8] {
  guard bytes.count >= 16 else { return bytes }
  var bytes = bytes
  var start = CRC32C()
  if bytes[0] == RingChunkHeader.layout, bytes[1] & RingChunkHeader.placedFlag != 0 {
    start = statedPlace(bytes).start
  } else if bytes[0] == ChunkHeader.layout, bytes[1] & ChunkHeader.placedFlag != 0 {
    start = storeNumber.start(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) })
  }
  let checksum = bytes.withUnsafeBytes { ChunkHeader.checksum($0, start) }
  for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
  return bytes
}
