// Raw bytes of fetched items in the store: each item in pieces, one after another.

import Health
import RingStore

/// Raw pieces of one wearable, in the order of arrival.
struct RawItems {
  private(set) var pieces: [[UInt8]] = []

  /// - Parameter count: approximate number of the newest pieces; nil: all.
  init(of wearable: WearableID, in store: Store, newest count: Int?) async throws {
    if let count {
      pieces = try await store.newest(count, of: wearable, .raw).sorted { $0.ordinal < $1.ordinal }.map(\.bytes)
      return
    }
    let session = try await store.export(SampleQuery(wearables: [wearable], series: [.raw]))
    while let page = try await session.next(limit: 1000) { pieces += page.samples.map(\.bytes) }
  }

  /// Whether all parts of a content are in these items, individually or several as one item.
  static func contain(_ content: HeldContent, _ raws: [RawItems]) -> Bool {
    // Parts up to which everything is present.
    var isKept = [true] + content.map { _ in false }
    for start in content.indices where isKept[start] {
      var bytes: [UInt8] = []
      for end in start..<content.count {
        bytes += content[end]
        if !isKept[end + 1], raws.contains(where: { $0.contains(bytes) }) { isKept[end + 1] = true }
      }
    }
    return isKept[content.count]
  }

  /// Whether some consecutive pieces are exactly these bytes.
  private func contains(_ bytes: [UInt8]) -> Bool {
    if bytes.isEmpty { return true }
    // The newest are last and are searched for most often.
    for start in pieces.indices.reversed() where Self.length(of: bytes, in: pieces[start...]) != nil { return true }
    return false
  }

  /// Parts of one content, with the number of pieces they take.
  struct Match {
    var content: Int
    var parts: Range<Int>
    var pieces: Int
  }

  /// The longest run of untaken parts of one content that the pieces begin with.
  static func match(_ pieces: ArraySlice<[UInt8]>, _ held: [HeldContent], _ taken: [[Bool]]) -> Match? {
    var best: (match: Match, size: Int)?
    for (index, content) in held.enumerated() {
      for start in content.indices where !taken[index][start] && begins(pieces, content[start]) {
        var bytes: [UInt8] = []
        for end in start..<content.count {
          if taken[index][end] { break }
          bytes += content[end]
          guard let count = length(of: bytes, in: pieces), best.map({ $0.size < bytes.count }) ?? true else { continue }
          best = (Match(content: index, parts: start..<end + 1, pieces: count), bytes.count)
        }
      }
    }
    return best?.match
  }

  /// Quick check before the bytes are joined: one of the two begins with the other.
  private static func begins(_ pieces: ArraySlice<[UInt8]>, _ part: [UInt8]) -> Bool {
    guard let piece = pieces.first else { return false }
    let count = min(piece.count, part.count)
    return piece.prefix(count).elementsEqual(part.prefix(count))
  }

  /// Number of pieces that make up `bytes`, from the first on.
  private static func length(of bytes: [UInt8], in pieces: ArraySlice<[UInt8]>) -> Int? {
    var offset = 0
    for (index, piece) in zip(1..., pieces) {
      guard !piece.isEmpty, offset + piece.count <= bytes.count,
        bytes[offset..<offset + piece.count].elementsEqual(piece)
      else { return nil }
      offset += piece.count
      if offset == bytes.count { return index }
    }
    return nil
  }
}
