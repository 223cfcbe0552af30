import Reasons
import Testing

@testable import Bluetooth

@Suite("How a request can fail")
struct GATTErrorTests {
  static let table: [(GATTError, Reason)] = [
    (.malformed(.response), .attMalformed), (.timeout, .attTimeout), (.protocolViolation(.oversizePDU), .attProtocol),
    (.discoveryBounded(.services), .gattDiscoveryBounded), (.missing, .gattMissing), (.flood, .notificationFlood),
    (.refused(request: .readRequest, handle: 3, code: .readNotPermitted), .attRefused), (.busy, .attRefused),
    (.procedureTimeout, .procedureTimeout), (.cancelled, .linkAborted), (.closed(.aborted), .linkAborted),
    (.closed(.linkLost), .linkLost), (.closed(.peerClosed), .peerClosed), (.closed(.keyMissing), .keyMissing),
  ]

  @Test("each failure has its code and a clause for the log", arguments: table)
  func hasACode(error: GATTError, reason: Reason) {
    #expect(error.reason == reason)
    #expect((4...80).contains("\(error)".count), "\(error)")
  }
}
