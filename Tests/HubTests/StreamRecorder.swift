// The test wearable as one that streams by order, and goes on with it when its link is gone.

import Bluetooth
import EventLoop
import Health
import Wearable

/// What goes on at recorders, all of one hub together, and how long they take.
@LoopActor
final class RecorderStreams {
  /// Begun over a link, and ended over it.
  private(set) var begun = 0
  private(set) var ended = 0
  /// The end of each takes the next of these, then no time.
  var endings: [Duration] = []
  /// Duration of the check whether it streams; it ends with an error if its task is cancelled.
  var looking: Duration = .zero
  /// A session looks.
  private(set) var isLooking = false

  nonisolated init() {}

  func look(_ link: any WearableLink) async throws(VisitTrouble) {
    isLooking = true
    defer { isLooking = false }
    if looking > .zero { try await link.settle(for: looking) }
  }

  func begin() { begun += 1 }

  func end(_ link: any WearableLink) async throws(VisitTrouble) {
    if !endings.isEmpty { try await link.settle(for: endings.removeFirst()) }
    ended += 1
  }
}

/// All that the recorder's driver is, and streams.
struct StreamRecorderDriver: WearableDriver, LinkedDriver {
  let base: RecorderDriver
  let stream: RecorderStreams

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  var needsLink: Bool { base.needsLink }
  func recognise(_ scanResult: ScanResult) -> Recognition? { base.recognise(scanResult) }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    StreamRecorderSession(RecorderSession(link, base), stream)
  }
}

@LoopActor
private final class StreamRecorderSession: WearableSession, LiveSession, AttendedSession, ClosingSession {
  private let base: RecorderSession
  private let stream: RecorderStreams
  private(set) var needsClosing = false

  init(_ base: RecorderSession, _ stream: RecorderStreams) { (self.base, self.stream) = (base, stream) }

  func check() async throws(VisitTrouble) -> CheckReport { try await base.check() }
  var domains: [any FetchDomain] { base.domains }
  func finish() async throws(VisitTrouble) { try await base.finish() }

  func wentLive() async throws(VisitTrouble) { try await attend() }
  func ordersChanged() async throws(VisitTrouble) { try await attend() }
  var attendance: Duration? { .seconds(5) }
  func attend() async throws(VisitTrouble) {
    try await stream.look(base.link)
    if needsClosing { return }
    stream.begin()
    needsClosing = true
  }

  func close() async throws(VisitTrouble) {
    try await stream.end(base.link)
    needsClosing = false
  }
}
