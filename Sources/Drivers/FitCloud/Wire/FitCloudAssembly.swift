// Frames out of the pieces in which a band notifies them: where one begins after bytes that are none.

/// A stream of pieces becomes frames. Bounded: it keeps less than one frame, and one piece makes no more frames than it
/// has room for.
struct FitCloudAssembly: Sendable {
  enum Part: Sendable, Hashable {
    case frame(FitCloudFrame)
    /// One whose checksum is wrong.
    case damaged(sequence: UInt16)
  }

  private var bytes: [UInt8] = []
  /// Bytes that were no part of a frame.
  private(set) var skipped = 0

  /// Bytes of a piece that are looked at: an attribute has no more.
  static let pieceLimit = 512

  /// Nothing of a frame is kept.
  var isEmpty: Bool { bytes.isEmpty }

  /// What was begun does not go on: the time in which it should have is over.
  mutating func drop() {
    skipped += bytes.count
    bytes = []
  }

  mutating func take(_ piece: some Collection<UInt8>) -> [Part] {
    bytes += piece.prefix(Self.pieceLimit)
    var parts: [Part] = []
    var begin = 0
    scan: while begin < bytes.count {
      switch FitCloudFrame.read(bytes[begin...]) {
      case .incomplete: break scan
      case .none:
        // The next byte that could begin one.
        let next = bytes[(begin + 1)...].firstIndex(of: FitCloudFrame.marker) ?? bytes.count
        skipped += next - begin
        begin = next
      case .whole(let frame, let size):
        parts.append(.frame(frame))
        begin += size
      case .damaged(let sequence, let size):
        parts.append(.damaged(sequence: sequence))
        let end = begin + size
        // A length that came wrong has swallowed what followed.
        let next = inner(begin + 1, end) ?? end
        skipped += next - begin
        begin = next
      }
    }
    if begin > 0 { bytes.removeFirst(begin) }
    return parts
  }

  /// Where a sound data frame begins within bytes that a damaged header claimed. Acknowledgements have no checksum that
  /// would tell them from payload.
  private func inner(_ begin: Int, _ end: Int) -> Int? {
    guard begin < end else { return nil }
    return bytes[begin..<end].indices.first { place in
      guard bytes[place] == FitCloudFrame.marker, case .whole(let frame, _) = FitCloudFrame.read(bytes[place...]),
        case .data(let payload) = frame.content
      else { return false }
      return !payload.isEmpty
    }
  }
}
