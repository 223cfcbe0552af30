// What the harnesses of the store share. Compiled together with Sources/RingStore by ./run.

internal import StateCodec

/// The fuzzer's bytes as choices; zeros when they are used up.
struct StoreInput {
  private var bytes: UnsafeRawBufferPointer

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) { bytes = UnsafeRawBufferPointer(start: start, count: count) }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func u8() -> UInt8 {
    guard let first = bytes.first else { return 0 }
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    return first
  }

  mutating func u16() -> Int { Int(u8()) | Int(u8()) << 8 }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
    return taken
  }

  mutating func rest() -> UnsafeRawBufferPointer { take(bytes.count) }

  /// Near `last` at the price of one byte, anywhere at the price of more.
  mutating func number(near last: Int64) -> Int64 {
    let choice = Int8(bitPattern: u8())
    switch choice {
    case .min: return (0..<8).reduce(0) { number, _ in number << 8 | Int64(u8()) }
    case 127: return last &* 10
    case 126: return last &+ Int64(u16()) &* 1_000_000
    case 125: return .max &- Int64(u8())
    case 124: return .min &+ Int64(u8())
    default: return last &+ Int64(choice)
    }
  }

  /// How many items: mostly few, seldom some blocks of one column, for the slow reader takes its time.
  mutating func itemCount(columns: Int, _ choice: UInt8) -> Int {
    let limit =
      switch choice & 15 {
      case 0: 400
      case 1: 140
      case 2, 3: 30
      default: 6
      }
    return u16() % min(limit, 800 / columns)
  }

  /// A shape: number of values in the low five bits, bytes in the top one.
  mutating func shape() -> (values: Int, hasBytes: Bool) {
    let shape = u8()
    return (Int(shape & 0x1F) % 17, shape & 0x80 != 0)
  }

  /// Changes single bytes of a chunk, and its length, as long as there is input.
  mutating func damage(_ chunk: inout [UInt8]) {
    while !isAtEnd {
      let place = u16()
      let change = u8()
      if place & 0x8000 != 0, chunk.count > 8 {
        chunk.removeLast(min(Int(change & 7), chunk.count - 8))
      } else if !chunk.isEmpty {
        chunk[place % chunk.count] ^= change
      }
    }
    seal(&chunk)
  }
}

let storeNumber = StoreNumber(value: 77)
/// Of no known series: any values are its own.
let ring = RingID(wearable: WearableID(number: 1), seriesNumber: 60_000, way: .live)

/// The place that a chunk of a ring states.
func place(_ chunk: UnsafeRawBufferPointer) -> ChunkPlace {
  ChunkPlace(storeNumber, ring, chunk.count < 16 ? 0 : chunk.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
}

/// Puts the checksum right that would keep the fuzzer out.
func seal(_ chunk: inout [UInt8]) {
  guard chunk.count >= 8 else { return }
  var start = CRC32C()
  if chunk.count >= 16, chunk[0] == RingChunkHeader.layout, chunk[1] & RingChunkHeader.placedFlag != 0 {
    start = chunk.withUnsafeBytes { place($0).start }
  } else if chunk.count >= 16, chunk[0] == ChunkHeader.layout, chunk[1] & ChunkHeader.placedFlag != 0 {
    start = storeNumber.start(chunk.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) })
  }
  let checksum = chunk.withUnsafeBytes { ChunkHeader.checksum($0, start) }
  chunk.withUnsafeMutableBytes { $0.store(checksum, at: 4) }
}
