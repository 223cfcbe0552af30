// Connection of a subscriber over TCP or TLS, with a timeout for every wait. A link makes a single attempt; for
// another, create a new link.

public import EventLoop
internal import Glibc

/// Reason why a link ended.
public enum MQTTLinkEnd: Error, Sendable, Hashable, CustomStringConvertible {
  /// The broker cannot be reached, or the connection broke.
  case broken(String)
  /// Failure of a secure connection: certificates, names, TLS versions.
  case insecure(String)
  case defect(MQTTDefect)

  public var description: String {
    switch self {
    case .broken(let words): words
    case .insecure(let words): words
    case .defect(let defect): defect.description
    }
  }
}

/// A connection of a subscriber.
@LoopActor
public final class MQTTLink {
  /// Longest time from the first packet to the last response before messages come.
  private static let patience: Duration = .seconds(15)
  /// Bytes of one read.
  private static let piece = 64 << 10
  /// Reads in one turn, so that a broker that sends without pause does not block the loop.
  private static let pieces = 16

  private let loop: EpollLoop
  private var subscriber: MQTTSubscriber
  private var tls: TLSHolder?
  private var descriptor: Int32 = -1
  private var watch: Watch?
  private var isConnected = false
  private var isReady = false
  private var outgoing: [UInt8] = []
  private var heard: Instant
  private var said: Instant
  private var timer: LoopTimer?
  private let onEvent: @LoopActor (MQTTEvent) -> Void
  private let onEnd: @LoopActor (MQTTLinkEnd) -> Void
  private var isOver = false

  /// True while the socket is not read: the broker's bytes wait in the network.
  public var isPaused = false { didSet { if isPaused != oldValue { updateInterest() } } }
  /// Number of messages that the reader has not acknowledged.
  public var inFlight: Int { subscriber.inFlight }

  /// `onEnd` is called once, as the last callback; not after `close`.
  public init(
    _ loop: EpollLoop, _ options: MQTTOptions, onEvent: @escaping @LoopActor (MQTTEvent) -> Void,
    onEnd: @escaping @LoopActor (MQTTLinkEnd) -> Void
  ) {
    (self.loop, self.onEvent, self.onEnd) = (loop, onEvent, onEnd)
    subscriber = MQTTSubscriber(options)
    (heard, said) = (loop.now, loop.now)
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Opens the connection. `turn` selects one of the host's addresses.
  public func open(host: String, port: Int, tls files: TLSFiles?, turn: Int) {
    if let files {
      do throws(TLSDefect) { tls = TLSHolder(try TLSChannel(files, host: host)) } catch {
        return end(.insecure(error.words))
      }
    }
    switch dial(host, port, turn: turn) {
    case .failure(let defect): return end(.broken(defect.words))
    case .success(let descriptor): self.descriptor = descriptor
    }
    (heard, said) = (loop.now, loop.now)
    watch = loop.watch(descriptor, for: [.readable, .writable]) { [weak self] in self?.ready($0) }
    timer = loop.schedule(after: Self.patience) { [weak self] in self?.late() }
  }

  /// Acknowledges a message.
  public func acknowledge(_ identifier: UInt16) { subscriber.acknowledge(identifier) }

  /// Sends pending acknowledgements.
  public func flush() {
    if isOver { return }
    say()
    write()
  }

  /// Sends DISCONNECT and ends; without `onEnd`.
  public func close() {
    if isOver { return }
    subscriber.close()
    say()
    tls?.channel.end()
    tls?.channel.drain(into: &outgoing)
    write()
    finish()
  }

  private func ready(_ readiness: Readiness) {
    if isOver { return }
    if !isConnected {
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      if code != 0 { return end(.broken(String(cString: strerror(code)))) }
      isConnected = true
      subscriber.open()
      do throws(TLSDefect) { try tls?.channel.begin() } catch { return end(.insecure(error.words)) }
      say()
    }
    if !isPaused, !readiness.isDisjoint(with: [.readable, .failed, .hungUp]) { read() }
    if !isOver { write() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Self.piece)
    for _ in 0..<Self.pieces where !isOver && !isPaused {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return end(.broken("the broker closed the connection")) }
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { return }
        return end(.broken(String(cString: strerror(errno))))
      }
      heard = loop.now
      take(buffer[..<count])
    }
  }

  private func take(_ wire: ArraySlice<UInt8>) {
    var isEnded = false
    var words = wire
    if let tls {
      var plain: [UInt8] = []
      do throws(TLSDefect) { isEnded = try tls.channel.receive(wire, into: &plain) } catch {
        // The TLS alert that has the reason for the broker.
        tls.channel.drain(into: &outgoing)
        write()
        return end(.insecure(error.words))
      }
      words = plain[...]
    }
    // A handler may acknowledge at once, so events are delivered after the parser's state is stored.
    var events: [MQTTEvent] = []
    var defect: MQTTDefect?
    do throws(MQTTDefect) { try subscriber.receive(words) { events.append($0) } } catch { defect = error }
    for event in events where !isOver {
      if case .subscribed = event { begin() }
      onEvent(event)
    }
    if isOver { return }
    if let defect { return end(.defect(defect)) }
    say()
    if isEnded { end(.broken("the broker closed the connection")) }
  }

  /// Called when the subscription is complete: from now on only silence is monitored.
  private func begin() {
    isReady = true
    if let timer { loop.cancel(timer) }
    scheduleWatch()
  }

  private func late() {
    if !isReady { end(.broken("no answer within \(Int(Self.patience.inSeconds)) s")) }
  }

  private func scheduleWatch() {
    if subscriber.keepAlive == 0 || isOver { return }
    // Half of the broker's timeout, so that a lost turn does no harm.
    let half = Duration.milliseconds(Int64(subscriber.keepAlive) * 500)
    timer = loop.schedule(after: half) { [weak self] in self?.watchSilence(half) }
  }

  private func watchSilence(_ half: Duration) {
    if isOver { return }
    if isPaused { heard = loop.now }
    if loop.now - heard > half + half + half {
      return end(.broken("the broker was silent for \(Int((loop.now - heard).inSeconds)) s"))
    }
    subscriber.ping()
    flush()
    scheduleWatch()
  }

  /// Converts packets to bytes on the wire.
  private func say() {
    let words = subscriber.takeOutgoing()
    guard let tls else {
      outgoing += words
      return
    }
    if tls.channel.isReady, !(tls.pending.isEmpty && words.isEmpty) {
      do throws(TLSDefect) { try tls.channel.send(tls.pending + words) } catch { return end(.insecure(error.words)) }
      tls.pending = []
    } else {
      tls.pending += words
    }
    tls.channel.drain(into: &outgoing)
  }

  private func write() {
    while !outgoing.isEmpty, !isOver, isConnected {
      let count = send(descriptor, outgoing, outgoing.count, Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { break }
        return end(.broken(String(cString: strerror(errno))))
      }
      said = loop.now
      outgoing.removeFirst(count)
    }
    updateInterest()
  }

  private func updateInterest() {
    var interest: Readiness = isPaused ? [] : .readable
    if !isConnected || !outgoing.isEmpty { interest.insert(.writable) }
    watch?.update(interest)
  }

  private func end(_ why: MQTTLinkEnd) {
    if isOver { return }
    finish()
    onEnd(why)
  }

  private func finish() {
    isOver = true
    if let timer { loop.cancel(timer) }
    watch?.end()
    watch = nil
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// A noncopyable channel in a class, so that it can be optional.
@LoopActor
private final class TLSHolder {
  var channel: TLSChannel
  /// Bytes to send after the handshake.
  var pending: [UInt8] = []

  init(_ channel: consuming TLSChannel) { self.channel = channel }
}
