// What is asked and answered as messages.

import TopStepMessages
import Wearable

extension TopStepChannel {
  /// The band took a request that has no answer of its own. An empty answer says so: 0 is left out on the wire. One
  /// that is no message says nothing.
  nonisolated func isDone(_ answer: [UInt8]) -> Bool {
    guard let reply = try? TopStepCommonReply(wire: answer) else { return false }
    return reply.result == .ok
  }

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
