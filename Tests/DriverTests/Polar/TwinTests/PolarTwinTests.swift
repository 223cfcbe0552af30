import Bluetooth
import CNettle
import EventLoop
import Foundation
import PolarMessages
import Simulation
import SwiftProtobuf
import Testing

@testable import PolarTwin

@Suite("The simulated Polar wearable")
struct PolarTwinTests {
  @Test("says what it is and what it measures", arguments: PolarTraits.Model.allCases)
  func identity(_ model: PolarTraits.Model) throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, model)
      try await bench.connect()
      #expect(try await bench.read(0x2A26) == Array(bench.wearable.traits.firmware.utf8))
      let features = try await bench.read(PolarUUID.pmdControl)
      #expect(features.first == 0x0F && features.count == 3)
      #expect((features[2] & 0x20 != 0) == (model == .veritySense || model == .band360))
      let device = try PbDeviceInfo(wire: try #require(try await bench.get("/DEVICE.BPB")))
      #expect(device.modelName == "Polar " + model.rawValue)
      let data = bench.wearable.advertisingData.withUnsafeBytes { AdvertisingData($0) }
      #expect(data.services == [0x180D, 0xFEEE] && data.manufacturerData.first?.company == 0x6B)
    }
  }

  @Test func `serves files and directories, and says 103 for what is not there`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .veritySense)
      let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      bench.wearable.put("/U/0/20240517/R/101010/ACC0.REC", content)
      try await bench.connect()
      #expect(try await bench.list("/U/0/") == ["20240517/"])
      #expect(try await bench.list("/U/0/20240517/R/101010/") == ["ACC0.REC"])
      #expect(try await bench.get("/U/0/20240517/R/101010/ACC0.REC") == content)
      try await loop.sleep(for: .seconds(1))
      #expect(bench.wearable.files["/U/0/20240517/R/101010/ACC0.REC"]?.servedAt != nil)
      #expect(try await bench.ask(.get, "/U/0/20250101/")?.code == 103)
      #expect(try await bench.ask(.remove, "/nothing")?.code == 103)
      #expect(try await bench.ask(.remove, "/U/0/20240517")?.code == 0)
      #expect(
        bench.wearable.files.list("/U/0/") == nil && bench.wearable.files.lost.isEmpty
          && bench.wearable.everHeld == [[content]])
    }
  }

  @Test func `takes files in many packets, and remembers what was removed unserved`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .band360)
      try await bench.connect()
      let content = [UInt8](repeating: 0xA5, count: 3000)
      #expect(try await bench.ask(.put, "/U/0/S/PHYSDATA.BPB", content)?.code == 0)
      #expect(try await bench.get("/U/0/S/PHYSDATA.BPB") == content)
      bench.wearable.put("/U/0/20240517/ACT/ASAMPL0.BPB", [1, 2, 3])
      #expect(try await bench.ask(.remove, "/U/0/20240517/")?.code == 0)
      #expect(bench.wearable.files.lost == ["/U/0/20240517/ACT/ASAMPL0.BPB"])
    }
  }

  @Test func `wants a bond if its model does`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .band360)
      try await bench.connect(subscribing: false)
      let refused = try #require(try await bench.subscribe(PolarUUID.mtu))
      #expect(refused[0] == 0x01 && refused[4] == 0x05)
      let bearer = try #require(bench.bearer)
      try await bench.radio.secure(bearer)
      #expect(try await bench.subscribe(PolarUUID.mtu) == [0x13])
    }
  }

  @Test func `is busy while it trains`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .watch)
      try await bench.connect()
      bench.wearable.startTraining()
      #expect(try await bench.query(13)?.code == 202)
      #expect(try await bench.ask(.get, "/")?.code == 202)
      bench.wearable.endTraining()
      #expect(try await bench.query(13)?.code == 0)
      try await loop.sleep(for: .seconds(1))
      #expect(bench.values(PolarUUID.d2h) == [[0x02, 5, 8, 1], [0x02, 5, 8, 0]])
    }
  }

  @Test func `keeps local time, drifts, and loses it with its power`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .band360) {
        $0.clockDrift = 100
        $0.clockError = nil
      }
      try await bench.connect()
      var time = PbPFtpSetLocalTimeParams()
      (time.date.year, time.date.month, time.date.day) = (2022, 12, 11)
      (time.time.hour, time.time.minute, time.time.seconds) = (8, 0, 0)
      time.tzOffset = 120
      #expect(try await bench.query(3, time.wire())?.code == 0)
      let set = try #require(bench.wearable.timesSet.first)
      #expect(set.local == 724_060_800_000_000_000)
      #expect(bench.wearable.clock.now(at: set.at + .seconds(10_000)) - set.local == 10_001_000_000_000)
      try await bench.loop.sleep(for: .seconds(60))
      let read = try PbPFtpSetLocalTimeParams(wire: try #require(try await bench.query(4)).content)
      #expect(read.date.day == 11 && read.time.minute == 1 && read.tzOffset == 120)
      bench.wearable.powerOff()
      bench.wearable.powerOn()
      #expect(bench.wearable.clock.now(at: loop.now) == PolarClock.unset)
    }
  }

  @Test func `streams heart waves and movement at once, every sample as its ledger says`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .h10)
      try await bench.connect()
      #expect(try await bench.command([1, 0]).parameters == [0, 1, 130, 0, 1, 1, 14, 0])
      #expect(try await bench.command([2, 0, 0, 1, 130, 0, 1, 1, 14, 0]).status == 0)
      #expect(try await bench.command([2, 2, 0, 1, 200, 0, 1, 1, 16, 0, 2, 1, 4, 0]).status == 0)
      #expect(try await bench.command([2, 2, 0, 1, 200, 0]).status == 6)
      try await loop.sleep(for: .seconds(30))
      #expect(try await bench.command([3, 0]).status == 0)
      #expect(try await bench.command([3, 2]).status == 0)
      for run in bench.wearable.liveRuns {
        let frames = bench.values(PolarUUID.pmdData).filter { $0[0] == run.signal.kind.rawValue }
        let samples = frames.flatMap {
          PlainFrame.raw($0, size: run.signal.kind == .ecg ? 3 : 2, channels: run.signal.kind.channels)
        }
        #expect(samples.count >= 29 * run.rate && run.delivered == [0..<samples.count])
        #expect(samples == samples.indices.map { run.signal.sample($0) })
        #expect(PlainFrame.time(try #require(frames.last)) == run.time(of: samples.count - 1))
      }
    }
  }

  @Test func `compresses what newer models stream, without loss`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .veritySense)
      try await bench.connect()
      #expect(
        try await bench.command([2, 2, 0, 1, 52, 0, 1, 1, 16, 0, 2, 1, 8, 0, 4, 1, 3]) == (0, [5, 1, 0, 0, 0x80, 0x3F]))
      #expect(try await bench.command([2, 1, 0, 1, 55, 0, 1, 1, 22, 0, 4, 1, 4]).status == 0)
      #expect(try await bench.command([2, 3]).status == 0)
      #expect(try await bench.command([2, 9]).status == 12, "no other mode while it streams")
      try await loop.sleep(for: .seconds(60))
      for run in bench.wearable.liveRuns {
        let frames = bench.values(PolarUUID.pmdData).filter { $0[0] == run.signal.kind.rawValue }
        #expect(frames.isEmpty == false)
        guard run.signal.kind != .ppi else { continue }
        let samples = frames.flatMap {
          PlainFrame.compressed($0, size: run.signal.kind == .ppg ? 3 : 2, channels: run.signal.kind.channels)
        }
        #expect(samples == samples.indices.map { run.signal.sample($0) } && samples.count > 55 * run.rate)
      }
    }
  }

  @Test func `records offline into files that grow, in parts, and lists them`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .veritySense) { $0.partSize = 20_000 }
      try await bench.connect()
      #expect(try await bench.command([2, 0x82, 0, 1, 52, 0, 1, 1, 16, 0, 2, 1, 8, 0, 4, 1, 3]).status == 0)
      #expect(try await bench.command([2, 0x8E]).status == 0)
      #expect(try await bench.command([5]).parameters.contains(0x82))
      #expect(try await bench.command([2, 2, 0, 1, 52, 0]).status == 6)
      #expect(try await bench.get("/PMDFILES.TXT") == nil, "nothing is there at once")
      try await bench.hangUp()
      try await loop.sleep(for: .seconds(300))
      try await bench.connect()
      let early = String(decoding: try #require(try await bench.get("/PMDFILES.TXT")), as: UTF8.self)
      #expect(early.contains("/ACC0.REC") && early.contains("/HR0.REC"))
      let folder = try #require(early.split(separator: " ").last { $0.contains("ACC0") }).prefix { !$0.isNewline }
        .dropLast("ACC0.REC".count)
      #expect(try await bench.ask(.remove, String(folder))?.code == 106)
      #expect(bench.wearable.removalsOfRunning.count == 1)
      try await loop.sleep(for: .seconds(300))
      #expect(try await bench.command([3, 2]).status == 0)
      #expect(try await bench.command([3, 14]).status == 0)
      #expect(try await bench.command([3, 14]).status == 6)

      var samples: [[Int32]] = []
      var part = 0
      while let file = try await bench.get(folder + "ACC\(part).REC") {
        // Strategy, header, start, settings, no security.
        #expect(Array(file[1..<5]) == [0x2B, 0x4C, 0x7C, 0x3D] && file[27] == UInt8(ascii: " ") && file[36] == 0)
        let settings = Int(file[37])
        var offset = 38 + settings + 1
        while offset + 2 <= file.count {
          let size = Int(file[offset]) | Int(file[offset + 1]) << 8
          samples += PlainFrame.compressed(Array(file[(offset + 2)..<(offset + 2 + size)]), size: 2, channels: 3)
          offset += 2 + size
        }
        #expect(offset == file.count)
        part += 1
      }
      let run = try #require(bench.wearable.recordedRuns.first { $0.signal.kind == .acc })
      #expect(part == bench.wearable.files.files.count { $0.path.contains("/ACC") } && part > 1)
      #expect(run.delivered == [0..<samples.count])
      #expect(samples.count >= 599 * 52)
      #expect(samples == samples.indices.map { run.signal.sample($0) })
    }
  }

  @Test func `encrypts a recording if it is given a key, and refuses if its model cannot`() throws {
    try VirtualLoop.run { loop in
      let key = (0..<16).map { UInt8($0 * 3) }
      let bench = try await PolarBench(loop, .veritySense)
      try await bench.connect()
      #expect(try await bench.command([2, 0x8E, 6, 1, 2] + key).status == 0)
      try await loop.sleep(for: .seconds(100))
      #expect(try await bench.command([3, 14]).status == 0)
      let run = try #require(bench.wearable.recordedRuns.first)
      let path = try #require(bench.wearable.files.files.first { $0.path.hasSuffix("HR0.REC") }?.path)
      let file = try #require(try await bench.get(path))
      #expect(file[0] == 2)
      var context = aes128_ctx()
      nettle_aes128_set_decrypt_key(&context, key)
      // Header 16, start 20, no settings 1, security 3 and 8 to fill; size 2 and 14.
      var plain = [UInt8](repeating: 0, count: 64)
      nettle_aes128_decrypt(&context, 64, &plain, Array(file[1..<65]))
      #expect(
        Array(plain[0..<4]) == [0x2B, 0x4C, 0x7C, 0x3D] && plain[36] == 0 && plain[37] == 2 && plain[38] == 1
          && plain[40] == 8 && plain[50] == 14)
      let payload = file[65...].map { $0 ^ key[Int(plain[39])] }
      var rates: [Int32] = []
      var (offset, size) = (0, Int(plain[48]) | Int(plain[49]) << 8)
      while offset < payload.count {
        rates += payload[(offset + 10)..<(offset + size)].map { Int32($0) }
        offset += size
        if offset + 2 <= payload.count { size = Int(payload[offset]) | Int(payload[offset + 1]) << 8 }
        offset += 2
      }
      #expect(rates.count >= 99 && rates == rates.indices.map { run.signal.sample($0)[0] })

      let band = try await PolarBench(loop, .band360)
      try await band.connect()
      #expect(try await band.command([2, 0x83, 6, 1, 2] + key).status == 3)
    }
  }

  @Test func `begins to record by itself when it is armed and started again, and not if memory is short`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .band360)
      try await bench.connect()
      #expect(try await bench.command([8, 1]).status == 0)
      #expect(try await bench.command([9, 1, 3, 0]).status == 0)
      #expect(try await bench.command([7]).parameters.prefix(1) == [1])
      bench.wearable.reboot()
      #expect(bench.wearable.runningRecordings == [.ppi])
      let full = try await PolarBench(loop, .band360) { $0.memory = 1_900_000 }
      try await full.connect()
      #expect(try await full.command([2, 0x83]).status == 14)
    }
  }

  @Test func `keeps the days of its wearer, today growing, and nights when they are over`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .band360) { $0.daysBefore = 2 }
      try await bench.connect()
      let days = try await bench.list("/U/0/").filter { $0.count == 9 }
      #expect(days.count >= 2)
      let first = try PbActivitySamples(
        serializedBytes: try #require(try await bench.get("/U/0/" + days[0] + "ACT/ASAMPL0.BPB")), partial: true)
      #expect(first.stepsSamples.count == 1440)
      #expect(try await bench.list("/U/0/AUTOS/").count >= 2)
      #expect(try await bench.list("/U/0/" + days[1]).contains("SLEEP/"))
      let today = try #require(days.last)
      func steps() async throws -> Int {
        #expect(try await bench.query(13)?.code == 0)
        try await bench.write(PolarUUID.h2d, [0x02, 8])
        try await bench.write(PolarUUID.h2d, [0x02, 0])
        return try PbActivitySamples(
          serializedBytes: try await bench.get("/U/0/" + today + "ACT/ASAMPL0.BPB") ?? [], partial: true
        ).stepsSamples.count
      }
      let before = try await steps()
      try await loop.sleep(for: .seconds(600))
      #expect(try await steps() == before + 10)
      #expect(bench.wearable.files["/U/0/" + today + "ACT/ASAMPL0.BPB"]?.isWhole == false)
      try await bench.hangUp()
      #expect(bench.wearable.leftSynchronising == 1)
    }
  }

  @Test func `records exercises of a strap under their names, one at a time`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .h10)
      try await bench.connect()
      var start = PbPFtpRequestStartRecordingParams()
      start.sampleType = .sampleTypeHeartRate
      start.recordingInterval.seconds = 1
      start.sampleDataIdentifier = "morning"
      #expect(try await bench.query(14, start.wire())?.code == 0)
      #expect(try await bench.query(14, start.wire())?.code == 106)
      try await loop.sleep(for: .seconds(120))
      let status = try PbRequestRecordingStatusResult(wire: try #require(try await bench.query(16)).content)
      #expect(status.recordingOn && status.sampleDataIdentifier == "morning")
      #expect(try await bench.query(15)?.code == 0)
      #expect(try await bench.query(4)?.code == 201)
      #expect(try await bench.list("/").contains("morning/"))
      let samples = try PbExerciseSamples(
        serializedBytes: try #require(try await bench.get("/morning/SAMPLES.BPB")), partial: true)
      #expect((119...122).contains(samples.heartRateSamples.count))
    }
  }

  @Test func `stops an answer that is cancelled, and loses packets on demand`() throws {
    try VirtualLoop.run { loop in
      let bench = try await PolarBench(loop, .veritySense)
      bench.wearable.put("/BIG", [UInt8](repeating: 1, count: 200_000))
      try await bench.connect()
      var operation = PbPFtpOperation()
      operation.command = .get
      operation.path = "/BIG"
      let header = try operation.wire()
      try await bench.write(PolarUUID.mtu, [0x02, UInt8(header.count), 0] + header)
      try await loop.sleep(for: .milliseconds(300))
      try await bench.write(PolarUUID.mtu, [0, 0, 0])
      try await loop.sleep(for: .seconds(1))
      let count = bench.values(PolarUUID.mtu).count
      try await loop.sleep(for: .seconds(5))
      #expect(count > 0 && bench.values(PolarUUID.mtu).count == count && bench.wearable.cancellations == 1)

      let lossy = try await PolarBench(loop, .veritySense) { $0.packetLoss = 0.05 }
      lossy.wearable.put("/BIG", [UInt8](repeating: 1, count: 100_000))
      try await lossy.connect()
      #expect(try await lossy.get("/BIG") == nil)
      #expect(lossy.wearable.files["/BIG"]?.servedAt == nil)
    }
  }

  @Test(
    "gives the date of any day as the calendar does",
    arguments: [0, 58, 59, 60, 365, 366, 8765, 9267, 36_524, -1, -365])
  func calendar(_ day: Int64) throws {
    let date = Date(timeIntervalSince1970: 946_684_800 + Double(day) * 86_400 + 3661)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    let expected = (try #require(parts.year), try #require(parts.month), try #require(parts.day))
    #expect(
      PolarMoment((day * 86_400 + 3661) * 1_000_000_000).dateFolder == "\(expected.0)"
        + String(format: "%02d%02d", expected.1, expected.2))
  }
}
