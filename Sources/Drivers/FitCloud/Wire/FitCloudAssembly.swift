// Assembly of frames from notified pieces, with a search for the next frame after invalid bytes.

/// Assembles a stream of pieces into frames. Bounded: the buffer holds less than one frame, and one piece yields only
/// as many frames as fit into it.
struct FitCloudAssembly: Sendable {
  enum Part: Sendable, Hashable {
    case frame(FitCloudFrame)
    /// A frame with a wrong checksum.
    case damaged(sequence: UInt16)
  }

  private var bytes: [UInt8] = []
  /// Skipped bytes that were no part of a frame.
  private(set) var skipped = 0

  /// Maximum number of bytes of a piece that are read: an attribute has no more.
  static let pieceLimit = 512

  /// Whether no byte of a frame is buffered.
  var isEmpty: Bool { bytes.isEmpty }

  /// Discards an incomplete frame after its timeout.
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
        // The next byte that could begin a frame.
        let next = bytes[(begin + 1)...].firstIndex(of: FitCloudFrame.marker) ?? bytes.count
        skipped += next - begin
        begin = next
      case .whole(let frame, let size):
        parts.append(.frame(frame))
        begin += size
      case .damaged(let sequence, let size):
        parts.append(.damaged(sequence: sequence))
        let end = begin + size
        // A damaged length may have covered the following frames.
        let next = inner(begin + 1, end) ?? end
        skipped += next - begin
        begin = next
      }
    }
    if begin > 0 { bytes.removeFirst(begin) }
    return parts
  }

  /// Start of a sound data frame within the bytes that a damaged header claimed. Acknowledgements have no checksum, so
  /// they cannot be distinguished from payload.
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
