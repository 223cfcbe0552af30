// State of the radio that survives a restart, and files that ask root for actions the daemon may not do itself.

import EventLoop
import Glibc
import LinuxBluetooth

/// Small files beside the store and in the runtime folder. Unreadable files count as missing. A write that fails is
/// ignored, because only convenience depends on it.
struct RadioMemory: Sendable {
  private let state: String
  private let runtime: String?

  /// Uses systemd's folders if it provides them, otherwise the store's parent.
  init(storePath: String) {
    let parent = storePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    state = Self.environment("STATE_DIRECTORY") ?? (parent.isEmpty ? "." : parent)
    runtime = Self.environment("RUNTIME_DIRECTORY")
  }

  /// Times of restarts and reboots that were made to revive the radio.
  var stampFile: String { "\(state)/radio-recoveries" }
  /// File that hearth-radio-reset.path watches; nil outside systemd.
  var helperRequest: String? { runtime.map { "\($0)/radio-reset" } }

  /// Adapter that the first radio had at first; nil: it never had one.
  var firstAdapter: UInt64? { lines(of: firstFile).first.flatMap { UInt64($0, radix: 16) } }

  /// Stored permanently: keys stored before adapters were recorded belong to it.
  func noteFirst(_ adapter: UInt64) {
    if firstAdapter == nil { _ = write("\(String(adapter, radix: 16))\n", to: firstFile) }
  }

  /// Static random addresses for adapters without a public one, by the number of their radio. Made when first needed
  /// and stored permanently, because bonded wearables know the hub by them. nil: the address could not be written.
  func staticAddress(_ place: Int) -> UInt64? {
    var kept = lines(of: staticFile).compactMap { UInt64($0, radix: 16) }.filter(Self.isStatic)
    if kept.indices.contains(place) { return kept[place] }
    guard (0..<Self.lineLimit).contains(place) else { return nil }
    while kept.count <= place { kept.append(Self.randomStatic()) }
    let text = kept.map { "\(String($0, radix: 16))\n" }.joined()
    return write(text, to: staticFile) ? kept[place] : nil
  }

  /// The two top bits are 1; of the others at least one is 0 and one is 1 (Core, volume 6, part B, 1.3.2.1).
  private static func isStatic(_ address: UInt64) -> Bool {
    let random = address & (1 << 46 - 1)
    return address >> 46 == 3 && random != 0 && random != 1 << 46 - 1
  }

  private static func randomStatic() -> UInt64 { 3 << 46 | UInt64.random(in: 1..<(1 << 46 - 1)) }

  private var staticFile: String { "\(state)/radio-static" }

  private var firstFile: String { "\(state)/radio-first" }

  /// Age at which knowledge of a controller expires: adapters get other firmware, and are sold.
  private static let slotMemory: Int64 = 7 * 86_400

  /// Capacity of a controller, as stored last; nil: unknown, or older than a week.
  func slots(of adapter: UInt64, at now: WallTime) -> LearnedSlots? {
    recent(now).first { $0.adapter == adapter }?.slots
  }

  func keep(_ slots: LearnedSlots?, of adapter: UInt64, at now: WallTime) {
    var kept = recent(now).filter { $0.adapter != adapter }
    if let slots { kept.append(SlotLine(adapter: adapter, slots: slots, at: now.microseconds / 1_000_000)) }
    if kept.isEmpty {
      unlink(slotFile)
    } else {
      _ = write(kept.suffix(Self.lineLimit).map(\.text).joined(), to: slotFile)
    }
  }

  /// Highest number of adapters stored.
  private static let lineLimit = 32

  private func recent(_ now: WallTime) -> [SlotLine] {
    // A line with a later time comes from a clock that was ahead, and is still valid.
    lines().filter { $0.at > now.microseconds / 1_000_000 - Self.slotMemory }
  }

  private func lines() -> [SlotLine] { lines(of: slotFile).compactMap { SlotLine($0) } }

  private func lines(of path: String) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0, let file = fdopen(descriptor, "r") else { return [] }
    defer { fclose(file) }
    var found: [String] = []
    var line = [CChar](repeating: 0, count: 64)
    while found.count < Self.lineLimit, fgets(&line, Int32(line.count), file) != nil {
      found.append(
        String(decoding: line.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return found
  }

  /// False if no unit watches the file.
  func askForReboot() -> Bool { runtime.map { write("reboot\n", to: "\($0)/reboot") } ?? false }

  private var slotFile: String { "\(state)/radio-slots" }

  private func write(_ text: String, to path: String) -> Bool {
    // A link is never followed, so that no other file is overwritten.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    guard descriptor >= 0, let file = fdopen(descriptor, "w") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten
  }

  private static func environment(_ name: String) -> String? {
    // systemd may name several folders; the first is ours.
    getenv(name).map { String(cString: $0).split(separator: ":").first.map(String.init) } ?? nil
  }
}

/// Line of the file for one controller: address in hexadecimal, links carried, limit or `-`, and the time in seconds
/// since 1970.
private struct SlotLine {
  let adapter: UInt64
  let slots: LearnedSlots
  let at: Int64

  init(adapter: UInt64, slots: LearnedSlots, at: Int64) {
    self.adapter = adapter
    self.slots = slots
    self.at = at
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 4, let adapter = UInt64(words[0], radix: 16), let carried = Int(words[1]),
      let at = Int64(words[3])
    else { return nil }
    let limit = Int(words[2])
    if limit == nil, words[2] != "-" { return nil }
    self.init(adapter: adapter, slots: LearnedSlots(carried: carried, limit: limit), at: at)
  }

  var text: String {
    "\(String(adapter, radix: 16)) \(slots.carried) \(slots.limit.map { "\($0)" } ?? "-") \(at)\n"
  }
}
