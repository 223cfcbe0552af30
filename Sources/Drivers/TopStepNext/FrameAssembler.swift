// Assembly of frames from pieces: a band may cut its notifications anywhere.

/// Assembles frames from pieces. Buffers at most one frame, and finds the next frame after invalid bytes. The caller
/// has the timer, and discards an incomplete frame after its own timeout.
struct FrameAssembler: Sendable {
  enum Event: Sendable, Hashable {
    case frame(TopStepFrame)
    case refused(TopStepDefect)
  }

  private var buffer: [UInt8] = []

  /// True if no byte of a frame is buffered.
  var isEmpty: Bool { buffer.isEmpty }

  /// Takes a piece. Returns complete frames and rejected bytes, in the order of their arrival.
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

  /// Discards an incomplete frame after a timeout.
  ///
  /// - Returns: whether there was one.
  mutating func giveUp() -> Bool {
    defer { buffer = [] }
    return !buffer.isEmpty
  }

  /// Bytes at which the next frame may begin. A complete but unusable frame is skipped. Any other defective frame may
  /// contain the beginning of the next one, for example if a piece was lost.
  private static func behind(_ defect: TopStepDefect, _ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch defect {
    case .flags, .fragment:
      let length = (try? TopStepFrame.payloadLength(Array(rest.prefix(TopStepFrame.headerSize)))) ?? 0
      return rest.dropFirst(TopStepFrame.headerSize + length)
    case .incomplete, .magic, .command, .length, .crc:
      return rest.dropFirst().drop { $0 != TopStep.magic }
    }
  }

  /// Records a defect, but not a second one that merely follows from the first.
  private func note(_ defect: TopStepDefect, _ events: inout [Event]) {
    if case .refused? = events.last, defect == .magic { return }
    events.append(.refused(defect))
  }
}
