// Attempt to open the ATT channel of a wearable.
//
// Effects of the system calls here: connect(2) sends no packet. The kernel adds the wearable to its list of wanted
// devices and scans passively. When it hears a connectable advertisement of the wearable, it sends LE Create
// Connection. A call of close(2) cancels all that at once; mgmt Disconnect would wait in the very queue that it should
// clear.

import Bluetooth
import CBluetooth
import CLinux
import EventLoop
import Glibc

@LoopActor
final class L2CAPAttempt: ChannelAttempt {
  /// The fixed channel of ATT (Core specification, volume 3, part A, 2.1).
  private static let attributeChannel: UInt16 = 4
  /// The kernel accounts about 960 bytes for each queued PDU, however small, and drops PDUs silently when the buffer is
  /// full. 2 MiB (the kernel doubles it) hold 4,000 PDUs: a stall of several seconds at the highest rate of one link.
  private static let receiveBuffer: Int32 = 2 << 20
  /// About thirty long writes. Data in the kernel cannot be taken back, so a smaller buffer means less delay behind a
  /// slow link.
  private static let sendBuffer: Int32 = 16 << 10

  private let loop: EpollLoop
  private let request: ChannelRequest
  private let counters: RadioCounters
  private let givenUp: GivenUpChannels
  private var waiter: CheckedContinuation<Void, Never>?
  private var descriptor: Int32 = -1
  private var watch: Watch?
  private var timer: LoopTimer?
  private var result: Result<any RadioBearer, LinkError>?

  init(loop: EpollLoop, request: ChannelRequest, counters: RadioCounters, givenUp: GivenUpChannels) {
    self.loop = loop
    self.request = request
    self.counters = counters
    self.givenUp = givenUp
  }

  func run() async throws(LinkError) -> any RadioBearer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        waiter = continuation
        if Task.isCancelled { finish(.failure(.aborted)) } else if result != nil { wake() } else { begin() }
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.abort(.aborted) }
    }
    guard let result else { throw .aborted }
    return try result.get()
  }

  func abort(_ error: LinkError) { giveUp(error) }

  private func begin() {
    givenUp.close(request.peer)
    descriptor = socket(
      AF_BLUETOOTH, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_L2CAP)
    if descriptor < 0 { return fail(errno) }
    // Without this bind the channel is not the fixed one, and connect returns EINVAL.
    if withSocketAddress(of: request.local, { bind(descriptor, $0, $1) }) != 0 { return fail(errno) }
    tune()
    timer = loop.schedule(at: request.deadline) { [weak self] in
      guard let self else { return }
      giveUp(request.explain(ECONNREFUSED, false))
    }
    let isOpen = withSocketAddress(of: request.peer, { connect(descriptor, $0, $1) }) == 0
    let code = errno
    request.begun()
    // the link was still up
    if isOpen { return succeed() }
    if code != EINPROGRESS { return fail(code) }
    watch = loop.watch(descriptor, for: .writable) { [weak self] readiness in self?.handle(readiness) }
  }

  private func handle(_ readiness: Readiness) {
    let code = socketError(descriptor)
    if code != 0 {
      fail(code)
    } else if readiness.contains(.hungUp) {
      fail(ECONNRESET)
    } else if readiness.contains(.writable) {
      succeed()
    }
  }

  /// Sets options that only improve the channel, so errors are ignored.
  private func tune() {
    setOption(descriptor, SO_RCVBUFFORCE, Self.receiveBuffer)
    setOption(descriptor, SO_SNDBUF, Self.sendBuffer)
    // The kernel's own limit for hearing the wearable is 40 s. This one ends a second after ours and only matters if
    // the process is stopped meanwhile.
    let left = max(0, (request.deadline - loop.now).wholeNanoseconds) + 1_000_000_000
    var limit = timeval(tv_sec: Int(left / 1_000_000_000), tv_usec: Int(left % 1_000_000_000 / 1000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  private func succeed() {
    let open = descriptor
    release()
    counters.linksMade += 1
    result = .success(L2CAPBearer(loop: loop, descriptor: open, counters: counters, request: request))
    wake()
  }

  private func fail(_ code: Int32) { finish(.failure(request.explain(code, false))) }

  /// Ends the attempt; only the first call counts.
  private func finish(_ end: Result<any RadioBearer, LinkError>) {
    if result != nil { return }
    result = end
    let open = descriptor
    release()
    if open >= 0 { Glibc.close(open) }
    wake()
  }

  /// Aborts the attempt by decision of the hub.
  private func giveUp(_ error: LinkError) {
    if result != nil { return }
    result = .failure(error)
    let open = descriptor
    let mayAnswer = open >= 0 && request.wasHeard()
    release()
    if mayAnswer { givenUp.hold(open, to: request.peer) } else if open >= 0 { Glibc.close(open) }
    wake()
  }

  private func release() {
    if let timer { loop.cancel(timer) }
    timer = nil
    watch?.end()
    watch = nil
    descriptor = -1
  }

  private func wake() {
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume()
  }

  private func withSocketAddress(of address: BluetoothAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
    -> Int32
  {
    var target = sockaddr_l2()
    target.l2_family = sa_family_t(AF_BLUETOOTH)
    target.l2_cid = Self.attributeChannel.littleEndian
    target.l2_bdaddr_type = address.kind.rawValue
    withUnsafeMutableBytes(of: &target.l2_bdaddr) { $0.copyBytes(from: address.wireBytes) }
    return withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_l2>.size)) }
    }
  }
}

/// Sets an integer socket option of SOL_SOCKET; 0 or the errno.
@discardableResult
func setOption(_ descriptor: Int32, _ name: Int32, _ value: Int32) -> Int32 {
  var value = value
  return setsockopt(descriptor, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 ? 0 : errno
}
