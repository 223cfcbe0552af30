import Bluetooth
import Foundation
import Health
import PolarMessages
import Testing
import Wearable

@testable import PolarFamily

@Suite("Files of a wearable that means harm")
struct HostileFileTests {
  private let exercise = "/U/0/20260408/E/163020/00/"

  /// Reads a file as a visit does.
  ///
  /// - Returns: how many turns it took, and why it is no file; nil: it is one.
  private func read(_ path: String, _ bytes: [UInt8]) throws -> (turns: Int, defect: FileContents.Defect?) {
    let reader = FileReader(try #require(PolarFile(path: path)))
    var turns = 0
    while true {
      turns += 1
      let step: Result<FileContents?, FileContents.Defect> = bytes.withUnsafeBytes { bytes in
        do throws(FileContents.Defect) { return .success(try reader.next(bytes)) } catch { return .failure(error) }
      }
      switch step {
      case .success(nil): continue
      case .success: return (turns, nil)
      case .failure(let defect): return (turns, defect)
      }
    }
  }

  private func varint(_ number: Int) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(content.count) + content
  }

  private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in bytes } }

  private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-9"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let thread = Thread {
      input.fileHandleForWriting.write(Data(bytes))
      try? input.fileHandleForWriting.close()
    }
    thread.start()
    let packed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(packed)
  }

  @Test("A day of all sensors, every second, is read, in many turns")
  func longest() throws {
    let seconds = 86_400
    let heart = field(2, [UInt8](repeating: 72, count: seconds))
    let floats = [6, 8, 9, 11].flatMap { field($0, [UInt8](repeating: 0x40, count: 4 * seconds)) }
    let strides = field(13, [UInt8](repeating: 90, count: seconds))
    let file = field(1, [0x18, 1]) + heart + field(4, [UInt8](repeating: 80, count: seconds)) + floats + strides
    let (turns, defect) = try read(exercise + "SAMPLES.GZB", try packed(file))
    #expect(defect == nil)
    #expect(turns > file.count / (2 * FileReader.unpackedSlice))
    let contents = try packed(file).withUnsafeBytes { bytes in
      try FileContents(try #require(PolarFile(path: exercise + "SAMPLES.GZB")), bytes)
    }
    // Handed on two thousand at a time, the same as at once.
    let (parts, whole) = (Counter(), Counter())
    var runs = try #require(contents.runs(of: PolarFile(path: exercise + "SAMPLES.GZB")!, exerciseStart: 0))
    var most = 0
    while true {
      let before = parts.count
      let isMore = runs.next(2000, into: parts)
      most = max(most, parts.count - before)
      if !isMore { break }
    }
    contents.append(
      of: PolarFile(path: exercise + "SAMPLES.GZB")!, UnsafeRawBufferPointer(start: nil, count: 0), exerciseStart: 0,
      to: whole)
    #expect(parts.sum == whole.sum && parts.count == whole.count && parts.count == 7 * seconds)
    #expect(most <= 2000)
  }

  @Test("A gzip bomb is refused when it has become what no wearable holds, and little is unpacked for it")
  func bomb() throws {
    // 32 MiB of one field, of many, and of zeros.
    for content in [
      field(2, [UInt8](repeating: 1, count: 32 << 20)), repeated(field(3, []), 4 << 20), repeated([0x78, 1], 8 << 20),
    ] {
      let (turns, defect) = try read(exercise + "SAMPLES.GZB", try packed(content))
      #expect(defect == .tooLarge || defect == .compression(.tooLarge), "\(String(describing: defect))")
      #expect(turns < 200)
    }
    // Members without content, 20 bytes each.
    let empty = try packed([])
    let (turns, _) = try read(exercise + "SAMPLES.GZB", repeated(empty, (1 << 20) / empty.count))
    #expect(turns > 1000, "eight at a time")
  }

  @Test("Only recordings of movement and of light may have what the hub keeps of one item")
  func sizes() {
    func limit(_ name: String) -> Int { PolarFiles.sizeLimit(of: "/U/0/20260408/R/163020/\(name)0.REC") }
    for name in ["ACC", "GYRO", "MAG", "PPG"] { #expect(limit(name) == 8 << 20) }
    for name in ["HR", "PPI", "TEMP", "SKINTEMP"] { #expect(limit(name) == 3 << 19) }
    #expect(PolarFiles.sizeLimit(of: automatic) == 256 << 10)
  }

  private let automatic = "/U/0/AUTOS/AUTOS000.BPB"

  @Test("Messages of two bytes, and lists in many pieces, are counted before they are read")
  func amplified() throws {
    let files: [(String, [UInt8])] = [
      ("/U/0/20260408/ACT/ASAMPL0.BPB", repeated(field(7, []), 60_000)),
      ("/U/0/20260408/ACT/ASAMPL0.BPB", repeated(field(5, [1]), 40_000)),
      ("/U/0/20260408/ACT/ASAMPL0.BPB", field(5, [UInt8](repeating: 1, count: 100_000))),
      ("/U/0/AUTOS/AUTOS000.BPB", repeated(field(2, []), 120_000)),
      ("/U/0/AUTOS/AUTOS000.BPB", field(2, repeated(field(3, [1]), 80_000))),
      ("/U/0/AUTOS/AUTOS000.BPB", repeated(field(3, field(3, repeated(field(1, [1]), 60))), 1_000)),
      ("/U/0/20260408/SLEEP/SLEEPRES.BPB", repeated(field(5, []), 30_000)),
      (exercise + "SAMPLES.BPB", repeated(field(22, []), 500_000)),
      (exercise + "SAMPLES.BPB", repeated(field(29, []), 500_000)),
      (exercise + "ROUTE.BPB", repeated(field(8, []), 500_000)),
      (exercise + "SAMPLES2.GZB", try packed(field(1, repeated(field(3, []), 300_000)))),
      (exercise + "BASE.BPB", repeated(field(24, []), 8_000)),
    ]
    for (path, bytes) in files {
      let (turns, defect) = try read(path, bytes)
      // A single one of them is within all bounds: many sessions of few values.
      #expect(defect == .tooLarge || defect == nil && path.hasPrefix("/U/0/AUTOS/"), "\(path): \(turns) turns")
    }
  }

  @Test("Listings, answers and notifications have as many entries and bytes as they may, and no more")
  func listings() {
    let entry = field(1, field(1, Array("A".utf8)) + [0x10, 1])
    #expect(repeated(entry, 20).withUnsafeBytes { PSFTP.Directory($0) }?.refused == 19)
    #expect(repeated(entry, 2001).withUnsafeBytes { PSFTP.Directory($0) } == nil)
    #expect(repeated(field(1, []), 30_000).withUnsafeBytes { PSFTP.Directory($0) } == nil)
    #expect(throws: MalformedMessage()) { try PbDeviceInfo(wire: repeated(field(18, []), 2100)) }
    #expect(throws: MalformedMessage()) { try PbDeviceInfo(wire: field(18, [UInt8](repeating: 65, count: 20_000))) }
  }

  @Test("Whatever bytes come, reading ends, and what was read costs no more than its bounds say")
  func random() throws {
    let kinds = [
      "SAMPLES.BPB", "SAMPLES2.GZB", "ROUTE.BPB", "ROUTE2.BPB", "BASE.BPB", "SAMPLES.GZB", "ROUTE2.GZB",
    ].map { exercise + $0 }
    for _ in 0..<300 {
      let path = try #require(kinds.randomElement())
      var bytes: [UInt8] = []
      while bytes.count < Int.random(in: 0..<4000) {
        let content = (0..<Int.random(in: 0..<40)).map { _ in UInt8.random(in: 0...255) }
        bytes += Bool.random() ? field(Int.random(in: 1...33), content) : content
      }
      let sent = path.hasSuffix("GZB") ? try packed(bytes) : bytes
      let (turns, _) = try read(path, sent)
      #expect(turns < 100)
    }
  }

  private final class Counter: ItemSink {
    var count = 0
    var sum: Int64 = 0
    func append(
      _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
    ) {
      count += 1
      for number in [Int64(series.id), deviceTime] + values { sum = sum &* 31 &+ number }
    }
    func noteAnomaly(_ what: StaticString) {}
  }
}
