// Radio switches (rfkill), which keep a healthy adapter off.

import CLinux
import EventLoop
import Glibc

/// State of the switches, built from their events. Each event of /dev/rfkill is eight bytes (linux/rfkill.h), numbers
/// in the machine's byte order:
///
///     0  4  number of the switch       5  1  operation: 0 added, 1 removed, 2 changed, 3 changed for all of its type
///     4  1  type: 2 is Bluetooth       6  1  soft block      7  1  hard block
struct RadioSwitches {
  static let eventSize = 8
  static let bluetoothType: UInt8 = 2
  /// A machine has a handful; only a broken kernel would add them without end.
  static let limit = 64

  private struct Entry {
    var name: String
    var soft: Bool
    var hard: Bool
  }
  private var switches: [UInt32: Entry] = [:]

  /// Applies one event; `name` looks up the name of the switch. Returns whether a Bluetooth switch changed.
  mutating func apply(_ event: [UInt8], name: (UInt32) -> String) -> Bool {
    guard event.count >= Self.eventSize, event[4] == Self.bluetoothType else { return false }
    let number = event.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    switch event[5] {
    case 0, 2:
      if switches[number] == nil, switches.count >= Self.limit { return false }
      switches[number] = Entry(name: switches[number]?.name ?? name(number), soft: event[6] != 0, hard: event[7] != 0)
    case 1: switches[number] = nil
    default: return false
    }
    return true
  }

  /// Block of an adapter: by its own switch, or by a platform switch without an adapter in its name.
  func block(of adapter: String) -> RadioBlock? {
    let concerned = switches.values.filter { $0.name == adapter || !$0.name.hasPrefix("hci") }
    if concerned.contains(where: \.hard) { return .hard }
    return concerned.contains(where: \.soft) ? .soft : nil
  }

  /// Events that lift the soft blocks of an adapter.
  func unblocking(_ adapter: String) -> [[UInt8]] {
    switches.filter { $0.value.soft && ($0.value.name == adapter || !$0.value.name.hasPrefix("hci")) }.keys.sorted().map
    { number in
      withUnsafeBytes(of: number) { Array($0) } + [Self.bluetoothType, 2, 0, 0]
    }
  }
}

/// Keeps `RadioSwitches` up to date from the kernel's device.
@LoopActor
final class RadioSwitchWatch {
  private let descriptor: Int32
  private let nameOf: (UInt32) -> String
  private let changed: @LoopActor () -> Void
  private var watch: Watch?
  private(set) var switches = RadioSwitches()

  /// Takes over an open, non-blocking descriptor and reads the present state at once.
  init(
    loop: EpollLoop, descriptor: Int32, nameOf: @escaping (UInt32) -> String, changed: @escaping @LoopActor () -> Void
  ) {
    self.descriptor = descriptor
    self.nameOf = nameOf
    self.changed = changed
    _ = drain()
    watch = loop.watch(descriptor, for: .readable) { [weak self] readiness in self?.handle(readiness) }
  }

  /// Opens the kernel's device; nil if it is missing or access is denied.
  static func open(loop: EpollLoop, changed: @escaping @LoopActor () -> Void) -> RadioSwitchWatch? {
    var descriptor = hearth_open("/dev/rfkill", O_RDWR | O_NONBLOCK | O_CLOEXEC, 0)
    if descriptor < 0 { descriptor = hearth_open("/dev/rfkill", O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0) }
    if descriptor < 0 { return nil }
    return RadioSwitchWatch(
      loop: loop, descriptor: descriptor, nameOf: { readSmallFile("/sys/class/rfkill/rfkill\($0)/name") ?? "" },
      changed: changed)
  }

  func unblock(_ adapter: String) -> Bool {
    let events = switches.unblocking(adapter)
    return !events.isEmpty
      && events.allSatisfy { event in
        event.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == event.count }
      }
  }

  func end() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    close(descriptor)
  }

  private func handle(_ readiness: Readiness) {
    let moved = drain()
    if !readiness.isDisjoint(with: [.hungUp, .failed]) { end() }
    if moved { changed() }
  }

  private func drain() -> Bool {
    var moved = false
    var event = [UInt8](repeating: 0, count: RadioSwitches.eventSize)
    for _ in 0..<RadioSwitches.limit {
      let count = event.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count != RadioSwitches.eventSize { break }
      if switches.apply(event, name: nameOf) { moved = true }
    }
    return moved
  }
}

/// The first line of a file of /sys or /proc; nil if it cannot be read.
func readSmallFile(_ path: String) -> String? {
  let descriptor = hearth_open(path, O_RDONLY | O_CLOEXEC, 0)
  if descriptor < 0 { return nil }
  defer { close(descriptor) }
  return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count < 0 { return nil }
    return String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
