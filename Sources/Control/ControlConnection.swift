// A client of the control socket: calls in, replies out, all with bounds.

internal import EventLoop
internal import Glibc
internal import HubProtocol
internal import Reasons
internal import RingStore

/// A connection. Reads one call and passes it to `onCall`. Reads the next only when the call has ended and its replies
/// are with the kernel. So a client that does not read blocks only itself.
@LoopActor
final class ControlConnection {
  /// Bytes that may wait for a client before it counts as too slow. Some two thousand live values: minutes of one
  /// wearable, seconds of all.
  static let pushLimit = 256 << 10
  private static let readSize = 16 << 10

  /// Times that a client may take.
  struct Patience {
    /// Limit from connect until the first call is complete. A person needs less to type a passphrase in between.
    var firstCall: Duration = .seconds(60)
    /// Time without one more byte of what waits here for it: the kernel's own buffer (some 200 KiB) is full by then.
    var reading: Duration = .seconds(30)
  }

  let peer: Peer
  /// True during a call with several replies.
  var isStreaming = false
  private(set) var lastActivity: Instant
  private(set) var isBusy = false
  private(set) var isClosed = false
  /// The other side is gone: what is written goes nowhere.
  private(set) var isDeaf = false

  /// True while a part of the queued output is not with the kernel yet.
  var hasUnsent: Bool { sent < output.count }

  /// The export by cursor that this client is in the middle of.
  var cursorExport: CursorExport?
  /// The backup that it is in the middle of.
  var backup: BackupSession?

  private let loop: EpollLoop
  private let descriptor: Int32
  private var watch: Watch?
  private var input: [UInt8] = []
  private var searched = 0
  private var inputEnded = false
  private var output: [UInt8] = []
  private var sent = 0
  private var closesWhenSent = false
  private var drainWaiter: CheckedContinuation<Void, Never>?
  private var endWaiter: CheckedContinuation<Void, Never>?
  private let patience: Patience
  /// Closes the connection if its first call does not arrive.
  private var callTimer: LoopTimer?
  /// Closes the connection if the client does not read; runs only while output waits.
  private var readTimer: LoopTimer?
  private var lastSent: Instant

  /// Receives a whole message without its zero byte. The connection is busy until it returns.
  private let onCall: @LoopActor ([UInt8], ControlConnection) async -> Void
  /// Called before the connection is closed because the client sent no call or did not read.
  private let onLate: @LoopActor (ControlConnection) -> Void
  private let onClosed: @LoopActor (ControlConnection) -> Void

  init(
    _ descriptor: Int32, peer: Peer, loop: EpollLoop, patience: Patience,
    onCall: @escaping @LoopActor ([UInt8], ControlConnection) async -> Void,
    onLate: @escaping @LoopActor (ControlConnection) -> Void,
    onClosed: @escaping @LoopActor (ControlConnection) -> Void
  ) {
    (self.descriptor, self.peer, self.loop, self.patience) = (descriptor, peer, loop, patience)
    (self.onCall, self.onLate, self.onClosed) = (onCall, onLate, onClosed)
    lastActivity = loop.now
    lastSent = loop.now
    watch = loop.watch(descriptor, for: .readable) { [weak self] readiness in self?.ready(readiness) }
    callTimer = loop.schedule(after: patience.firstCall) { [weak self] in
      self?.callTimer = nil
      self?.endLate()
    }
  }

  private func endLate() {
    if isClosed { return }
    onLate(self)
    close()
  }

  /// Closes at once; what is not sent is lost. Idempotent.
  func close() {
    if isClosed { return }
    isClosed = true
    isDeaf = true
    watch?.end()
    watch = nil
    stopTimer(&callTimer)
    stopTimer(&readTimer)
    Glibc.close(descriptor)
    input = []
    output = []
    sent = 0
    cursorExport = nil
    wake()
    onClosed(self)
  }

  private func stopTimer(_ timer: inout LoopTimer?) {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Closes after what is queued has been sent.
  func closeWhenSent() {
    closesWhenSent = true
    input = []
    inputEnded = true
    settle()
  }

  // MARK: Replies

  /// Queues one message and sends what the kernel takes.
  func send(_ message: [UInt8]) {
    if isDeaf { return }
    output += message
    output.append(0)
    flush()
  }

  /// Sends one message of a stream with a rate of its own. False: the client has not read for too long; the message was
  /// not queued.
  func push(_ message: [UInt8]) -> Bool {
    if output.count - sent + message.count > Self.pushLimit { return false }
    send(message)
    return true
  }

  /// Suspends until everything queued is with the kernel, or the client is gone. Only one task may wait here at a time.
  func drained() async {
    if isDeaf || sent == output.count { return }
    await withCheckedContinuation { drainWaiter = $0 }
  }

  /// Suspends until the client is gone. Only one task may wait here at a time.
  func ended() async {
    if isDeaf { return }
    await withCheckedContinuation { endWaiter = $0 }
  }

  // MARK: Events

  private func ready(_ readiness: Readiness) {
    lastActivity = loop.now
    if readiness.contains(.writable) { flush() }
    if isClosed { return }
    let isGone = readiness.contains(.hungUp) || readiness.contains(.failed)
    if readiness.contains(.readable), !inputEnded, isGone || !isBusy { receive() }
    if isClosed { return }
    if isGone {
      // Both directions are over, but a call that was sent before (`oneway`) is still served.
      watch?.end()
      watch = nil
      inputEnded = true
      isDeaf = true
      output = []
      sent = 0
      stopTimer(&readTimer)
      wake()
    }
    takeCall()
  }

  private func receive() {
    while input.count <= VarlinkLimits.call {
      let count = input.receive(from: descriptor, upTo: Self.readSize)
      if count > 0 { continue }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      inputEnded = true
      if count < 0 { close() }
      return
    }
  }

  /// Starts the next complete call, if there is one and no other is running.
  private func takeCall() {
    if isBusy || isClosed { return }
    guard let end = input.firstZero(from: searched) else {
      searched = input.count
      if input.count > VarlinkLimits.call { tooLong() } else { settle() }
      return
    }
    if end > VarlinkLimits.call { return tooLong() }
    let message = Array(input[..<end])
    input.removeFirst(end + 1)
    searched = 0
    isBusy = true
    stopTimer(&callTimer)
    settle()
    loop.spawn { await self.serve(message) }
  }

  private func serve(_ message: [UInt8]) async {
    await onCall(message, self)
    await drained()
    isBusy = false
    lastActivity = loop.now
    takeCall()
  }

  private func tooLong() {
    send(VarlinkError.refused(HearthError(.controlMalformed, "a call longer than \(VarlinkLimits.call) bytes")).message)
    closeWhenSent()
  }

  private func flush() {
    while sent < output.count {
      let count = output.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, output.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { return close() }
        break
      }
      sent += count
      lastSent = loop.now
    }
    watchReader()
    if sent == output.count {
      output.removeAll(keepingCapacity: output.capacity <= 64 << 10)
      sent = 0
      let waiter = drainWaiter
      drainWaiter = nil
      waiter?.resume()
    } else if sent > 64 << 10 {
      output.removeFirst(sent)
      sent = 0
    }
    settle()
  }

  /// Closes a connection that leaves its output unread, whether a stream or one long reply.
  private func watchReader() {
    if !hasUnsent { return stopTimer(&readTimer) }
    if readTimer != nil { return }
    // The time limit counts from the moment when output began to wait.
    lastSent = loop.now
    armReader()
  }

  private func armReader() {
    readTimer = loop.schedule(at: lastSent + patience.reading) { [weak self] in
      guard let self else { return }
      readTimer = nil
      if !hasUnsent { return }
      if loop.now - lastSent >= patience.reading { endLate() } else { armReader() }
    }
  }

  /// Waits for events that let the connection continue; closes it if no such event can come.
  private func settle() {
    if isClosed { return }
    let isSent = sent == output.count
    if isSent, !isBusy, closesWhenSent || inputEnded && input.firstZero(from: searched) == nil { return close() }
    var interest: Readiness = []
    if !isBusy, !inputEnded { interest.insert(.readable) }
    if !isSent { interest.insert(.writable) }
    watch?.update(interest)
  }

  private func wake() {
    let waiters = [drainWaiter, endWaiter]
    drainWaiter = nil
    endWaiter = nil
    for waiter in waiters { waiter?.resume() }
  }
}
