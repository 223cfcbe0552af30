// MCUmgr server of an insole: frames in pieces, a file system of one directory, without protection.

import Bluetooth
import EventLoop

/// Request in a frame, after its header was parsed.
struct SMPFrame {
  static let headerSize = 8
  /// Size of the firmware's net buffer, header included.
  static let limit = 2475

  var operation: UInt8
  /// 0 for the first version of the protocol, 1 for the second.
  var version: UInt8
  var group: UInt16
  var sequence: UInt8
  var command: UInt8
  var body: ArraySlice<UInt8>

  /// Length of the whole frame; nil while the header is incomplete.
  static func length(_ bytes: [UInt8]) -> Int? {
    bytes.count < headerSize ? nil : headerSize + (Int(bytes[2]) << 8 | Int(bytes[3]))
  }

  init?(_ bytes: [UInt8]) {
    guard let length = Self.length(bytes), bytes.count == length else { return nil }
    operation = bytes[0] & 0x07
    version = bytes[0] >> 3 & 0x03
    group = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    sequence = bytes[6]
    command = bytes[7]
    body = bytes[Self.headerSize...]
  }

  func reply(_ body: [UInt8]) -> [UInt8] {
    [
      operation + 1 | version << 3, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), UInt8(group >> 8),
      UInt8(group & 0xFF), sequence, command,
    ] + body
  }
}

/// Reaction of the insole to a frame.
enum SMPAction {
  case reply([UInt8], serves: (id: UInt8, generation: Int, offset: Int, count: Int)?)
  case replyAndReboot([UInt8])
  case silence
}

struct InsoleSMP {
  /// Data bytes of one reply.
  static let chunk = 2431
  /// Codes of the file-system group in the second version; the first version uses others.
  private static let notFound = 3, invalidName = 2, offsetTooLarge = 12

  private let traits: InsoleTraits
  private var pending: [UInt8] = []
  /// Frames that were answered.
  private(set) var frames = 0
  /// Requests that a hub must never send here.
  private(set) var forbidden: [String] = []

  init(_ traits: InsoleTraits) { self.traits = traits }

  mutating func reset() { pending = [] }

  /// Takes a piece of a request. Returns the frame when it is complete.
  mutating func take(_ bytes: some Collection<UInt8>) -> SMPFrame? {
    pending += bytes
    guard let length = SMPFrame.length(pending) else { return nil }
    if length > SMPFrame.limit || pending.count > length {
      pending = []
      return nil
    }
    if pending.count < length { return nil }
    defer { pending = [] }
    return SMPFrame(pending)
  }

  mutating func act(on frame: SMPFrame, _ memory: inout InsoleMemory) -> SMPAction {
    frames += 1
    if traits.conduct == .silentSMP { return .silence }
    switch (frame.group, frame.command, frame.operation) {
    case (8, 0, 0): return download(frame, &memory)
    case (8, 1, 0): return status(frame, memory)
    case (8, 4, 2): return .reply(frame.reply(writer { $0.map(0) { _ in } }), serves: nil)
    case (8, 0, 2):
      note("an upload")
      return .reply(
        frame.reply(
          writer {
            $0.map(1) {
              $0.text("off")
              $0.unsigned(0)
            }
          }), serves: nil)
    case (0, 0, _): return .reply(frame.reply(Array(frame.body)), serves: nil)
    case (0, 5, 2): return .replyAndReboot(frame.reply(writer { $0.map(0) { _ in } }))
    case (0, 6, 0):
      return .reply(
        frame.reply(
          writer {
            $0.map(2) {
              $0.text("buf_size")
              $0.unsigned(SMPFrame.limit)
              $0.text("buf_count")
              $0.unsigned(4)
            }
          }), serves: nil)
    default:
      if frame.group == 1 { note("the image group") }
      return .reply(
        frame.reply(
          writer {
            $0.map(1) {
              $0.text("rc")
              $0.unsigned(8)
            }
          }), serves: nil)
    }
  }

  private mutating func note(_ what: String) { if forbidden.count < 64 { forbidden.append(what) } }

  private func writer(_ content: (inout CBORWriter) -> Void) -> [UInt8] {
    var writer = CBORWriter(isDefinite: traits.repliesWithDefiniteMaps)
    content(&writer)
    return writer.bytes
  }

  private func error(_ code: Int, _ frame: SMPFrame) -> SMPAction {
    if frame.version == 0 {
      let general = code == Self.notFound ? 5 : code == Self.invalidName ? 3 : 1
      return .reply(
        frame.reply(
          writer {
            $0.map(1) {
              $0.text("rc")
              $0.unsigned(general)
            }
          }), serves: nil)
    }
    let body = writer {
      $0.map(1) {
        $0.text("err")
        $0.map(2) {
          $0.text("group")
          $0.unsigned(8)
          $0.text("rc")
          $0.unsigned(code)
        }
      }
    }
    return .reply(frame.reply(body), serves: nil)
  }

  private func file(_ name: String?, _ memory: InsoleMemory) -> InsoleFile? {
    guard let name, let id = InsoleSMP.id(ofPath: name) else { return nil }
    return memory[id]
  }

  static func path(_ id: UInt8, suffix: String = ".dat") -> String {
    let digits = String(id)
    return "/lfs1/hardware/activity_" + String(repeating: "0", count: 3 - digits.count) + digits + suffix
  }

  static func id(ofPath path: String) -> UInt8? {
    let parts = path.split(separator: "_", maxSplits: 1)
    guard parts.count == 2, parts[1].hasSuffix(".dat"), let id = UInt8(parts[1].dropLast(4)), id > 0,
      Self.path(id) == path
    else { return nil }
    return id
  }

  private func status(_ frame: SMPFrame, _ memory: InsoleMemory) -> SMPAction {
    guard let arguments = SMPArguments(frame.body) else { return error(1, frame) }
    guard let name = arguments.name, name.utf8.count <= 64 else { return error(Self.invalidName, frame) }
    guard let file = file(name, memory) else { return error(Self.notFound, frame) }
    let length = traits.conduct == .claimsHugeFile ? 1_000_000_000 : file.bytes.count
    return .reply(
      spoiled(
        frame,
        writer {
          $0.map(1) {
            $0.text("len")
            $0.unsigned(length)
          }
        }), serves: nil)
  }

  private func download(_ frame: SMPFrame, _ memory: inout InsoleMemory) -> SMPAction {
    guard let arguments = SMPArguments(frame.body), var offset = arguments.offset else { return error(1, frame) }
    guard let name = arguments.name, name.utf8.count <= 64 else { return error(Self.invalidName, frame) }
    guard let file = file(name, memory) else { return error(Self.notFound, frame) }
    if traits.conduct == .changesWhileRead, offset > 0 {
      memory.put(file.id, file.bytes.map { $0 ^ 0x55 }, at: file.closedAt ?? Instant(nanoseconds: 0))
      guard let other = memory[file.id] else { return .silence }
      return chunk(of: other, at: offset, arguments, frame)
    }
    if traits.conduct == .offsetsGoBack, offset > 0 { offset = max(0, offset - 100) }
    guard offset <= file.bytes.count || traits.conduct == .claimsHugeFile else {
      return error(Self.offsetTooLarge, frame)
    }
    return chunk(of: file, at: offset, arguments, frame)
  }

  private func chunk(of file: InsoleFile, at offset: Int, _ arguments: SMPArguments, _ frame: SMPFrame) -> SMPAction {
    var data = file.bytes[min(offset, file.bytes.count)...].prefix(Self.chunk)
    var length = file.bytes.count
    if traits.conduct == .emptyChunks, offset > 0 { data = [] }
    if traits.conduct == .claimsHugeFile {
      length = 1_000_000_000
      if data.isEmpty { data = [UInt8](repeating: 0xA5, count: Self.chunk)[...] }
    }
    let body = writer { writer in
      writer.map(offset == 0 ? 3 : 2) {
        $0.text("off")
        $0.unsigned(offset)
        $0.text("data")
        $0.data(data)
        if offset == 0 {
          $0.text("len")
          $0.unsigned(length)
        }
      }
    }
    return .reply(spoiled(frame, body), serves: (file.id, file.generation, offset, data.count))
  }

  /// Reply modified by the insole's conduct.
  private func spoiled(_ frame: SMPFrame, _ body: [UInt8]) -> [UInt8] {
    switch traits.conduct {
    case .brokenCBOR: return frame.reply([0xBF, 0x63, 0x6F, 0x66] + [UInt8](repeating: 0x9F, count: 40))
    case .wrongLengths:
      var bytes = frame.reply(body)
      bytes[3] = bytes[3] &+ 7
      return bytes
    case .wrongSequence:
      var other = frame
      other.sequence &+= 1
      return other.reply(body)
    default: return frame.reply(body)
    }
  }
}
