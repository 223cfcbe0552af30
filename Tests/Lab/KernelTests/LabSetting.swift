// A test's radio in the world, and another program on the same kernel that can disturb it as programs do.

import Bluetooth
import CLinux
import EventLoop
import Glibc
import Logging
import Testing

@testable import LinuxBluetooth

/// Waits that fit a test; every rule is the same.
let labTiming: AdapterTiming = {
  var timing = AdapterTiming()
  timing.backOff = [.seconds(1), .seconds(1), .seconds(2)]
  timing.quiet = .seconds(4)
  timing.daemonCheck = .seconds(1)
  return timing
}()

@LoopActor
final class LabSetting {
  let loop: EpollLoop
  let world: LabWorld
  let control: LabControl
  let radio: LinuxRadio
  let other: OtherProgram
  /// Every state the radio reported, in order.
  private(set) var states: [RadioState] = []
  private(set) var heard: [BluetoothAddress: Int] = [:]
  private(set) var heardWithoutFlags = 0

  init(_ loop: EpollLoop, _ world: LabWorld, options: LinuxRadioOptions, timing: AdapterTiming) throws {
    self.loop = loop
    self.world = world
    control = try LabControl(loop, world)
    other = try OtherProgram(loop)
    var logger = Logger(label: "lab")
    logger.logLevel = .info
    let counters = RadioCounters()
    radio = LinuxRadio(
      loop: loop, kernel: LinuxKernel(loop: loop, counters: counters), options: options, timing: timing,
      counters: counters, logger: logger)
    radio.onStateChange = { [weak self] in self?.states.append($0) }
    radio.onAdvertisement = { [weak self] advertisement in
      self?.heard[advertisement.address, default: 0] += 1
      if !advertisement.data.starts(with: [2, 1, 6]) { self?.heardWithoutFlags += 1 }
    }
  }

  static func strap(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(value: 0xF0F1_F2F3_F400 + UInt64(number), kind: .leRandom)
  }

  func connect(_ strap: Int, within limit: Duration = .seconds(10)) async throws(LinkError) -> any Bearer {
    try await radio.connect(to: Self.strap(strap), deadline: loop.now + limit)
  }

  /// How an attempt ended, and how long that took.
  func outcome(of address: BluetoothAddress, within limit: Duration) async -> (error: LinkError?, seconds: Double) {
    let start = loop.now
    do throws(LinkError) {
      let bearer = try await radio.connect(to: address, deadline: loop.now + limit)
      bearer.close(immediately: true)
      return (nil, (loop.now - start).inSeconds)
    } catch {
      return (error, (loop.now - start).inSeconds)
    }
  }

  /// Waits until something is so; gives the seconds it took.
  @discardableResult
  func until(_ what: String, within limit: Duration = .seconds(10), _ condition: @LoopActor () -> Bool) async throws
    -> Double
  {
    let start = loop.now
    while !condition() {
      if loop.now - start > limit {
        throw LabError("not within \(limit.inSeconds) s: \(what); states \(states), facts \(radio.facts)")
      }
      try await loop.sleep(for: .milliseconds(20))
    }
    return (loop.now - start).inSeconds
  }

  /// The kernel keeps a link for two seconds after its last channel, and a dying one would be taken for the next
  /// test's.
  func endLinks() async throws {
    guard let index = radio.adapter.identity?.index else { return }
    for _ in 0..<100 {
      // Get Connections; Disconnect.
      let reply = await other.ask(0x0015, index: index)
      guard reply.status == 0, reply.parameters.count > 2 else { return }
      for entry in stride(from: 2, to: reply.parameters.count - 6, by: 7) {
        await other.ask(0x0014, Array(reply.parameters[entry..<entry + 7]), index: index)
      }
      try await loop.sleep(for: .milliseconds(20))
    }
    throw LabError("links that do not end")
  }

  func counter(_ name: String) -> UInt64 { radio.facts.counters.first { $0.name == name }?.value ?? .max }
  func forgetStates() { states = [] }
  func forgetHeard() { heard = [:] }
  func heard(_ strap: Int) -> Int { heard[Self.strap(strap), default: 0] }
}

/// Runs `body` with a radio that is ready (unless told otherwise), in a world without faults.
func inLab(
  _ options: LinuxRadioOptions = LinuxRadioOptions(), timing: AdapterTiming = labTiming, start: Bool = true,
  _ body: @escaping @LoopActor (LabSetting) async throws -> Void
) throws {
  let world = try LabWorld.shared.get()
  try EpollLoop.run { loop in
    let setting = try LabSetting(loop, world, options: options, timing: timing)
    try await setting.control.heal()
    if start {
      setting.radio.start()
      try await setting.until("ready") { setting.radio.state == .ready }
      setting.forgetStates()
    }
    do {
      try await body(setting)
    } catch {
      Issue.record(error)
    }
    try await setting.control.heal()
    do { try await setting.endLinks() } catch { Issue.record(error) }
    if start { await setting.radio.shutDown() }
    setting.other.end()
    setting.control.end()
  }
}

/// Another program with a management socket: says any command, hears any event.
@LoopActor
final class OtherProgram {
  private let loop: EpollLoop
  private let kernel: LinuxKernel
  private var port: (any ManagementPort)?
  private var waiting: [UInt16: CheckedContinuation<(status: UInt8, parameters: [UInt8]), Never>] = [:]

  init(_ loop: EpollLoop) throws {
    self.loop = loop
    kernel = LinuxKernel(loop: loop, counters: RadioCounters())
    port = try kernel.openManagement(
      .commandsAndEvents, receive: { [weak self] in self?.receive($0) }, failed: { _ in })
  }

  /// The reply's status and parameters; status 0xFF after ten seconds without one.
  @discardableResult
  func ask(_ opcode: UInt16, _ parameters: [UInt8] = [], index: UInt16) async -> (status: UInt8, parameters: [UInt8]) {
    let timer = loop.schedule(after: .seconds(10)) { [weak self] in
      self?.waiting.removeValue(forKey: opcode)?.resume(returning: (0xFF, []))
    }
    defer { loop.cancel(timer) }
    return await withCheckedContinuation { continuation in
      waiting[opcode] = continuation
      _ = port?.send(ManagementFrame.encode(code: opcode, index: index, parameters: parameters))
    }
  }

  /// Handles of the advertisement monitors (command 0x0051).
  func monitors(index: UInt16) async -> Int? {
    let reply = await ask(0x0051, index: index)
    return reply.status == 0 && reply.parameters.count >= 13
      ? Int(reply.parameters[11]) | Int(reply.parameters[12]) << 8 : nil
  }

  func end() { port?.close() }

  private func receive(_ datagram: RawBytes) {
    guard let frame = ManagementFrame(datagram),
      case .reply(let opcode, let status, let parameters)? = ManagementEvent(frame)
    else { return }
    waiting.removeValue(forKey: opcode)?.resume(returning: (status.rawValue, parameters))
  }
}

/// What a channel brought.
@LoopActor
final class Ear {
  private(set) var received: [[UInt8]] = []
  private(set) var ends: [LinkError] = []
  private(set) var writable = 0

  /// Listens; PDUs that came before are delivered now.
  func attach(_ bearer: any Bearer) {
    attachEnd(bearer)
    bearer.onReceive = { [weak self] in self?.received.append(Array($0)) }
  }

  func attachEnd(_ bearer: any Bearer) {
    bearer.onClosed = { [weak self] in self?.ends.append($0) }
    bearer.onWritable = { [weak self] in self?.writable += 1 }
  }
}

func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
