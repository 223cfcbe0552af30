// Files of a hostile imitation of Polar's wearables.

import Bluetooth
import CZlib
import EventLoop
import Glibc
import Health
import PolarFamily
import Wearable

/// Read in slices and passed on 2,000 values a turn. The longest lists that a real watch can hold are among them.
enum HostileFiles {
  static let all = files.map { file in
    HostileCase(name: file.name) {
      let bytes = file.bytes()
      return (bytes.count, { try await Self.read(file.path, bytes) })
    }
  }

  /// A step of reading, so that no pointer outlives a turn.
  private enum Step {
    case more
    case read(FileContents)
    case defect(FileContents.Defect)
  }

  @LoopActor
  private static func read(_ path: String, _ bytes: [UInt8]) async throws -> String {
    guard let path = PolarFile(path: path) else { throw BenchFailure("\(path) is no path") }
    let sink = CountingSink()
    var reader: FileReader? = FileReader(path)
    while true {
      let step = bytes.withUnsafeBytes { bytes in
        do throws(FileContents.Defect) { return (try reader?.next(bytes)).map { Step.read($0) } ?? .more } catch {
          return Step.defect(error)
        }
      }
      switch step {
      case .more: await Task.yield()
      case .defect(let defect): return "refused as \(defect.code)"
      case .read(let contents):
        reader = nil
        await Task.yield()
        guard var runs = contents.runs(of: path, exerciseStart: 0) else {
          bytes.withUnsafeBytes { contents.append(of: path, $0, exerciseStart: 0, to: sink) }
          return "\(sink.count) values"
        }
        while runs.next(2000, into: sink) { await Task.yield() }
        return "\(sink.count) values"
      }
    }
  }

  private final class CountingSink: ItemSink {
    var count = 0
    func append(
      _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
    ) { count += 1 }
    func noteAnomaly(_ what: StaticString) {}
  }
}

private struct HostileFile: Sendable {
  let name: String
  let path: String
  let bytes: @Sendable () -> [UInt8]
}

extension HostileFiles {
  private static let exercise = "/U/0/20260408/E/163020/00/"
  private static let day = "/U/0/20260408/"
  private static let automatic = "/U/0/AUTOS/AUTOS000.BPB"

  private static let files: [HostileFile] = trainings + others

  private static let trainings: [HostileFile] = [
    HostileFile(name: "a day of seven sensors", path: exercise + "SAMPLES.GZB") {
      packed(
        field(1, [0x18, 1]) + field(2, number(72, 86_400)) + field(4, number(80, 86_400))
          + fields([6, 8, 9, 11], number(0x40, 4 * 86_400)) + field(13, number(90, 86_400)))
    },
    HostileFile(name: "a day's route", path: exercise + "ROUTE.GZB") {
      packed(
        field(1, number(100, 86_400)) + many([0x11] + number(0x40, 8), 86_400) + many([0x19] + number(0x40, 8), 86_400)
          + field(4, number(100, 86_400)) + field(5, number(9, 86_400)))
    },
    HostileFile(name: "half a megabyte of lists in a list", path: exercise + "SAMPLES.GZB") {
      packed(field(29, field(4, number(1, 500_000)) + field(5, number(1, 20_000))))
    },
    HostileFile(name: "bomb of one field", path: exercise + "SAMPLES.GZB") { packed(field(2, number(1, 32 << 20))) },
    HostileFile(name: "bomb of empty messages", path: exercise + "SAMPLES.GZB") {
      packed(many(field(22, []), 8 << 20))
    },
    HostileFile(name: "bomb of unknown fields", path: exercise + "SAMPLES.GZB") { packed(many([0x78, 1], 16 << 20)) },
    HostileFile(name: "bomb of long unknown fields", path: exercise + "SAMPLES.GZB") {
      packed(many(field(99, number(0, 1 << 20)), 30))
    },
    HostileFile(name: "members without content", path: exercise + "SAMPLES.GZB") { many(packed([]), 50_000) },
    HostileFile(name: "1.5 MB of empty gaps", path: exercise + "SAMPLES.BPB") { many(field(3, []), 750_000) },
    HostileFile(name: "1.5 MB of one number a list", path: exercise + "SAMPLES.BPB") { many(field(2, [1]), 500_000) },
  ]

  private static let others: [HostileFile] = [
    HostileFile(name: "250 kB of empty sessions", path: automatic) { many(field(2, []), 120_000) },
    HostileFile(name: "250 kB of one number a list", path: automatic) { field(2, many(field(3, [1]), 80_000)) },
    HostileFile(name: "250 kB of rates", path: automatic) {
      field(1, [8, 0xEA, 0x0F, 16, 4, 24, 8])
        + field(2, [8, 1] + field(2, [8, 1, 16, 1, 24, 1]) + field(3, number(60, 250_000)))
    },
    HostileFile(name: "2,000 sessions of 100 rates", path: automatic) {
      field(1, [8, 0xEA, 0x0F, 16, 4, 24, 8]) + sessions(2000, number(60, 100))
    },
    HostileFile(name: "120 kB of changes of activity", path: day + "ACT/ASAMPL0.BPB") { many(field(7, []), 60_000) },
    HostileFile(name: "8,000 steps", path: day + "ACT/ASAMPL0.BPB") {
      field(1, field(1, [8, 0xEA, 0x0F, 16, 4, 24, 8]) + field(2, [8, 0, 16, 0, 24, 0])) + field(2, [0x18, 30])
        + field(3, [16, 1]) + field(5, number(90, 8000))
    },
    HostileFile(name: "60 kB of stages", path: day + "SLEEP/SLEEPRES.BPB") { many(field(5, []), 30_000) },
  ]

  private static func number(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  private static func many(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(bytes.count * count)
    for _ in 0..<count { all += bytes }
    return all
  }

  private static func varint(_ number: Int) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(content.count) + content
  }

  /// Returns fields as gzip.
  private static func fields(_ numbers: [Int], _ content: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    for number in numbers { all += field(number, content) }
    return all
  }

  private static func sessions(_ count: Int, _ rates: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    for session in 0..<count {
      let begin = field(2, [8, UInt8(session / 100), 16, UInt8(session % 60), 24, 1])
      all += field(2, [8, 1] + begin + field(3, rates))
    }
    return all
  }

  private static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    let room = Int(deflateBound(&stream, UInt(bytes.count)))
    return bytes.withUnsafeBytes { bytes in
      [UInt8](unsafeUninitializedCapacity: room) { output, count in
        stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(bytes.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(room)
        deflate(&stream, Z_FINISH)
        count = room - Int(stream.avail_out)
      }
    }
  }
}
