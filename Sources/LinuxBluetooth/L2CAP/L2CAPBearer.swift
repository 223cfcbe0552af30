// Open ATT channel: one datagram of the kernel's socket is one PDU.
//
// End of a channel as the kernel reports it. Tests use an AF_UNIX SEQPACKET pair instead, which behaves nearly the
// same.
//   EPOLLERR | EPOLLHUP, with EPOLLIN if PDUs are still queued. The first read returns the error, the next ones the
//   queued PDUs, then EAGAIN, ENOTCONN or 0. EPOLLHUP stays, so an unclosed descriptor makes the loop spin.

import Bluetooth
import CBluetooth
import CLinux
import EventLoop
import Glibc

@LoopActor
final class L2CAPBearer: RadioBearer {
  /// Size above the kernel's largest PDU on this channel (672), so that no PDU is truncated.
  static let bufferSize = 1024
  /// PDUs delivered before other descriptors of the loop get their turn; the rest stays queued and is reported again.
  private static let batch = 64
  /// Empty reads in a row after a hang-up that count as the end: an end of file repeats for ever, an empty PDU does
  /// not. Before a hang-up an empty PDU is forwarded like any other, so that the flood limit counts it.
  private static let emptyLimit = 8
  /// The kernel returns a channel's error once. More in a row mean a descriptor that will return only errors.
  private static let errorLimit = 4
  /// Powering the adapter off ends its links exactly as if the wearables had hung up; the power event follows a moment
  /// later. So a hang-up is interpreted after that moment.
  private static let hangUpGrace: Duration = .milliseconds(100)

  var address: BluetoothAddress { request.peer }
  var onReceive: (@LoopActor (RawBytes) -> Void)? { didSet { refreshInterest() } }
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  var onSecured: (@LoopActor () -> Void)?

  private let loop: EpollLoop
  private let descriptor: Int32
  private let counters: RadioCounters
  /// Interprets errors, and is notified of the end.
  private let request: ChannelRequest
  private var watch: Watch?
  private var state = State()
  private var reads = Reads()
  /// Timer of the interpretation of the end.
  private var judgement: LoopTimer?

  private struct State {
    var isOpen = true
    var isBlocked = false
    /// Whether the kernel is changing the link's security: meanwhile the channel cannot send and is not writable.
    var isSecuring = false
    /// Whether the channel hung up before a receiver was set.
    var hungUpEarly = false
  }

  /// Results of reading other than PDUs.
  private struct Reads {
    var error: Int32?
    /// Number of empty reads in a row.
    var empty = 0
    var errors = 0
  }

  /// Takes over a connected, non-blocking descriptor.
  init(loop: EpollLoop, descriptor: Int32, counters: RadioCounters, request: ChannelRequest) {
    self.loop = loop
    self.descriptor = descriptor
    self.counters = counters
    self.request = request
    startWatching([])
  }

  func send(_ pdu: [UInt8]) -> Bool {
    // the owner was notified or closed it itself: the channel cannot send and will not become writable
    if !state.isOpen { return true }
    if state.isSecuring {
      counters.sendsDeferred += 1
      state.isBlocked = true
      return false
    }
    let sent = pdu.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent >= 0 { return true }
    if errno == EAGAIN {
      counters.sendsDeferred += 1
      state.isBlocked = true
      refreshInterest()
      return false
    }
    // The channel is dead, or must be: silently losing a PDU would leave both sides waiting. The hang-up reports the
    // end, after the PDUs still queued.
    shutdown(descriptor, Int32(SHUT_RDWR))
    return true
  }

  func close(immediately: Bool) {
    if !state.isOpen, judgement == nil { return }
    if let judgement { loop.cancel(judgement) }
    judgement = nil
    onClosed = nil
    if state.isOpen { shut() }
    request.ended(self, immediately)
  }

  var linkHandle: UInt16? {
    var info = l2cap_conninfo()
    var length = socklen_t(MemoryLayout<l2cap_conninfo>.size)
    return getsockopt(descriptor, SOL_L2CAP, L2CAP_CONNINFO, &info, &length) == 0 && state.isOpen
      ? info.hci_handle : nil
  }

  var securityLevel: UInt8? { security?.level }

  /// The kernel raises the level of a link only when it is encrypted, whichever side requested that.
  var protection: LinkProtection? {
    security.map {
      let isEncrypted = $0.level >= UInt8(BT_SECURITY_MEDIUM)
      return LinkProtection(isEncrypted: isEncrypted, keySize: isEncrypted && $0.key_size > 0 ? Int($0.key_size) : nil)
    }
  }

  private var security: bt_security? {
    var security = bt_security()
    var length = socklen_t(MemoryLayout<bt_security>.size)
    return getsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, &length) == 0 && state.isOpen ? security : nil
  }

  func raiseSecurity() -> Int32 {
    if !state.isOpen { return ENOTCONN }
    var security = bt_security(level: UInt8(BT_SECURITY_MEDIUM), key_size: 0)
    if setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, socklen_t(MemoryLayout<bt_security>.size)) != 0 {
      return errno
    }
    state.isSecuring = true
    refreshInterest()
    return 0
  }

  func terminate(_ meaning: LinkError) {
    if !state.isOpen, judgement == nil { return }
    if let judgement { loop.cancel(judgement) }
    judgement = nil
    if state.isOpen { shut() }
    let callback = onClosed
    onClosed = nil
    request.ended(self, true)
    callback?(meaning)
  }

  private func startWatching(_ interest: Readiness) {
    watch = loop.watch(descriptor, for: interest) { [weak self] readiness in self?.handle(readiness) }
  }

  private func refreshInterest() {
    if !state.isOpen { return }
    var interest: Readiness = []
    if onReceive != nil { interest.insert(.readable) }
    if state.isBlocked || state.isSecuring { interest.insert(.writable) }
    if state.hungUpEarly, onReceive != nil {
      state.hungUpEarly = false
      startWatching(interest)
    } else {
      watch?.update(interest)
    }
  }

  private func handle(_ readiness: Readiness) {
    let hungUp = !readiness.isDisjoint(with: [.hungUp, .failed])
    if onReceive == nil, hungUp {
      // No receiver is set: queued PDUs must not be lost, and the level-triggered hang-up must not spin.
      watch?.end()
      state.hungUpEarly = true
      return
    }
    if onReceive != nil, hungUp || readiness.contains(.readable) { receive(hungUp: readiness.contains(.hungUp)) }
    if state.isOpen, state.isSecuring, readiness.contains(.writable), !hungUp {
      state.isSecuring = false
      refreshInterest()
      let callback = onSecured
      onSecured = nil
      callback?()
    }
    if state.isOpen, !state.isSecuring, state.isBlocked, readiness.contains(.writable), !hungUp {
      state.isBlocked = false
      refreshInterest()
      onWritable?()
    }
  }

  private func receive(hungUp: Bool) {
    withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
      for _ in 0..<Self.batch {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
        if count > 0 {
          deliver(RawBytes(buffer), count)
          if !state.isOpen { return }
        } else if count == 0 {
          counters.receivedEmpty += 1
          reads.empty += 1
          if !hungUp {
            onReceive?(RawBytes(rebasing: RawBytes(buffer)[..<0]))
            if !state.isOpen { return }
          } else if reads.empty > Self.emptyLimit {
            return finish()
          }
        } else if errno == EAGAIN {
          if hungUp { finish() }
          return
        } else if errno != EINTR {
          reads.errors += 1
          if reads.error == nil { reads.error = errno }
          if errno == ENOTCONN || reads.errors > Self.errorLimit { return finish() }
        }
      }
    }
  }

  private func deliver(_ buffer: RawBytes, _ count: Int) {
    reads.empty = 0
    reads.errors = 0
    if count > buffer.count { counters.receivedOversize += 1 } else { counters.received += 1 }
    // A truncated PDU is still longer than any legal one, so the ATT channel counts it as oversize.
    onReceive?(RawBytes(rebasing: buffer[..<min(count, buffer.count)]))
  }

  private func finish() {
    let code = reads.error ?? socketError(descriptor)
    shut()
    if request.explain(code, true) != .peerClosed { return conclude(code) }
    judgement = loop.schedule(after: Self.hangUpGrace) { [weak self] in self?.conclude(code) }
  }

  private func conclude(_ code: Int32) {
    judgement = nil
    let meaning = request.explain(code, true)
    let callback = onClosed
    onClosed = nil
    request.ended(self, false)
    callback?(meaning)
  }

  private func shut() {
    state.isOpen = false
    watch?.end()
    Glibc.close(descriptor)
    onReceive = nil
    onWritable = nil
    onSecured = nil
  }
}

/// Takes the pending error of a socket; 0 if there is no error.
func socketError(_ descriptor: Int32) -> Int32 {
  var code: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
}
