// The raw bytes of what was fetched, as the store keeps them: an item in pieces, one after another.

import Health
import RingStore

/// All raw pieces of one wearable, oldest first.
struct RawItems {
  private(set) var pieces: [[UInt8]] = []

  init(of wearable: WearableID, in store: Store) async throws {
    let session = try await store.export(SampleQuery(wearables: [wearable], series: [.raw]))
    while let page = try await session.next(limit: 1000) { pieces += page.samples.map(\.bytes) }
  }

  /// Whether some pieces in a row are exactly these bytes.
  func contains(_ bytes: [UInt8]) -> Bool {
    // The newest come last and are what is asked for most.
    for start in pieces.indices.reversed() where Self.length(of: bytes, in: pieces[start...]) != nil { return true }
    return false
  }

  /// The first of `held` that is not taken and that the pieces begin with, and how many pieces it has. Of several, the longest.
  static func match(_ pieces: ArraySlice<[UInt8]>, _ held: [[UInt8]], _ taken: [Bool]) -> (index: Int, pieces: Int)? {
    var best: (index: Int, pieces: Int)?
    for index in held.indices where !taken[index] {
      guard let count = length(of: held[index], in: pieces) else { continue }
      if best.map({ held[$0.index].count < held[index].count }) ?? true { best = (index, count) }
    }
    return best
  }

  static func begins(_ bytes: [UInt8], with piece: [UInt8]) -> Bool { bytes.count >= piece.count && bytes.prefix(piece.count).elementsEqual(piece) }

  /// How many pieces make up `bytes` from the first on.
  private static func length(of bytes: [UInt8], in pieces: ArraySlice<[UInt8]>) -> Int? {
    var offset = 0
    for (index, piece) in zip(1..., pieces) {
      guard !piece.isEmpty, offset + piece.count <= bytes.count, bytes[offset..<offset + piece.count].elementsEqual(piece) else { return nil }
      offset += piece.count
      if offset == bytes.count { return index }
    }
    return nil
  }
}
