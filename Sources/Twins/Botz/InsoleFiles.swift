// Files of an insole: their writing, their use of the memory, and their fate.

import Bluetooth
public import EventLoop
import Simulation

/// Part of a file that was sent and arrived.
public struct ServedRange: Sendable, Hashable {
  /// Offset in the file, in bytes.
  public var offset: Int
  /// Length in bytes.
  public var count: Int
  /// Time at which it arrived.
  public var at: Instant
}

/// Activity file, existing or erased.
public struct InsoleFile: Sendable {
  public let id: UInt8
  /// Unique for each file of one insole, even if ids repeat.
  public let generation: Int
  /// Content of the file.
  public internal(set) var bytes: [UInt8]
  /// True while a session writes it.
  public internal(set) var isOpen: Bool
  /// Time at which the session ended.
  public internal(set) var closedAt: Instant?
  /// Adjacent ranges are merged; the newest time counts.
  public private(set) var served: [ServedRange] = []
  /// Time at which it was erased; nil: it exists.
  public internal(set) var erasedAt: Instant?
  /// Index in `everHeld`, and size of that content.
  fileprivate var heldPlace: Int?
  fileprivate(set) var heldSize = 0
  /// Size when it was erased, and whether all of it had arrived at the hub. The bytes themselves are not kept.
  public internal(set) var erasedSize = 0
  /// True once every byte arrived.
  public internal(set) var wasServedWhole = false

  /// Whether every present byte has arrived at the hub, in one part or many.
  public var isServedWhole: Bool {
    var end = 0
    for range in served {
      if range.offset > end { return false }
      end = max(end, range.offset + range.count)
    }
    return end >= bytes.count
  }

  mutating func serve(_ offset: Int, _ count: Int, at instant: Instant) {
    var new = ServedRange(offset: offset, count: count, at: instant)
    var kept: [ServedRange] = []
    for old in served {
      if old.offset + old.count < new.offset || new.offset + new.count < old.offset {
        kept.append(old)
      } else {
        let start = min(old.offset, new.offset)
        let end = max(old.offset + old.count, new.offset + new.count)
        new = ServedRange(offset: start, count: end - start, at: instant)
      }
    }
    kept.append(new)
    served = kept.sorted { $0.offset < $1.offset }
  }
}

/// Format of an activity file, version 3: header, records, footer, all little-endian and packed.
public enum InsoleFormat {
  /// Lengths in bytes.
  public static let headerSize = 53, recordSize = 26, footerSize = 20

  /// `BOTZ`, version, start, rate, firmware, a wearer that is the same on all insoles, battery, advertised UUID.
  public static func header(start: UInt32) -> [UInt8] {
    var bytes: [UInt8] = [0x42, 0x4F, 0x54, 0x5A, 3]
    bytes.append(littleEndian: start)
    bytes.append(littleEndian: UInt32(100))
    bytes += Array("001.07.01".utf8) + [UInt8](repeating: 0, count: 7)
    bytes += [175, 70, 30, 1, 0, 0, 80, 0]
    return bytes + InsoleUUID.advertised.wireBytes
  }

  /// Appends a record of one second of walking or running. The record depends only on session and number.
  public static func append(record number: UInt32, at epoch: UInt32, session: UInt64, to bytes: inout [UInt8]) {
    // A cheap mix of session and number gives enough variety for a decoder, without state.
    var mixed = (session &+ UInt64(number / 20)) &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed >> 29
    let cadence = UInt16(150 + mixed % 30)
    let pace = UInt16(300 + mixed >> 8 % 90)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: epoch)
    bytes.append(littleEndian: cadence)
    bytes.append(littleEndian: pace)
    bytes.append(littleEndian: UInt16(36_000 / UInt32(max(pace, 1))))
    bytes.append(UInt8(bitPattern: Int8(mixed >> 16 & 7) - 4))
    bytes.append(littleEndian: UInt16(220 + mixed >> 20 & 31))
    bytes.append(littleEndian: UInt16(60 + mixed >> 26 & 31))
    bytes.append(contentsOf: [
      UInt8(mixed >> 32 & 3), UInt8(mixed >> 34 & 3), UInt8(mixed >> 36 & 1), UInt8(mixed >> 37 & 1),
      UInt8(mixed >> 38 & 1),
    ])
    bytes.append(UInt8(bitPattern: -Int8(mixed >> 40 & 3)))
    bytes.append(UInt8(6 + mixed >> 44 & 3))
  }

  /// A footer of a session with `count` records.
  public static func footer(end: UInt32, count: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: end)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: count)
    return bytes + [0, 0, 0, 0, 0, 0, 80, 0]
  }
}

/// File system of an insole: ids 1 to 255.
struct InsoleMemory {
  private var slots: [InsoleFile?] = .init(repeating: nil, count: 256)
  /// Erased files, newest last; the newest 512 are kept.
  private(set) var erased: [InsoleFile] = []
  /// Content of every file that was closed or readable while open, in the order in which that first happened; one part
  /// for each time.
  private(set) var everHeld: [HeldContent] = []
  private var nextGeneration = 1
  let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  subscript(id: UInt8) -> InsoleFile? { slots[Int(id)] }
  var files: [InsoleFile] { slots.compactMap(\.self) }
  var used: Int { slots.reduce(0) { $0 + ($1?.bytes.count ?? 0) } }
  var room: Int { max(0, capacity - used) }
  var highestID: UInt8 { UInt8(slots.lastIndex { $0 != nil } ?? 0) }
  /// The highest existing id plus one. After 255 it is 1 again, and that file is appended to.
  var nextID: UInt8 { highestID == 255 ? 1 : highestID + 1 }

  /// Opens a new file for a session, or an existing one to append to it.
  mutating func open(_ id: UInt8, header: [UInt8]) {
    if slots[Int(id)] == nil {
      slots[Int(id)] = InsoleFile(id: id, generation: nextGeneration, bytes: [], isOpen: true)
      nextGeneration += 1
    }
    slots[Int(id)]?.isOpen = true
    slots[Int(id)]?.bytes.append(contentsOf: header)
  }

  mutating func append(_ bytes: [UInt8], to id: UInt8) {
    let fits = min(bytes.count, room)
    slots[Int(id)]?.bytes.append(contentsOf: bytes.prefix(fits))
  }

  mutating func close(_ id: UInt8, at instant: Instant) {
    slots[Int(id)]?.isOpen = false
    slots[Int(id)]?.closedAt = instant
    noteWhole(id)
  }

  mutating func put(_ id: UInt8, _ bytes: [UInt8], at instant: Instant) {
    slots[Int(id)] = InsoleFile(id: id, generation: nextGeneration, bytes: bytes, isOpen: false, closedAt: instant)
    nextGeneration += 1
    noteWhole(id)
  }

  /// Notes that the present content of an open file can be fetched.
  mutating func noteReadable(_ id: UInt8) {
    if let file = slots[Int(id)], file.bytes.count > file.heldSize { noteWhole(id) }
  }

  private mutating func noteWhole(_ id: UInt8) {
    guard let file = slots[Int(id)] else { return }
    let part = Array(file.bytes[file.heldSize...])
    if let place = file.heldPlace { everHeld[place].append(part) } else { everHeld.append([part]) }
    slots[Int(id)]?.heldPlace = file.heldPlace ?? everHeld.count - 1
    slots[Int(id)]?.heldSize = file.bytes.count
  }

  /// Complete content of a file, in the parts in which it was written.
  func content(of file: InsoleFile) -> HeldContent { file.heldPlace.map { everHeld[$0] } ?? [] }

  /// Time since which the oldest unfetched file is waiting.
  var oldestUnserved: Instant? {
    var oldest: Instant?
    for case let file? in slots where !file.isOpen && !file.isServedWhole {
      if let closed = file.closedAt, oldest.map({ closed < $0 }) ?? true { oldest = closed }
    }
    return oldest
  }

  mutating func serve(_ id: UInt8, generation: Int, offset: Int, count: Int, at instant: Instant) {
    guard slots[Int(id)]?.generation == generation else { return }
    slots[Int(id)]?.serve(offset, count, at: instant)
  }

  mutating func eraseAll(at instant: Instant) {
    for index in slots.indices {
      guard var file = slots[index] else { continue }
      file.erasedAt = instant
      file.erasedSize = file.bytes.count
      file.wasServedWhole = file.isServedWhole
      file.bytes = []
      erased.append(file)
      slots[index] = nil
    }
    if erased.count > 512 { erased.removeFirst(erased.count - 512) }
  }
}
