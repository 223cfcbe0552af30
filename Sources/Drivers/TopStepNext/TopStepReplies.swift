// What is asked and answered as messages.

import TopStepMessages
import Wearable

/// What a band says of a request that has no answer of its own.
enum TopStepOutcome {
  case done
  case refused
  /// The answer is no message, or has a result without a name.
  case unclear
}

extension TopStepChannel {
  /// An empty answer says that it is done: 0 is left out on the wire.
  nonisolated func outcome(_ answer: [UInt8]) -> TopStepOutcome {
    switch (try? TopStepCommonReply(wire: answer))?.result {
    case .ok: .done
    case .failed: .refused
    case .UNRECOGNIZED, nil: .unclear
    }
  }

  nonisolated func isDone(_ answer: [UInt8]) -> Bool { outcome(answer) == .done }

  /// Our own messages have no required fields: they can always be written.
  nonisolated func bytes(_ time: TopStepTime) throws(VisitTrouble) -> [UInt8] {
    try Self.written { () throws(MalformedMessage) in try time.wire() }
  }
  nonisolated func bytes(_ message: TopStepAuthentication) throws(VisitTrouble) -> [UInt8] {
    try Self.written { () throws(MalformedMessage) in try message.wire() }
  }

  nonisolated static func written(_ body: () throws(MalformedMessage) -> [UInt8]) throws(VisitTrouble) -> [UInt8] {
    do throws(MalformedMessage) { return try body() } catch { throw .unsupported("a message that cannot be written") }
  }
}
