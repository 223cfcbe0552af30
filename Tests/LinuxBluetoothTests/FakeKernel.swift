// A kernel for virtual time: controllers that answer the management commands as the real one does, and everything that
// may go wrong.

import Bluetooth
import EventLoop
import Glibc
import Logging
import Reasons

@testable import LinuxBluetooth

/// A controller as the kernel represents it.
@LoopActor
final class FakeController {
  let index: UInt16
  let bus: AdapterBus
  let address: UInt64
  var supported: AdapterSettings = [.powered, .connectable, .bondable, .lowEnergy, .secureConnections, .advertising]
  var current: AdapterSettings = []
  var monitors: [UInt16] = []
  var links: [BluetoothAddress] = []
  /// Commands that make the controller work end after two seconds with the status the kernel gives to its silence.
  var isSilent = false
  /// True if its driver accepts another public address.
  var takesAddress = false
  private(set) var staticAddress: UInt64?
  /// Set Static Address while powered off; else the kernel refuses.
  func takeStatic(_ parameters: [UInt8]) -> ManagementStatus {
    if current.contains(.powered) { return ManagementStatus(rawValue: 0x0B) }
    let address = (0..<6).reduce(UInt64(0)) { $0 | UInt64(parameters[$1]) << (8 * UInt64($1)) }
    if address >> 46 != 3 { return .invalidParameters }
    staticAddress = address
    if self.address == 0 { current.insert(.staticAddress) }
    return .success
  }
  var refusals: [UInt16: ManagementStatus] = [:]
  /// Keys as loaded last: identity records of 23 bytes, long-term records of 36.
  var identityKeys: [[UInt8]] = []
  var longTermKeys: [[UInt8]] = []
  var inputOutput: UInt8?

  init(index: UInt16, bus: AdapterBus = .usb, address: UInt64) {
    self.index = index
    self.bus = bus
    self.address = address
  }
}

@LoopActor
final class FakeKernel: RadioKernel {
  let loop: any Loop
  var controllers: [FakeController] = []
  /// errno of opening a management socket.
  var openError: Int32?
  var isPrivileged = true
  var radioBlock: RadioBlock?
  var canUnblock = false
  var daemons: [Int32] = []
  /// The error of an attempt; nil: it succeeds.
  var attemptError: LinkError?
  /// The status in Connect Failed for an attempt that fails; nil: no such event.
  var connectStatus: UInt8?
  /// The same over one adapter, by its address.
  var attemptErrors: [UInt64: LinkError] = [:]
  var attemptTime: Duration = .milliseconds(100)
  /// Commands in order, with the controller they were for.
  private(set) var commands: [(index: UInt16, opcode: UInt16, parameters: [UInt8])] = []
  private(set) var resets: [ControllerReset] = []
  private(set) var busResets = 0
  var busResetError: Int32 = 0
  var busResetRevives = false
  /// The file of marks; nil: it cannot be read.
  var stamps: String? = ""
  var stampsAreWritable = true
  private(set) var bearers: [FakeBearer] = []
  /// Revision of the management interface.
  var revision: UInt16 = 23
  /// CAP_NET_RAW.
  var observes = true
  /// Raw sockets may be opened; how often a controller was asked through one.
  var pulses = true
  private var openPulses: [FakePulse] = []
  fileprivate(set) var asked = 0
  /// How a controller takes LE Connection Update.
  var update = FakeUpdate()
  /// Raw HCI commands, and the sender of each LE Connection Update.
  private(set) var hciCommands: [[UInt8]] = []
  private(set) var updates: [(byKernel: Bool, ConnectionParameters)] = []
  /// The kernel's entries of connection parameters.
  var entries: Set<BluetoothAddress> = []
  private var observers: [FakeObserver] = []
  private var ports: [FakePort] = []
  private var blocksChanged: (@LoopActor () -> Void)?

  init(_ loop: any Loop) { self.loop = loop }

  func openManagement(
    _ traffic: ManagementTraffic, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    if let openError { throw SystemError(call: "socket", errno: openError) }
    let port = FakePort(self, traffic, receive, failed)
    ports.append(port)
    return port
  }

  func openObserver(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    if !observes { throw SystemError(call: "setsockopt(HCI_FILTER)", errno: EPERM) }
    let observer = FakeObserver(self, receive, failed)
    observers.append(observer)
    return observer
  }

  func openPulse(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    if !pulses { throw SystemError(call: "socket", errno: EPERM) }
    let pulse = FakePulse(self, index, receive)
    openPulses.append(pulse)
    return pulse
  }

  /// The controller answers a command that the kernel gave it: Command Status of LE Create Connection.
  func answerCreateConnection() { for pulse in openPulses { pulse.deliver([0x04, 0x0F, 4, 0, 1, 0x0D, 0x20]) } }

  /// The controller says something of its links.
  func say(_ hex: String) { sayHCI([UInt8](hexadecimal: hex) ?? []) }
  func sayHCI(_ packet: [UInt8]) { for observer in observers { observer.deliver(packet) } }
  func breakObserver() { for observer in observers { observer.fail() } }

  func sayUpdated(_ handle: UInt16, _ interval: UInt16, _ latency: UInt16, _ timeout: UInt16, status: UInt8 = 0) {
    sayHCI([0x04, 0x3E, 10, 0x03, status] + half(handle) + half(interval) + half(latency) + half(timeout))
  }

  fileprivate func takeHCI(_ packet: [UInt8]) {
    hciCommands.append(packet)
    guard packet.count == 18 else { return }
    func number(_ offset: Int) -> UInt16 { UInt16(packet[offset]) | UInt16(packet[offset + 1]) << 8 }
    connectionUpdate(
      number(4),
      ConnectionParameters(
        minimumInterval: number(6), maximumInterval: number(8), latency: number(10), timeout: number(12)),
      byKernel: false)
  }

  private func connectionUpdate(_ handle: UInt16, _ wanted: ConnectionParameters, byKernel: Bool) {
    updates.append((byKernel, wanted))
    let how = update
    loop.schedule(after: .milliseconds(1)) { [self] in
      sayHCI([0x04, 0x0F, 4, how.commandStatus, 1, 0x13, 0x20])
      if how.commandStatus != 0 || how.isSilent { return }
      loop.schedule(after: how.delay) { [self] in
        for _ in 0..<how.times {
          sayUpdated(handle, how.interval ?? wanted.minimumInterval, wanted.latency, wanted.timeout, status: how.status)
        }
        if how.status == 0 { for bearer in bearers where bearer.linkHandle == handle { bearer.current = wanted } }
      }
    }
  }

  /// As the kernel's mgmt.c does: one entry, and a live link with other numbers than the kernel believes.
  private func loadParameters(_ parameters: [UInt8]) {
    guard parameters.count == 17, parameters[0] == 1 else { return }
    let address = parameters[2...].withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return BluetoothAddress(management: &reader)
    }
    guard let address else { return }
    func number(_ offset: Int) -> UInt16 { UInt16(parameters[offset]) | UInt16(parameters[offset + 1]) << 8 }
    let wanted = ConnectionParameters(
      minimumInterval: number(9), maximumInterval: number(11), latency: number(13), timeout: number(15))
    if !entries.contains(address) {
      entries = [address]
      return
    }
    guard revision >= 23, update.kernelSends,
      let bearer = bearers.last(where: { $0.address == address && !$0.isClosed }), let handle = bearer.linkHandle
    else { return }
    let created = bearer.created
    if (created.minimumInterval, created.maximumInterval) == (wanted.minimumInterval, wanted.maximumInterval),
      (bearer.current.latency, bearer.current.timeout) == (wanted.latency, wanted.timeout)
    {
      return
    }
    connectionUpdate(handle, wanted, byKernel: true)
  }

  func attempt(_ request: ChannelRequest) -> any ChannelAttempt { FakeAttempt(self, request) }
  func watchBlocks(changed: @escaping @LoopActor () -> Void) { blocksChanged = changed }
  func block(of adapter: String) -> RadioBlock? { radioBlock }

  func unblock(_ adapter: String) -> Bool {
    if canUnblock { setBlock(nil) }
    return canUnblock
  }

  func reset(_ index: UInt16, _ how: ControllerReset) async -> Int32 {
    resets.append(how)
    return 0
  }

  func resetBus(of adapter: AdapterIdentity) async -> Int32 {
    busResets += 1
    if busResetError != 0 { return busResetError }
    guard let controller = controllers.first(where: { $0.index == adapter.index }) else { return ENODEV }
    remove(controller)
    loop.schedule(after: .seconds(2)) { [self] in
      let again = FakeController(index: controller.index + 1, bus: controller.bus, address: controller.address)
      again.isSilent = controller.isSilent && !busResetRevives
      add(again)
    }
    return 0
  }

  func readStamps() -> String? { stamps }

  func writeStamps(_ text: String) -> Bool {
    if !stampsAreWritable { return false }
    stamps = text
    return true
  }

  func bluetoothDaemons() -> [Int32] { daemons }
  func close() {}

  // MARK: What happens to it

  func setBlock(_ block: RadioBlock?) {
    radioBlock = block
    blocksChanged?()
    if block != nil { for controller in controllers { setPower(controller, false) } }
  }

  func setPower(_ controller: FakeController, _ on: Bool) {
    if on { controller.current.insert(.powered) } else { controller.current.remove(.powered) }
    emit(0x0006, controller.index, word(controller.current.rawValue))
  }

  func add(_ controller: FakeController) {
    controllers.append(controller)
    emit(0x0020, controller.index, [0, controller.bus.rawValue])
  }

  func remove(_ controller: FakeController) {
    controllers.removeAll { $0 === controller }
    emit(0x0021, controller.index, [0, controller.bus.rawValue])
  }

  func removeMonitors(_ controller: FakeController) {
    controller.monitors = []
    emit(0x002C, controller.index, [0, 0])
  }

  func advertise(_ address: BluetoothAddress, from controller: FakeController, data: [UInt8] = [2, 1, 6]) {
    emit(0x002F, controller.index, [0, 0] + address.managementBytes + [0xC4, 0, 0, 0, 0, UInt8(data.count), 0] + data)
  }

  func emit(_ code: UInt16, _ index: UInt16, _ parameters: [UInt8]) {
    let isAdvertisement = code == 0x0012 || code == 0x002F
    for port in ports where (port.traffic == .advertisements) == isAdvertisement {
      port.deliver(ManagementFrame.encode(code: code, index: index, parameters: parameters))
    }
  }

  /// The management sockets fail under the radio.
  func breakSockets() {
    for port in ports { port.fail() }
    ports = []
  }

  // MARK: The management commands

  fileprivate func take(_ frame: [UInt8], from port: FakePort) {
    let parsed = frame.withUnsafeBytes { bytes in
      ManagementFrame(bytes).map { (code: $0.code, index: $0.index, parameters: Array($0.parameters)) }
    }
    guard let parsed else { return }
    commands.append((parsed.index, parsed.code, parsed.parameters))
    let controller = controllers.first { $0.index == parsed.index }
    let silence = controller?.isSilent == true && [0x0005, 0x0023, 0x0024].contains(parsed.code)
    loop.schedule(after: silence ? .seconds(2) : .milliseconds(1)) { [self] in
      let (status, reply) =
        silence ? (ManagementStatus.authenticationFailed, []) : answer(parsed.code, parsed.index, parsed.parameters)
      port.deliver(
        ManagementFrame.encode(
          code: status == .success ? 1 : 2, index: parsed.index,
          parameters: half(parsed.code) + [status.rawValue] + (status == .success ? reply : [])))
    }
  }

  private func answer(_ code: UInt16, _ index: UInt16, _ parameters: [UInt8]) -> (ManagementStatus, [UInt8]) {
    if code == 0x0001 { return (.success, [1] + half(revision)) }
    if code == 0x003C {
      return (
        .success, half(UInt16(controllers.count)) + controllers.flatMap { half($0.index) + [0, $0.bus.rawValue] }
      )
    }
    guard let controller = controllers.first(where: { $0.index == index }) else { return (.invalidIndex, []) }
    if code == 0x0004 {
      if let refusal = controller.refusals[code] { return (refusal, []) }
      let address = BluetoothAddress(value: controller.address, kind: .lePublic).wireBytes
      return (
        .success,
        address + [9, 0, 0] + word(controller.supported.rawValue) + word(controller.current.rawValue)
          + [UInt8](repeating: 0, count: 263)
      )
    }
    if !isPrivileged { return (.permissionDenied, []) }
    if let refusal = controller.refusals[code] { return (refusal, []) }
    let switches: [UInt16: AdapterSettings] = [
      0x0005: .powered, 0x0007: .connectable, 0x0009: .bondable, 0x000D: .lowEnergy, 0x0029: .advertising,
      0x002A: .classic, 0x002D: .secureConnections,
    ]
    if let setting = switches[code] {
      if code == 0x0005, parameters.first == 1, radioBlock != nil { return (.failed, []) }
      // EADDRNOTAVAIL.
      if code == 0x0005, parameters.first == 1, controller.address == 0, controller.staticAddress == nil {
        return (.failed, [])
      }
      if parameters.first == 0 { controller.current.remove(setting) } else { controller.current.insert(setting) }
      return (.success, word(controller.current.rawValue))
    }
    switch code {
    case 0x0013: controller.longTermKeys = records(parameters, 36)
    case 0x0030: controller.identityKeys = records(parameters, 23)
    case 0x0018: controller.inputOutput = parameters.first
    case 0x0035: loadParameters(parameters)
    case 0x001B, 0x001C, 0x001D, 0x001E, 0x001F: return (.success, Array(parameters.prefix(7)))
    default: break
    }
    switch code {
    case 0x002B:
      let status = controller.takeStatic(parameters)
      return (status, word(controller.current.rawValue))
    case 0x0039:
      if !controller.takesAddress { return (ManagementStatus(rawValue: 0x0C), []) }
      if controller.current.contains(.powered) { return (ManagementStatus(rawValue: 0x0B), []) }
      let address = (0..<6).reduce(UInt64(0)) { $0 | UInt64(parameters[$1]) << (8 * UInt64($1)) }
      // The index goes, and comes back powered off with the new address.
      loop.schedule(after: .milliseconds(1)) { [self] in
        remove(controller)
        loop.schedule(after: .milliseconds(50)) { [self] in
          add(FakeController(index: controller.index, bus: controller.bus, address: address))
        }
      }
      return (.success, [])
    case 0x0015: return (.success, half(UInt16(controller.links.count)) + controller.links.flatMap(\.managementBytes))
    case 0x0052:
      if !controller.current.contains(.powered) { return (.notPowered, []) }
      controller.monitors.append(UInt16(controller.monitors.count + 1))
      return (.success, half(UInt16(controller.monitors.count)))
    case 0x0053:
      controller.monitors = []
      return (.success, [0, 0])
    default: return (.success, [])
    }
  }

  private func records(_ parameters: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 2, to: parameters.count, by: size).map { Array(parameters[$0..<min($0 + size, parameters.count)]) }
  }

  fileprivate func open(_ request: ChannelRequest) -> FakeBearer {
    let bearer = FakeBearer(request, handle: 0x40 + UInt16(bearers.count))
    bearers.append(bearer)
    if let loaded = commands.last(where: { $0.opcode == 0x0035 })?.parameters, loaded.count == 17 {
      func number(_ offset: Int) -> UInt16 { UInt16(loaded[offset]) | UInt16(loaded[offset + 1]) << 8 }
      bearer.created = ConnectionParameters(
        minimumInterval: number(9), maximumInterval: number(11), latency: number(13), timeout: number(15))
      bearer.current = bearer.created
    }
    let now = bearer.created
    var event: [UInt8] = [0x04, 0x3E, 19, 0x01, 0]
    event += half(0x40 + UInt16(bearers.count - 1))
    event += [0, 1] + request.peer.wireBytes
    event += half(now.maximumInterval) + half(now.latency) + half(now.timeout) + [0]
    sayHCI(event)
    return bearer
  }

  fileprivate func forget(_ port: FakePort) { ports.removeAll { $0 === port } }
}

func half(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
func word(_ value: UInt32) -> [UInt8] { half(UInt16(truncatingIfNeeded: value)) + half(UInt16(value >> 16)) }

@LoopActor
final class FakePort: ManagementPort {
  let traffic: ManagementTraffic
  private unowned let kernel: FakeKernel
  private let receive: @LoopActor (RawBytes) -> Void
  private let failed: @LoopActor (SystemError) -> Void
  private var isOpen = true

  init(
    _ kernel: FakeKernel, _ traffic: ManagementTraffic, _ receive: @escaping @LoopActor (RawBytes) -> Void,
    _ failed: @escaping @LoopActor (SystemError) -> Void
  ) {
    self.kernel = kernel
    self.traffic = traffic
    self.receive = receive
    self.failed = failed
  }

  func send(_ frame: [UInt8]) -> Int32 {
    if !isOpen { return EBADF }
    kernel.take(frame, from: self)
    return 0
  }

  func deliver(_ frame: [UInt8]) { if isOpen { frame.withUnsafeBytes { receive($0) } } }
  func drain() {}
  func fail() { if isOpen { failed(SystemError(call: "recv", errno: EIO)) } }

  func close() {
    isOpen = false
    kernel.forget(self)
  }
}

@LoopActor
final class FakeAttempt: ChannelAttempt {
  private let kernel: FakeKernel
  private let request: ChannelRequest
  private var aborted: LinkError?

  init(_ kernel: FakeKernel, _ request: ChannelRequest) {
    self.kernel = kernel
    self.request = request
  }

  func run() async throws(LinkError) -> any RadioBearer {
    request.begun()
    do { try await kernel.loop.sleep(for: kernel.attemptTime) } catch { throw .aborted }
    if let aborted { throw aborted }
    if let error = kernel.attemptErrors[request.local.value] ?? kernel.attemptError {
      if let status = kernel.connectStatus { kernel.emit(0x000D, 0, request.peer.managementBytes + [status]) }
      throw error
    }
    return kernel.open(request)
  }

  func abort(_ error: LinkError) { aborted = error }
}

/// How a controller takes LE Connection Update.
struct FakeUpdate {
  /// The kernel sends one when it is given an entry.
  var kernelSends = true
  var commandStatus: UInt8 = 0
  /// No event ends it.
  var isSilent = false
  var status: UInt8 = 0
  var delay: Duration = .milliseconds(200)
  /// How often the event comes.
  var times = 1
  /// Instead of the minimum that was asked for.
  var interval: UInt16?
}

@LoopActor
final class FakeObserver: ManagementPort {
  private unowned let kernel: FakeKernel
  private let receive: @LoopActor (RawBytes) -> Void
  private let failed: @LoopActor (SystemError) -> Void
  private var isOpen = true

  init(
    _ kernel: FakeKernel, _ receive: @escaping @LoopActor (RawBytes) -> Void,
    _ failed: @escaping @LoopActor (SystemError) -> Void
  ) {
    self.kernel = kernel
    self.receive = receive
    self.failed = failed
  }

  func send(_ frame: [UInt8]) -> Int32 {
    if !isOpen { return EBADF }
    kernel.takeHCI(frame)
    return 0
  }

  func deliver(_ packet: [UInt8]) { if isOpen { packet.withUnsafeBytes { receive($0) } } }
  func fail() { if isOpen { failed(SystemError(call: "recv", errno: EPIPE)) } }
  func drain() {}
  func close() { isOpen = false }
}

/// Answers Read BD_ADDR unless its controller is silent.
@LoopActor
final class FakePulse: ManagementPort {
  private unowned let kernel: FakeKernel
  private let index: UInt16
  private let receive: @LoopActor (RawBytes) -> Void
  private var isOpen = true

  init(_ kernel: FakeKernel, _ index: UInt16, _ receive: @escaping @LoopActor (RawBytes) -> Void) {
    (self.kernel, self.index, self.receive) = (kernel, index, receive)
  }

  func send(_ frame: [UInt8]) -> Int32 {
    guard isOpen, let controller = kernel.controllers.first(where: { $0.index == index }) else { return ENETDOWN }
    if frame != [1, 9, 0x10, 0] { return EINVAL }
    kernel.asked += 1
    if controller.isSilent { return 0 }
    kernel.loop.schedule(after: .milliseconds(1)) { [weak self] in
      self?.deliver([0x04, 0x0E, 10, 1, 0x09, 0x10, 0, 1, 2, 3, 4, 5, 6])
    }
    return 0
  }

  func deliver(_ packet: [UInt8]) { if isOpen { packet.withUnsafeBytes { receive($0) } } }

  func drain() {}
  func close() { isOpen = false }
}

@LoopActor
final class FakeBearer: RadioBearer {
  let address: BluetoothAddress
  let request: ChannelRequest
  private let handle: UInt16
  var created = ConnectionParameters.foreground
  var current = ConnectionParameters.foreground
  var level: UInt8 = 1
  /// What raising the security gives; 0: under way until the test says how it went.
  var securityAnswer: Int32 = 0
  private(set) var raised = 0
  var onSecured: (@LoopActor () -> Void)?
  private(set) var isClosed = false
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?

  init(_ request: ChannelRequest, handle: UInt16) {
    self.request = request
    self.handle = handle
    address = request.peer
  }

  var linkHandle: UInt16? { isClosed ? nil : handle }
  var securityLevel: UInt8? { isClosed ? nil : level }

  func raiseSecurity() -> Int32 {
    raised += 1
    return securityAnswer
  }

  /// The link is encrypted now.
  func encrypt() {
    level = 2
    let callback = onSecured
    onSecured = nil
    callback?()
  }

  /// The link ends, with this errno.
  func end(_ code: Int32) {
    if isClosed { return }
    let meaning = request.explain(code, true)
    isClosed = true
    request.ended(self, false)
    onClosed?(meaning)
  }

  func terminate(_ meaning: LinkError) {
    if isClosed { return }
    isClosed = true
    request.ended(self, true)
    onClosed?(meaning)
  }

  func send(_ pdu: [UInt8]) -> Bool { true }

  func close(immediately: Bool) {
    if isClosed { return }
    isClosed = true
    request.ended(self, immediately)
  }
}

/// A radio on a fake kernel in virtual time.
@LoopActor
final class FakeSetting {
  let loop: VirtualLoop
  let kernel: FakeKernel
  let radio: LinuxRadio
  private(set) var states: [RadioState] = []
  private(set) var heard: [Advertisement] = []
  private(set) var parameters: [EffectiveParameters] = []

  init(_ loop: VirtualLoop, _ options: LinuxRadioOptions = LinuxRadioOptions()) {
    self.loop = loop
    kernel = FakeKernel(loop)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    radio = LinuxRadio(
      loop: loop, kernel: kernel, options: options, timing: AdapterTiming(), counters: RadioCounters(), logger: logger)
    radio.onStateChange = { [weak self] in self?.states.append($0) }
    radio.onAdvertisement = { [weak self] in self?.heard.append($0) }
    radio.onParameters = { [weak self] _, new in self?.parameters.append(new) }
  }

  /// Lets virtual time pass.
  func pass(_ time: Duration) async throws { try await loop.sleep(for: time) }

  /// A controller that is there from the start.
  func plugIn(_ index: UInt16 = 0, bus: AdapterBus = .usb, address: UInt64 = 0xAABB_CC00_0001) -> FakeController {
    let controller = FakeController(index: index, bus: bus, address: address)
    kernel.controllers.append(controller)
    return controller
  }

  func opcodes(since start: Int = 0) -> [UInt16] { kernel.commands[start...].map(\.opcode) }
  func counter(_ name: String) -> UInt64 { radio.facts.counters.first { $0.name == name }?.value ?? .max }
}

let strap = BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom)
