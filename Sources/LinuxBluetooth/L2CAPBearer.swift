// An open ATT channel: one datagram of the kernel's socket is one PDU.
//
// How a channel ends, as the kernel shows it (an AF_UNIX SEQPACKET pair, with which tests play it, does nearly the
// same):
//   EPOLLERR | EPOLLHUP, with EPOLLIN if PDUs are still queued; the first read gives the error, the next ones the
//   queued PDUs, then EAGAIN, ENOTCONN or 0. EPOLLHUP stays: a descriptor that is not closed then spins the loop.

import Bluetooth
import CBluetooth
import CLinux
import EventLoop
import Glibc

@LoopActor
final class L2CAPBearer: RadioBearer {
  /// Above the kernel's largest PDU on this channel (672), so that nothing it delivers is cut.
  static let bufferSize = 1024
  /// PDUs delivered before others on the loop get their turn; the rest stays queued and is reported again.
  private static let batch = 64
  /// An end of file repeats for ever, an empty PDU does not: this many in a row after a hang-up are an end. Before a
  /// hang-up an empty PDU is handed on like any other, so that whoever counts a flood counts it too.
  private static let emptyLimit = 8
  /// The kernel gives a channel's error once. More in a row can only be a descriptor that will never give anything
  /// else.
  private static let errorLimit = 4
  /// Powering the adapter off ends its links exactly as if the wearables had hung up; that it is off is told a moment
  /// later. So a hang-up is judged after that moment.
  private static let hangUpGrace: Duration = .milliseconds(100)

  let address: BluetoothAddress
  var onReceive: (@LoopActor (RawBytes) -> Void)? { didSet { refreshInterest() } }
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  var onSecured: (@LoopActor () -> Void)?

  private let loop: EpollLoop
  private let descriptor: Int32
  private let counters: RadioCounters
  private let explain: @LoopActor (Int32, Bool) -> LinkError
  private let ended: @LoopActor (any Bearer, Bool) -> Void
  private var watch: Watch?
  private var isOpen = true
  private var isBlocked = false
  /// The kernel changes the link's security: nothing can be sent, nothing is writable.
  private var isSecuring = false
  /// A hang-up that came before anybody listened.
  private var hungUpEarly = false
  private var error: Int32?
  /// The end is being judged.
  private var judgement: LoopTimer?
  private var emptyReads = 0
  private var errorReads = 0

  /// Takes over a connected, non-blocking descriptor.
  init(loop: EpollLoop, descriptor: Int32, counters: RadioCounters, request: ChannelRequest) {
    self.loop = loop
    self.descriptor = descriptor
    self.counters = counters
    address = request.peer
    explain = request.explain
    ended = request.ended
    startWatching([])
  }

  func send(_ pdu: [UInt8]) -> Bool {
    // the owner has been told, or closed it itself: nothing can be sent, and nothing will become writable
    if !isOpen { return true }
    if isSecuring {
      counters.sendsDeferred += 1
      isBlocked = true
      return false
    }
    let sent = pdu.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent >= 0 { return true }
    if errno == EAGAIN {
      counters.sendsDeferred += 1
      isBlocked = true
      refreshInterest()
      return false
    }
    // The channel is dead, or must be: a PDU that is lost in silence would leave both sides waiting. The hang-up tells,
    // after what is still queued.
    shutdown(descriptor, Int32(SHUT_RDWR))
    return true
  }

  func close(immediately: Bool) {
    if !isOpen, judgement == nil { return }
    if let judgement { loop.cancel(judgement) }
    judgement = nil
    onClosed = nil
    if isOpen { shut() }
    ended(self, immediately)
  }

  var linkHandle: UInt16? {
    var info = l2cap_conninfo()
    var length = socklen_t(MemoryLayout<l2cap_conninfo>.size)
    return getsockopt(descriptor, SOL_L2CAP, L2CAP_CONNINFO, &info, &length) == 0 && isOpen ? info.hci_handle : nil
  }

  var securityLevel: UInt8? { security?.level }

  /// The kernel raises the level of a link when it is encrypted, and not before, whichever side asked for that.
  var protection: LinkProtection? {
    security.map {
      let isEncrypted = $0.level >= UInt8(BT_SECURITY_MEDIUM)
      return LinkProtection(isEncrypted: isEncrypted, keySize: isEncrypted && $0.key_size > 0 ? Int($0.key_size) : nil)
    }
  }

  private var security: bt_security? {
    var security = bt_security()
    var length = socklen_t(MemoryLayout<bt_security>.size)
    return getsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, &length) == 0 && isOpen ? security : nil
  }

  func raiseSecurity() -> Int32 {
    if !isOpen { return ENOTCONN }
    var security = bt_security(level: UInt8(BT_SECURITY_MEDIUM), key_size: 0)
    if setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, socklen_t(MemoryLayout<bt_security>.size)) != 0 {
      return errno
    }
    isSecuring = true
    refreshInterest()
    return 0
  }

  func terminate(_ meaning: LinkError) {
    if !isOpen, judgement == nil { return }
    if let judgement { loop.cancel(judgement) }
    judgement = nil
    if isOpen { shut() }
    let callback = onClosed
    onClosed = nil
    ended(self, true)
    callback?(meaning)
  }

  private func startWatching(_ interest: Readiness) {
    watch = loop.watch(descriptor, for: interest) { [weak self] readiness in self?.handle(readiness) }
  }

  private func refreshInterest() {
    if !isOpen { return }
    var interest: Readiness = []
    if onReceive != nil { interest.insert(.readable) }
    if isBlocked || isSecuring { interest.insert(.writable) }
    if hungUpEarly, onReceive != nil {
      hungUpEarly = false
      startWatching(interest)
    } else {
      watch?.update(interest)
    }
  }

  private func handle(_ readiness: Readiness) {
    let hungUp = !readiness.isDisjoint(with: [.hungUp, .failed])
    if onReceive == nil, hungUp {
      // Nobody listens yet: what is queued must not be lost, and the level-triggered hang-up must not spin.
      watch?.end()
      hungUpEarly = true
      return
    }
    if onReceive != nil, hungUp || readiness.contains(.readable) { receive(hungUp: readiness.contains(.hungUp)) }
    if isOpen, isSecuring, readiness.contains(.writable), !hungUp {
      isSecuring = false
      refreshInterest()
      let callback = onSecured
      onSecured = nil
      callback?()
    }
    if isOpen, !isSecuring, isBlocked, readiness.contains(.writable), !hungUp {
      isBlocked = false
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
          if !isOpen { return }
        } else if count == 0 {
          counters.receivedEmpty += 1
          emptyReads += 1
          if !hungUp {
            onReceive?(RawBytes(rebasing: RawBytes(buffer)[..<0]))
            if !isOpen { return }
          } else if emptyReads > Self.emptyLimit {
            return finish()
          }
        } else if errno == EAGAIN {
          if hungUp { finish() }
          return
        } else if errno != EINTR {
          errorReads += 1
          if error == nil { error = errno }
          if errno == ENOTCONN || errorReads > Self.errorLimit { return finish() }
        }
      }
    }
  }

  private func deliver(_ buffer: RawBytes, _ count: Int) {
    emptyReads = 0
    errorReads = 0
    if count > buffer.count { counters.receivedOversize += 1 } else { counters.received += 1 }
    // What was cut is still longer than any PDU may be: the channel counts it as such.
    onReceive?(RawBytes(rebasing: buffer[..<min(count, buffer.count)]))
  }

  private func finish() {
    let code = error ?? socketError(descriptor)
    shut()
    if explain(code, true) != .peerClosed { return conclude(code) }
    judgement = loop.schedule(after: Self.hangUpGrace) { [weak self] in self?.conclude(code) }
  }

  private func conclude(_ code: Int32) {
    judgement = nil
    let meaning = explain(code, true)
    let callback = onClosed
    onClosed = nil
    ended(self, false)
    callback?(meaning)
  }

  private func shut() {
    isOpen = false
    watch?.end()
    Glibc.close(descriptor)
    onReceive = nil
    onWritable = nil
    onSecured = nil
  }
}

/// Takes the error that waits on a socket; 0 if there is none.
func socketError(_ descriptor: Int32) -> Int32 {
  var code: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
}
