// Conversion of requests and answers to and from messages.

import TopStepMessages
import Wearable

/// Result of a request that has no answer message of its own.
enum TopStepOutcome {
  case done
  case refused
  /// The answer is no message, or its result has no known name.
  case unclear
}

extension TopStepChannel {
  /// Result of an answer. An empty answer means "done": 0 is omitted on the wire.
  nonisolated func outcome(_ answer: [UInt8]) -> TopStepOutcome {
    switch (try? TopStepCommonReply(wire: answer))?.result {
    case .ok: .done
    case .failed: .refused
    case .UNRECOGNIZED, nil: .unclear
    }
  }

  nonisolated func isDone(_ answer: [UInt8]) -> Bool { outcome(answer) == .done }

  /// Serialised time. Messages without required fields can always be serialised.
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
