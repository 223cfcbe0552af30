// Implementation of `RadioKernel` with the real kernel.

import Bluetooth
import CBluetooth
import CLinux
import EventLoop
import Glibc

@LoopActor
final class LinuxKernel: RadioKernel {
  let loop: EpollLoop
  private let counters: RadioCounters
  private let givenUp: GivenUpChannels
  /// File in the state folder; nil: resets are not recorded.
  private let stamps: String?
  /// File that triggers a helper running as root; nil: there is no helper.
  let helperRequest: String?
  private var blocks: RadioSwitchWatch?
  /// Child process that resets a controller, and the continuation that waits for it.
  private var resetting: (watch: Watch, continuation: CheckedContinuation<Void, Never>)?

  init(loop: EpollLoop, counters: RadioCounters, stamps: String? = nil, helperRequest: String? = nil) {
    self.loop = loop
    self.counters = counters
    givenUp = GivenUpChannels(loop: loop)
    self.stamps = stamps
    self.helperRequest = helperRequest
  }

  func openManagement(
    _ traffic: ManagementTraffic, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    let descriptor = socket(
      AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
    if descriptor < 0 { throw SystemError(call: "socket", errno: errno) }
    do throws(SystemError) {
      try filter(descriptor, traffic)
      setOption(descriptor, SO_RCVBUFFORCE, ManagementSocket.receiveBuffer)
      try bindTo(descriptor, UInt16(HCI_DEV_NONE), UInt16(HCI_CHANNEL_CONTROL))
      // A list of keys may be longer than the 1,028 bytes of a frame by default. Only a bound socket accepts this
      // option; kernels without it refuse the list.
      var longest = UInt16.max
      setsockopt(descriptor, SOL_BLUETOOTH, BT_SNDMTU, &longest, socklen_t(MemoryLayout<UInt16>.size))
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return ManagementSocket(loop: loop, descriptor: descriptor, receive: receive, failed: failed)
  }

  func openObserver(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    try openRaw(index, receive: receive, failed: failed) { descriptor throws(SystemError) in
      try admitLinkEvents(descriptor)
      setOption(descriptor, SO_RCVBUFFORCE, ManagementSocket.receiveBuffer)
    }
  }

  func openPulse(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    try openRaw(index, receive: receive, failed: failed) { descriptor throws(SystemError) in
      try admitAnswers(descriptor)
    }
  }

  private func openRaw(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void, filter: (Int32) throws(SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort {
    let descriptor = socket(
      AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
    if descriptor < 0 { throw SystemError(call: "socket", errno: errno) }
    do throws(SystemError) {
      try filter(descriptor)
      try bindTo(descriptor, index, UInt16(HCI_CHANNEL_RAW))
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return ManagementSocket(loop: loop, descriptor: descriptor, receive: receive, failed: failed)
  }

  func attempt(_ request: ChannelRequest) -> any ChannelAttempt {
    PatientAttempt(loop: loop, deadline: request.deadline, counters: counters, isMasked: request.isMasked) {
      [loop, counters, givenUp] in
      L2CAPAttempt(loop: loop, request: request, counters: counters, givenUp: givenUp)
    }
  }

  func watchBlocks(changed: @escaping @LoopActor () -> Void) {
    if blocks == nil { blocks = RadioSwitchWatch.open(loop: loop, changed: changed) }
  }

  func block(of adapter: String) -> RadioBlock? { blocks?.switches.block(of: adapter) }
  func unblock(_ adapter: String) -> Bool { blocks?.unblock(adapter) ?? false }

  func reset(_ index: UInt16, _ how: ControllerReset) async -> Int32 {
    let descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
    if descriptor < 0 { return errno }
    defer { Glibc.close(descriptor) }
    let request =
      switch how {
      case .reset: hearth_hci_device_reset
      case .down: hearth_hci_device_down
      case .up: hearth_hci_device_up
      }
    let code = await child { hearth_ioctl_in_child(descriptor, request, Int(index)) }
    return how == .up && code == EALREADY ? 0 : code
  }

  /// Waits for a child process that makes one slow system call; 0 or the call's errno.
  func child(_ start: () -> Int32) async -> Int32 {
    guard resetting == nil else { fatalError("two resets at once") }
    let child = start()
    if child < 0 { return errno }
    defer { Glibc.close(child) }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      resetting = (loop.watch(child, for: .readable) { [weak self] _ in self?.resetEnded() }, continuation)
    }
    // A child that outlives the daemon is reaped by process 1.
    let status = hearth_child_status(child)
    return status < 0 ? EIO : status
  }

  private func resetEnded() {
    guard let resetting else { return }
    self.resetting = nil
    resetting.watch.end()
    resetting.continuation.resume()
  }

  func readStamps() -> String? {
    guard let stamps else { return nil }
    let descriptor = hearth_open(stamps, O_RDONLY | O_CLOEXEC, 0)
    if descriptor < 0 { return errno == ENOENT ? "" : nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  func writeStamps(_ text: String) -> Bool { stamps.map { replaceFile($0, with: text) } ?? false }

  func bluetoothDaemons() -> [Int32] { Self.bluetoothDaemons() }

  /// Found by process name: the kernel's sockets do not show which other programs listen.
  static func bluetoothDaemons() -> [Int32] {
    guard let directory = opendir("/proc") else { return [] }
    defer { closedir(directory) }
    var found: [Int32] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let process = Int32(name), readSmallFile("/proc/\(name)/comm") == "bluetoothd" { found.append(process) }
    }
    return found.sorted()
  }

  func close() {
    resetEnded()
    blocks?.end()
    blocks = nil
  }

  private func bindTo(_ descriptor: Int32, _ device: UInt16, _ channel: UInt16) throws(SystemError) {
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = device
    address.hci_channel = channel
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
      }
    }
    if result != 0 { throw SystemError(call: "bind", errno: errno) }
  }

  /// Classic packet filter on the event number. Loads are most significant byte first, whereas frames hold the least
  /// significant byte first.
  private func filter(_ descriptor: Int32, _ traffic: ManagementTraffic) throws(SystemError) {
    let (others, advertisements): (UInt32, UInt32) = traffic == .advertisements ? (0, .max) : (.max, 0)
    // BPF_LD|BPF_H|BPF_ABS, BPF_JMP|BPF_JEQ, BPF_RET
    let loadHalfWord: UInt16 = 0x28
    let jumpIfEqual: UInt16 = 0x15
    let give: UInt16 = 0x06
    var program = [
      sock_filter(code: loadHalfWord, jt: 0, jf: 0, k: 0),
      sock_filter(code: jumpIfEqual, jt: 2, jf: 0, k: UInt32(AdvertisementReport.deviceFound.byteSwapped)),
      sock_filter(code: jumpIfEqual, jt: 1, jf: 0, k: UInt32(AdvertisementReport.monitorDeviceFound.byteSwapped)),
      sock_filter(code: give, jt: 0, jf: 0, k: others),
      sock_filter(code: give, jt: 0, jf: 0, k: advertisements),
    ]
    try attach(&program, to: descriptor)
  }

  fileprivate func attach(_ program: inout [sock_filter], to descriptor: Int32) throws(SystemError) {
    let result = program.withUnsafeMutableBufferPointer { instructions in
      var attached = sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
      return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &attached, socklen_t(MemoryLayout<sock_fprog>.size))
    }
    if result != 0 { throw SystemError(call: "setsockopt(SO_ATTACH_FILTER)", errno: errno) }
  }
}

extension LinuxKernel {
  /// Passes Command Complete and Command Status of all commands, whichever process sent them, and no other event.
  private func admitAnswers(_ descriptor: Int32) throws(SystemError) {
    let commandComplete: UInt32 = 0x0E
    let commandStatus: UInt32 = 0x0F
    var wanted = hci_filter()
    wanted.type_mask = 1 << 4
    wanted.event_mask.0 = 1 << commandComplete | 1 << commandStatus
    if setsockopt(descriptor, SOL_HCI, HCI_FILTER, &wanted, socklen_t(MemoryLayout<hci_filter>.size)) != 0 {
      throw SystemError(call: "setsockopt(HCI_FILTER)", errno: errno)
    }
  }

  /// Passes only link events and the status of LE Connection Update: a controller reports each advertisement by an LE
  /// meta event as well. Without CAP_NET_RAW the kernel accepts the filter and silently clears the bits that it does
  /// not grant.
  private func admitLinkEvents(_ descriptor: Int32) throws(SystemError) {
    let disconnection: UInt32 = 0x05
    let encryption: UInt32 = 0x08
    let commandStatus: UInt32 = 0x0F
    let keyRefresh: UInt32 = 0x30
    let lowEnergy: UInt32 = 0x3E
    var wanted = hci_filter()
    wanted.type_mask = 1 << 4
    wanted.event_mask.0 = 1 << disconnection | 1 << encryption | 1 << commandStatus
    wanted.event_mask.1 = 1 << (keyRefresh - 32) | 1 << (lowEnergy - 32)
    wanted.opcode = HCICommand.connectionUpdate.littleEndian
    let size = socklen_t(MemoryLayout<hci_filter>.size)
    if setsockopt(descriptor, SOL_HCI, HCI_FILTER, &wanted, size) != 0 {
      throw SystemError(call: "setsockopt(HCI_FILTER)", errno: errno)
    }
    var granted = hci_filter()
    var length = size
    if getsockopt(descriptor, SOL_HCI, HCI_FILTER, &granted, &length) != 0 {
      throw SystemError(call: "getsockopt(HCI_FILTER)", errno: errno)
    }
    if granted.event_mask.1 != wanted.event_mask.1 { throw SystemError(call: "setsockopt(HCI_FILTER)", errno: EPERM) }
    // BPF_LD|BPF_B|BPF_ABS, BPF_JMP|BPF_JEQ, BPF_RET
    let loadByte: UInt16 = 0x30
    let jumpIfEqual: UInt16 = 0x15
    let give: UInt16 = 0x06
    var program = [
      sock_filter(code: loadByte, jt: 0, jf: 0, k: 1),
      sock_filter(code: jumpIfEqual, jt: 0, jf: 3, k: lowEnergy),
      sock_filter(code: loadByte, jt: 0, jf: 0, k: 3),
      sock_filter(code: jumpIfEqual, jt: 2, jf: 0, k: 0x02),  // advertising report
      sock_filter(code: jumpIfEqual, jt: 1, jf: 0, k: 0x0D),  // the extended one
      sock_filter(code: give, jt: 0, jf: 0, k: .max),
      sock_filter(code: give, jt: 0, jf: 0, k: 0),
    ]
    try attach(&program, to: descriptor)
  }
}
