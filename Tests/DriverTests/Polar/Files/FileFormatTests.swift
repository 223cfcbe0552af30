import Bluetooth
import CivilTime
import Foundation
import Health
import PolarMessages
import SwiftProtobuf
import Testing

@testable import DriverTestSupport
@testable import PolarFamily

extension SwiftProtobuf.Message {
  /// As wearables write them: what is missing is missing.
  func partial() throws -> [UInt8] { try serializedBytes(partial: true) }
}

@Suite("Polar's files and their names")
struct FileFormatTests {
  @Test(
    "Paths say what a file is",
    arguments: [
      ("/U/0/20260408/ACT/ASAMPL12.BPB", PolarFile.Kind.activitySamples),
      ("/U/0/20260408/DSUM/DSUM.BPB", .dailySummary),
      ("/U/0/AUTOS/AUTOS000.BPB", .automaticSamples), ("/U/0/20260408/SPO2TEST/083906/SPO2TRES.BPB", .spo2Test),
      ("/U/0/20260408/E/163020/TSESS.BPB", .trainingSession),
      ("/U/0/20260408/E/163020/00/SAMPLES2.GZB", .exerciseSamples2),
      ("/strap one/SAMPLES.BPB", .exerciseSamples), ("/U/0/S/PHYSDATA.BPB", .physicalData),
      ("/U/0/USERID.BPB", .userIdentifier),
    ])
  func paths(path: String, kind: PolarFile.Kind) throws {
    let file = try #require(PolarFile(path: path))
    #expect(file.kind == kind && file.isCompressed == path.hasSuffix(".GZB"))
    #expect((file.day == nil) == !path.contains("20260408"))
  }

  @Test(
    "Paths that name no file of it",
    arguments: [
      "", "/", "U/0/20260408/DSUM/DSUM.BPB", "/U/0/20260431/DSUM/DSUM.BPB", "/U/0/2026040/DSUM/DSUM.BPB",
      "/U/0/20260408/E/243020/TSESS.BPB",
      "/U/0/20260408/E/163020/x/BASE.BPB", "/U/0/AUTOS/AUTOS00A.BPB", "/U/0/20260408/DSUM/DSUM.BPB/", "/SAMPLES.BPB",
      "/U/0/20260408/E/163020/9999999999999999999/BASE.BPB", "/" + String(repeating: "a", count: 300) + "/SAMPLES.BPB",
    ])
  func strangePaths(path: String) { #expect(PolarFile(path: path) == nil) }

  @Test("Compressed files are inflated within their bound, and refused if they are damaged")
  func inflation() throws {
    func inflate(_ hexadecimal: String, limit: Int = Inflation.limit) -> Result<[UInt8], Inflation.Defect> {
      let bytes = [UInt8](hexadecimal: hexadecimal) ?? []
      return bytes.withUnsafeBytes { bytes in
        Result { () throws(Inflation.Defect) in try Inflation.inflate(bytes, limit: limit) }
      }
    }
    let whole = "1f8b0800000000000203e3e2e6601478c1aec59252d1c308000772ca750d000000"
    let content = try inflate(whole).get()
    #expect(content.count == 13)
    #expect(inflate(whole + whole) == .success(content + content), "several members")
    #expect(inflate(whole + "00ff") == .success(content))
    #expect(inflate(whole, limit: 12) == .failure(.tooLarge))
    #expect(inflate("") == .failure(.truncated))
    #expect(inflate(String(whole.dropLast(2))) == .failure(.truncated))
    #expect(inflate("0a0b080110e807") == .failure(.malformed))
    // The checksum.
    #expect(inflate(whole.replacing("0772ca75", with: "0772ca76")) == .failure(.malformed))
    let file = try #require(PolarFile(path: "/U/0/20260408/E/163020/00/SAMPLES2.GZB"))
    #expect(throws: FileContents.Defect.compression(.truncated)) {
      try FileContents(file, UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test("A few bytes that would become very many are refused before they do")
  func bomb() throws {
    // Each member within what deflate can do, all of them beyond what a file may become.
    let member = try zeros(megabytes: 1)
    var many: [UInt8] = []
    for _ in 0..<40 { many += member }
    let result = many.withUnsafeBytes { bytes in
      Result { () throws(Inflation.Defect) in try Inflation.inflate(bytes).count }
    }
    #expect(result == .failure(.tooLarge))
  }

  /// gzip of so many megabytes of zeros, by the system's own.
  private func zeros(megabytes: Int) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "head -c \(megabytes << 20) /dev/zero | gzip -9"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(bytes)
  }

  @Test("Messages that are cut or nest without end are refused; unknown fields stay")
  func messages() throws {
    #expect(throws: MalformedMessage()) { try PbDailySummary(wire: [0x0A, 0x05, 0x08]) }
    var nested: [UInt8] = []
    for _ in 0..<40 { nested = [0x42, UInt8(min(nested.count, 127))] + nested.prefix(127) }
    #expect(throws: MalformedMessage()) { try PbSourceDevice(wire: nested) }
    let strange: [UInt8] = [0x08, 0x01, 0xF8, 0x7F, 0x2A]
    let again = try PbUserIdentifier(wire: strange).wire()
    #expect(again == strange)
    #expect(throws: MalformedMessage()) { try PbDate().wire() }
  }

  @Test("Invalid times have no moment")
  func times() {
    var moment = PbLocalDateTime()
    #expect(moment.moment == nil)
    (moment.date.year, moment.date.month, moment.date.day) = (2024, 2, 29)
    moment.time.hour = 24
    #expect(moment.moment == nil)
    moment.time.hour = 23
    #expect(moment.moment?.microseconds == 1_709_247_600_000_000)
    moment.timeZoneOffset = 841
    #expect(moment.moment?.zoneOffset == nil)
    moment.date.year = .max
    #expect(moment.moment == nil)
    var duration = PbDuration()
    (duration.hours, duration.minutes, duration.seconds, duration.millis) = (.max, .max, .max, .max)
    #expect(duration.milliseconds == Int64(UInt32.max) * 3_661_001 && duration.spacing == nil)
  }

  @Test("Trainings are joined whatever the order of the listing; what has no session is left out")
  func trainings() throws {
    let found: [(path: String, size: UInt64)] = [
      ("/U/0/20250202/E/163020/10/BASE.BPB", 5), ("/U/0/20250202/E/163020/02/ROUTE.GZB", 7),
      ("/U/0/20250202/E/163020/TSESS.BPB", 11),
      ("/U/0/20250202/E/163020/02/BASE.BPB", 13), ("/U/0/20250203/E/163020/00/BASE.BPB", 17),
      ("/U/0/20250101/E/000001/TSESS.BPB", .max),
      ("/U/0/20250101/E/000001/00/BASE.BPB", 1),
    ]
    let sessions = TrainingReference.references(of: found)
    #expect(sessions.map(\.session.path) == ["/U/0/20250101/E/000001/TSESS.BPB", "/U/0/20250202/E/163020/TSESS.BPB"])
    #expect(sessions.last?.exercises.map(\.index) == [2, 10])
    #expect(sessions.last?.files.map(\.size) == [11, 7, 13, 5])
    #expect(sessions.map(\.size) == [.max, 36])
  }

  @Test("First-time use is written whole, within its ranges, and known by its identifier")
  func firstUse() throws {
    let birthday = try #require(LocalDate(year: 1984, month: 2, day: 29))
    var data = PhysicalData(
      birthday: birthday, gender: .female, weight: 61.5, height: 168, maximumHeartRate: 180, sleepGoal: 480)
    // 2026-04-08T08:39:06Z
    let now: Int64 = 1_775_637_546
    let bytes = try data.message(at: now).wire()
    let read = try PbUserPhysData(wire: bytes)
    #expect(
      read.birthday.value.civil == birthday && read.weight.value == 61.5 && read.sleepGoal.sleepGoalMinutes == 480
        && !read.hasVo2Max)
    #expect(!read.maximumHeartrate.hasSettingSource && !read.lastModified.time.hasMillis)
    for changed in [
      read.birthday.lastModified, read.gender.lastModified, read.typicalDay.lastModified, read.sleepGoal.lastModified,
      read.lastModified,
    ] {
      #expect(changed.microseconds == now * 1_000_000 && changed.trusted)
    }
    let identifier = PbUserIdentifier(firstUse: now)
    #expect(identifier.isFirstUseDone && !PbUserIdentifier().isFirstUseDone)
    let identity = try identifier.wire()
    #expect(identity.starts(with: [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01] as [UInt8]))
    data.weight = 14.9
    #expect(throws: PhysicalData.Part.weight) { try data.message(at: now) }
    data.weight = .nan
    #expect(throws: PhysicalData.Part.weight) { try data.message(at: now) }
    (data.weight, data.vo2Max) = (60, 96)
    #expect(throws: PhysicalData.Part.vo2Max) { try data.message(at: now) }
  }
}
