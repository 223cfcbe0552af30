// Frames out of pieces: what comes by notification is cut wherever the band likes.

/// Puts pieces together. Whatever comes, it holds no more than one frame, and finds the next one after bytes that are
/// none. It knows no time: whoever waits too long for the rest of a frame lets go of it.
struct FrameAssembler: Sendable {
  enum Event: Sendable, Hashable {
    case frame(TopStepFrame)
    case refused(TopStepDefect)
  }

  private var buffer: [UInt8] = []

  /// Nothing of a frame has come.
  var isEmpty: Bool { buffer.isEmpty }

  /// Frames that are whole now, and what was of no use, in the order in which they came.
  mutating func take(_ piece: some Collection<UInt8>) -> [Event] {
    buffer += piece
    var events: [Event] = []
    var rest = buffer[...]
    while !rest.isEmpty {
      do throws(TopStepDefect) {
        let frame = try TopStepFrame(rest)
        events.append(.frame(frame))
        rest = rest.dropFirst(TopStepFrame.headerSize + frame.payload.count)
      } catch {
        if error == .incomplete { break }
        note(error, &events)
        rest = Self.behind(error, rest)
      }
    }
    if rest.count < buffer.count { buffer = Array(rest) }
    return events
  }

  /// The rest of a frame did not come in time.
  ///
  /// - Returns: whether there was one.
  mutating func giveUp() -> Bool {
    defer { buffer = [] }
    return !buffer.isEmpty
  }

  /// Where the next frame may begin. One that is whole and of no use is passed over; in any other there may be the
  /// begin of one, as when a piece was lost.
  private static func behind(_ defect: TopStepDefect, _ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch defect {
    case .flags, .fragment:
      let length = (try? TopStepFrame.payloadLength(Array(rest.prefix(TopStepFrame.headerSize)))) ?? 0
      return rest.dropFirst(TopStepFrame.headerSize + length)
    case .incomplete, .magic, .command, .length, .crc:
      return rest.dropFirst().drop { $0 != TopStep.magic }
    }
  }

  /// One defect says it all where one follows from the other.
  private func note(_ defect: TopStepDefect, _ events: inout [Event]) {
    if case .refused? = events.last, defect == .magic { return }
    events.append(.refused(defect))
  }
}
