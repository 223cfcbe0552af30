import Foundation
import Testing

@testable import BandTwin

@Suite("Bytes of the virtual FitCloud band")
struct FitCloudWireTests {
  @Test("checksums are those of the vectors")
  func checksums() throws {
    for vector in try BandVector.all("fc-crc") {
      #expect(Int(FitCloudWire.checksum(vector.bytes)) == vector.expect["crc16"] as? Int)
    }
  }

  @Test("times are packed and read as in the vectors, and an invalid time gives nil")
  func times() throws {
    for vector in try BandVector.all("fc-time") {
      let seconds = try #require(FitCloudWire.seconds(vector.bytes))
      #expect(FitCloudWire.time(seconds) == vector.bytes)
      #expect(Self.text(seconds) == vector.expect["local"] as? String)
    }
    // The 31st of April, and 24 o'clock.
    #expect(FitCloudWire.seconds(hex("693E0000")) == nil && FitCloudWire.seconds(hex("68C38000")) == nil)
    #expect(FitCloudWire.seconds([]) == nil)
  }

  @Test("frames and acknowledgements are made and read as in the vectors")
  func frames() throws {
    for vector in try BandVector.all("fc-frame") + BandVector.all("fc-ack") {
      var input = FitCloudInput()
      let number = try #require(vector.expect["seq"] as? Int)
      if vector.expect["ack"] as? Bool == true {
        let isError = vector.expect["error"] as? Bool == true
        #expect(input.take(vector.bytes) == [.acknowledgement(number: UInt16(number), isError: isError)])
        #expect(FitCloudWire.acknowledgement(of: UInt16(number), isError: isError) == vector.bytes)
        continue
      }
      let items = try #require(vector.expect["items"] as? [[String: Any]])
      guard case .frame(UInt16(number), let payload)? = input.take(vector.bytes).first,
        let command = FitCloudCommand(payload)
      else {
        Issue.record("\(vector.fields)")
        continue
      }
      #expect(Int(command.command) == vector.expect["cmd"] as? Int)
      #expect(command.items.map { Int($0.key) } == items.map { $0["key"] as? Int })
      #expect(command.items.map(\.value) == items.map { hex($0["value"] as? String ?? "") })
      #expect(FitCloudWire.frame(command.payload, number: UInt16(number)) == vector.bytes)
    }
  }

  @Test("pieces become frames, noise before a frame is skipped, and a frame without its end waits")
  func pieces() throws {
    for vector in try BandVector.all("fc-asm") where vector.fields["pdus"] != nil {
      var input = FitCloudInput()
      let pieces = try #require(vector.fields["pdus"] as? [String])
      let replies = pieces.flatMap { input.take(hex($0)) }.compactMap { event -> [UInt8]? in
        guard case .frame(let number, _) = event else { return nil }
        return FitCloudWire.acknowledgement(of: number)
      }
      #expect(replies == (vector.fields["replies"] as? [String])?.map(hex))
    }
    var input = FitCloudInput()
    #expect(input.take(hex("AB00000902")).isEmpty && input.isContinued)
    input.reset()
    #expect(input.take(hex("AB000006FFFF0005050001000103")) == [.spoiled(number: 5)])
    #expect(FitCloudCommand(hex("0500300010010203")) == nil)
  }

  @Test("the reader of records in these tests reads the vectors")
  func records() throws {
    let sizes = ["steps": 2]
    for vector in try BandVector.all("fc-hist") {
      let type = try #require(vector.expect["type"] as? String)
      let all = try #require(vector.expect["samples"] as? [[String: Any]])
      // More than 3000 steps in a slot are a defect.
      let read = try samples(vector.bytes, size: sizes[type] ?? 1).filter {
        type != "steps" || $0.value[0] < 0x0B || $0.value == [0x0B, 0xB8]
      }
      #expect(read.map { Self.text($0.shown) } == all.map { $0["local"] as? String })
      if type == "sleep" { continue }
      #expect(read.map { $0.value.reduce(0) { $0 << 8 | Int($1) } } == all.map { $0["value"] as? Int })
    }
  }

  @Test("a date is what its seconds say, over all years that fit the wire")
  func dates() {
    for day in stride(from: Int64(10_957), to: 33_900, by: 1) {
      let date = WristDate(day * 86_400 + 3661)
      #expect(date.seconds == day * 86_400 + 3661)
    }
    #expect(WristDate(1_709_164_800) == WristDate(2024, 2, 29))
    #expect(Self.text(WristClock.unsetEpoch) == "2000-01-01T00:00:00")
  }

  static func text(_ seconds: Int64) -> String {
    let date = WristDate(seconds)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d", date.year, date.month, date.day, date.hour, date.minute, date.second)
  }
}
