// A kernel for virtual time: controllers that answer the management commands as the real one does, and everything that may go wrong.

import Bluetooth
import EventLoop
import Glibc
import Logging
import Reasons

@testable import LinuxBluetooth

/// One controller as the kernel keeps it.
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
  var refusals: [UInt16: ManagementStatus] = [:]

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
  /// What an attempt meets: an error, or nothing to succeed.
  var attemptError: LinkError?
  var attemptTime: Duration = .milliseconds(100)
  /// Commands in order, with the controller they were for.
  private(set) var commands: [(index: UInt16, opcode: UInt16, parameters: [UInt8])] = []
  private(set) var resets: [ControllerReset] = []
  private(set) var bearers: [FakeBearer] = []
  private var ports: [FakePort] = []
  private var blocksChanged: (@LoopActor () -> Void)?

  init(_ loop: any Loop) { self.loop = loop }

  func openManagement(
    _ traffic: ManagementTraffic, receive: @escaping @LoopActor (RawBytes) -> Void, failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    if let openError { throw SystemError(call: "socket", errno: openError) }
    let port = FakePort(self, traffic, receive, failed)
    ports.append(port)
    return port
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
    for port in ports where (port.traffic == .advertisements) == isAdvertisement { port.deliver(ManagementFrame.encode(code: code, index: index, parameters: parameters)) }
  }

  /// The management sockets fail under the radio.
  func breakSockets() {
    for port in ports { port.fail() }
    ports = []
  }

  // MARK: The management commands

  fileprivate func take(_ frame: [UInt8], from port: FakePort) {
    let parsed = frame.withUnsafeBytes { bytes in ManagementFrame(bytes).map { (code: $0.code, index: $0.index, parameters: Array($0.parameters)) } }
    guard let parsed else { return }
    commands.append((parsed.index, parsed.code, parsed.parameters))
    let controller = controllers.first { $0.index == parsed.index }
    let silence = controller?.isSilent == true && [0x0005, 0x0023, 0x0024].contains(parsed.code)
    loop.schedule(after: silence ? .seconds(2) : .milliseconds(1)) { [self] in
      let (status, reply) = silence ? (ManagementStatus.authenticationFailed, []) : answer(parsed.code, parsed.index, parsed.parameters)
      port.deliver(
        ManagementFrame.encode(code: status == .success ? 1 : 2, index: parsed.index, parameters: half(parsed.code) + [status.rawValue] + (status == .success ? reply : [])))
    }
  }

  private func answer(_ code: UInt16, _ index: UInt16, _ parameters: [UInt8]) -> (ManagementStatus, [UInt8]) {
    if code == 0x003C { return (.success, half(UInt16(controllers.count)) + controllers.flatMap { half($0.index) + [0, $0.bus.rawValue] }) }
    guard let controller = controllers.first(where: { $0.index == index }) else { return (.invalidIndex, []) }
    if code == 0x0004 {
      let address = BluetoothAddress(value: controller.address, kind: .lePublic).wireBytes
      return (.success, address + [9, 0, 0] + word(controller.supported.rawValue) + word(controller.current.rawValue) + [UInt8](repeating: 0, count: 263))
    }
    if !isPrivileged { return (.permissionDenied, []) }
    if let refusal = controller.refusals[code] { return (refusal, []) }
    let switches: [UInt16: AdapterSettings] = [
      0x0005: .powered, 0x0007: .connectable, 0x0009: .bondable, 0x000D: .lowEnergy, 0x0029: .advertising, 0x002A: .classic, 0x002D: .secureConnections,
    ]
    if let setting = switches[code] {
      if code == 0x0005, parameters.first == 1, radioBlock != nil { return (.failed, []) }
      if parameters.first == 0 { controller.current.remove(setting) } else { controller.current.insert(setting) }
      return (.success, word(controller.current.rawValue))
    }
    switch code {
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

  fileprivate func open(_ request: ChannelRequest) -> FakeBearer {
    let bearer = FakeBearer(request)
    bearers.append(bearer)
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

  init(_ kernel: FakeKernel, _ traffic: ManagementTraffic, _ receive: @escaping @LoopActor (RawBytes) -> Void, _ failed: @escaping @LoopActor (SystemError) -> Void) {
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

  func run() async throws(LinkError) -> any Bearer {
    do { try await kernel.loop.sleep(for: kernel.attemptTime) } catch { throw .aborted }
    if let aborted { throw aborted }
    if let error = kernel.attemptError { throw error }
    return kernel.open(request)
  }

  func abort(_ error: LinkError) { aborted = error }
}

@LoopActor
final class FakeBearer: Bearer {
  let address: BluetoothAddress
  let request: ChannelRequest
  private(set) var isClosed = false
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?

  init(_ request: ChannelRequest) {
    self.request = request
    address = request.peer
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

  init(_ loop: VirtualLoop, _ options: LinuxRadioOptions = LinuxRadioOptions()) {
    self.loop = loop
    kernel = FakeKernel(loop)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    radio = LinuxRadio(loop: loop, kernel: kernel, options: options, timing: AdapterTiming(), counters: RadioCounters(), logger: logger)
    radio.onStateChange = { [weak self] in self?.states.append($0) }
    radio.onAdvertisement = { [weak self] in self?.heard.append($0) }
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
