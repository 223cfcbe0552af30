import EventLoop
import Foundation
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("What a Polar wearable keeps as documents")
struct PolarDocumentTests {
  /// `printf '{"sleep_recording_state": {"enabled": 1}}'`, by gzip and by zlib.
  private static let sleeping = Array(#"{"sleep_recording_state": {"enabled": 1}}"#.utf8)
  private static let sleepingGzip =
    Array(
      hexadecimal:
        """
        1F8B0800000000000203AB562ACE494D2D882F4A4DCE2F4AC9CC4B8F2F2E492C4955B252A8564ACD4B4CCA494D01B20D6B6B\
        01630EB16729000000
        """
    ) ?? []
  private static let sleepingZlib =
    Array(hexadecimal: "789CAB562ACE494D2D882F4A4DCE2F4AC9CC4B8F2F2E492C4955B252A8564ACD4B4CCA494D01B20D6B6B0147740EDE")
    ?? []
  /// Deflate packs it to a thousandth.
  private static let megabyteOfZeros =
    (Array(hexadecimal: "1F8B0800000000000203EDC13101000000C2A0F54F6D085FA0") ?? [])
    + [UInt8](repeating: 0, count: 1016) + (Array(hexadecimal: "3E031CEA38A700001000") ?? [])

  @Test func `says whether sleep is recorded, plain and packed; the last event counts`() throws {
    let awake = Array(#"{"sleep_recording_state": {"enabled": 0}}"#.utf8)
    typealias Sleep = Polar.SleepRecording
    #expect(try Sleep.state(of: [Self.sleeping], isCompressed: false) == true)
    #expect(try Sleep.state(of: [Self.sleeping, awake], isCompressed: false) == false)
    #expect(try Sleep.state(of: [Self.sleepingGzip], isCompressed: true) == true)
    #expect(try Sleep.state(of: [Self.sleepingZlib], isCompressed: true) == true)
    #expect(try Sleep.state(of: [Array("{}".utf8)], isCompressed: false) == nil)
    #expect(try Sleep.state(of: [], isCompressed: false) == nil)
    #expect(throws: DecodeError.outOfRange) { try Sleep.state(of: [awake], isCompressed: true) }
    #expect(throws: DecodeError.outOfRange) { try Sleep.state(of: [Array("[1]".utf8)], isCompressed: false) }
    #expect(throws: DecodeError.empty) { try Sleep.state(of: [[]], isCompressed: false) }
  }

  @Test func `is not unpacked beyond what an event may be`() throws {
    #expect(throws: DecodeError.outOfRange) {
      try Polar.SleepRecording.state(of: [Self.megabyteOfZeros], isCompressed: true)
    }
    for count in 0..<Self.sleepingGzip.count {
      #expect(throws: DecodeError.outOfRange) {
        try Polar.SleepRecording.state(of: [Array(Self.sleepingGzip.prefix(count))], isCompressed: true)
      }
    }
  }

  @Test func `keeps unknown fields in the settings`() throws {
    // general_settings.device_location = 2, automatic measurement with a timed part, last_modified; then field 200 =
    // "new".
    let bytes = try #require(
      Array(hexadecimal: "0A027802 AA0106 0A0408031200 AA06130A0708E80F100518111206080C100018001801 C20C036E6577"))
    var settings = try bytes.withUnsafeBytes { try Polar.DeviceSettings($0) }
    #expect(settings.location == 2 && settings.measuresDayAndNight && settings.usb == nil)
    let moved = settings.setLocation(5)
    let movedNowhere = settings.setLocation(99)
    #expect(moved && !movedNowhere)
    settings.usb = false
    settings.telemetry = true
    settings.measuresDayAndNight = false
    settings.trainingDetection = Polar.DeviceSettings.TrainingDetection(
      isOn: true, sensitivity: 200, minimumDuration: 300)
    let written = try settings.encode()
    let again = try written.withUnsafeBytes { try Polar.DeviceSettings($0) }
    #expect(again == settings)
    #expect(
      again.location == 5 && again.usb == false && again.telemetry == true && !again.measuresDayAndNight
        && again.trainingDetection?.sensitivity == 100)
    let message = try PbUserDeviceSettings(wire: written)
    #expect(!message.automaticMeasurementSettings.automaticOhrMeasurement.hasTimedSettings)
    #expect(hexadecimal(written).contains("C20C036E6577"), "the unknown field")
  }

  @Test func `takes the place of a newer value, which does not go on to count`() throws {
    // device_location = 77, which no definition has.
    let bytes = try #require(Array(hexadecimal: "0A02784DAA06130A0708E80F100518111206080C100018001801"))
    var settings = try bytes.withUnsafeBytes { try Polar.DeviceSettings($0) }
    #expect(settings.location == 77 && PolarChoice.worn.value(in: settings) == "77")
    settings.usb = true
    #expect(try settings.encode().starts(with: bytes.prefix(4)))
    #expect(PolarChoice.worn.set("chest", in: &settings))
    #expect(try settings.encode().starts(with: [0x0A, 0x02, 0x78, 0x05]) && settings.location == 5)
    PolarChoice.worn.restore("77", in: &settings)
    #expect(try settings.encode().starts(with: bytes.prefix(4)))
    #expect(throws: DecodeError.outOfRange) { try [0x0A, 0x05, 0x01].withUnsafeBytes { try Polar.DeviceSettings($0) } }
    #expect(throws: DecodeError.outOfRange) {
      try Polar.DeviceSettings(UnsafeRawBufferPointer(start: nil, count: 0)).encode()
    }
  }

  @Test func `is a script of keys: copied, moved, put together, and bounded however it copies`() throws {
    func value(_ key: UInt32, _ script: String) throws -> [UInt8]? {
      try #require(Array(hexadecimal: script)).withUnsafeBytes { try Polar.KeyValueScript.value(of: key, in: $0) }
    }
    let set = "000100000002000000AABB"
    #expect(try value(2, set + "03 01000000 02000000 05") == [0xAA, 0xBB])
    #expect(
      try value(2, set + "04 01000000 02000000 05") == [0xAA, 0xBB] && value(1, set + "04 01000000 02000000 05") == nil)
    #expect(try value(2, set + "03 01000000 02000000 01 02000000 01000000 CC") == [0xAA, 0xBB, 0xCC])
    #expect(
      try value(1, set + "06 01000000 01 00 01000000 FF 08 01000000 01 00 05") == [0xAA, 0xBB],
      "an index is a value of its own")
    #expect(try value(1, set + "02 01000000 05") == nil && value(7, set) == nil && value(1, "") == nil)
    for count in 1..<11 { #expect(throws: DecodeError.truncated) { try value(1, String(set.prefix(2 * count))) } }
    #expect(throws: DecodeError.outOfRange) { try value(1, "09") }
    // A thousand copies, each a byte longer than the one before.
    let copies = (0..<1000).map { "03 0\($0 % 2 + 1)000000 0\(2 - $0 % 2)000000 01 0\(2 - $0 % 2)000000 01000000 CC" }
      .joined()
    #expect(try value(1, set + copies)?.count == 1002)
  }
}
