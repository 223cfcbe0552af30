// Control socket of the uplink: its status, and resend orders. A few short calls without streams.

internal import CLinux
internal import EventLoop
internal import Glibc
internal import HubProtocol
internal import Reasons

/// `io.hearth.Uplink` on a UNIX socket. All local users may query the status. Orders are for root, the program's own
/// user and the groups that operate a hub.
@LoopActor
final class UplinkDoor {
  static let clientLimit = 16
  private static let operators = ["hearth", "hearth-admin"]
  /// A client that sends no call for this long is disconnected.
  private static let patience: Duration = .seconds(60)

  private let loop: EpollLoop
  private let descriptor: Int32
  private let path: String
  private var watch: Watch?
  private var clients: [DoorClient] = []
  private let answer: @LoopActor (VarlinkCall, _ mayOrder: Bool) throws(VarlinkError) -> JSON

  /// - Throws: `socketInUse` if another process answers there, `socketUnavailable` for all other failures.
  init(
    _ loop: EpollLoop, path: String,
    _ answer: @escaping @LoopActor (VarlinkCall, _ mayOrder: Bool) throws(VarlinkError) -> JSON
  ) throws(HearthError) {
    (self.loop, self.path, self.answer) = (loop, path, answer)
    guard let address = UnixAddress(path) else {
      throw HearthError(.socketUnavailable, "'\(harmless(path))' is no path of 1 to 107 bytes")
    }
    func made() -> Int32 {
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT != S_IFSOCK {
        throw HearthError(.socketUnavailable, "\(path) is no socket; it is left alone")
      }
      let probe = made()
      defer { close(probe) }
      if address.connect(probe) == 0 || errno == EAGAIN {
        throw HearthError(.socketInUse, "another program answers at \(path)")
      }
      unlink(path)
    }
    descriptor = made()
    if descriptor < 0 || address.bind(descriptor) != 0 || chmod(path, 0o666) != 0 || listen(descriptor, 8) != 0 {
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      throw HearthError(.socketUnavailable, "\(path): \(String(cString: strerror(code)))")
    }
    watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Idempotent.
  func stop() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    for client in clients { client.close() }
    clients = []
    close(descriptor)
    unlink(path)
  }

  private func accept() {
    let accepted = hearth_accept(descriptor)
    if accepted < 0 {
      if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
        watch?.update([])
        loop.schedule(after: .seconds(1)) { [weak self] in self?.watch?.update(.readable) }
      }
      return
    }
    // If all places are taken, the client that connected first is closed.
    if clients.count >= Self.clientLimit { clients.removeFirst().close() }
    let mayOrder = Self.mayOrder(accepted)
    clients.append(
      DoorClient(
        accepted, loop, patience: Self.patience, answer: { [answer] in Self.reply(to: $0, mayOrder, answer) },
        onClosed: { [weak self] client in self?.clients.removeAll { $0 === client } }))
  }

  private static func mayOrder(_ descriptor: Int32) -> Bool {
    var peer = hearth_peer()
    if hearth_peer_credentials(descriptor, &peer) != 0 { return false }
    if peer.uid == 0 || peer.uid == geteuid() { return true }
    var groups = [UInt32](repeating: 0, count: 256)
    let count = max(0, min(Int(hearth_peer_groups(descriptor, &groups, 256)), 256))
    let all = Set(groups.prefix(count) + [peer.gid])
    return operators.contains { name in
      var (buffer, entry) = ([CChar](repeating: 0, count: 16 << 10), group())
      var found: UnsafeMutablePointer<group>?
      return getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0 && found != nil && all.contains(entry.gr_gid)
    }
  }

  /// nil: the bytes are no call.
  private static func reply(
    to message: [UInt8], _ mayOrder: Bool,
    _ answer: @LoopActor (VarlinkCall, Bool) throws(VarlinkError) -> JSON
  ) -> (bytes: [UInt8], isLast: Bool) {
    do throws(HearthError) {
      let call = try VarlinkCall(message)
      do throws(VarlinkError) {
        let own = try described(call)
        let parameters = if let own { own } else { try answer(call, mayOrder) }
        let reply: JSON = ["parameters": parameters]
        return (reply.compact, false)
      } catch { return (error.message, false) }
    } catch { return (VarlinkError.refused(error).message, true) }
  }

  /// Replies for `org.varlink.service`; nil for other interfaces.
  private static func described(_ call: VarlinkCall) throws(VarlinkError) -> JSON? {
    guard call.interface == "org.varlink.service" else { return nil }
    switch call.member {
    case "GetInfo":
      return [
        "vendor": "Hearth", "product": "hearth-uplink", "version": .string(hearthVersion), "url": "",
        "interfaces": .array(["org.varlink.service", .string(UplinkInterface.name)]),
      ]
    case "GetInterfaceDescription":
      guard call.parameters["interface"]?.text == UplinkInterface.name else { throw .invalidParameter("interface") }
      return ["description": .string(UplinkInterface.text)]
    default: throw .methodNotFound(harmless(call.method))
    }
  }
}

/// Client connection: calls in, short replies out.
@LoopActor
private final class DoorClient {
  private static let callLimit = 16 << 10
  private static let replyLimit = 256 << 10

  private let loop: EpollLoop
  private let descriptor: Int32
  private var watch: Watch?
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var timer: LoopTimer?
  private let patience: Duration
  private let answer: @LoopActor ([UInt8]) -> (bytes: [UInt8], isLast: Bool)
  private let onClosed: @LoopActor (DoorClient) -> Void

  init(
    _ descriptor: Int32, _ loop: EpollLoop, patience: Duration,
    answer: @escaping @LoopActor ([UInt8]) -> (bytes: [UInt8], isLast: Bool),
    onClosed: @escaping @LoopActor (DoorClient) -> Void
  ) {
    (self.descriptor, self.loop, self.patience) = (descriptor, loop, patience)
    (self.answer, self.onClosed) = (answer, onClosed)
    watch = loop.watch(descriptor, for: .readable) { [weak self] in self?.ready($0) }
    arm()
  }

  func close() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    if let timer { loop.cancel(timer) }
    Glibc.close(descriptor)
    onClosed(self)
  }

  private func arm() {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: patience) { [weak self] in self?.close() }
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    guard watch != nil, readiness.contains(.readable) || readiness.contains(.hungUp) else { return }
    let count = input.receive(from: descriptor, upTo: 4096)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count <= 0 { return close() }
    arm()
    while let end = input.firstZero(from: 0) {
      let reply = answer(Array(input[..<end]))
      input.removeFirst(end + 1)
      output += reply.bytes + [0]
      if reply.isLast || output.count > Self.replyLimit { return last() }
    }
    if input.count > Self.callLimit { return last() }
    flush()
  }

  private func last() {
    flush()
    close()
  }

  private func flush() {
    while !output.isEmpty, watch != nil {
      let count = output.withUnsafeBytes { send(descriptor, $0.baseAddress, output.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { return close() }
        break
      }
      output.removeFirst(count)
    }
    watch?.update(output.isEmpty ? .readable : [.readable, .writable])
  }
}
