// What a small wearable of a test holds, and a clock that is right.

import EventLoop
import PolarMessages
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

extension PocketTransfer {
  /// A wearable with the hub's time, or behind it by so much.
  static func onTime(behind: Duration = .zero, measures: Bool = false) -> PocketTransfer {
    let pocket = PocketTransfer(measures: measures)
    pocket.keepsTime = true
    let time = WallTime(microseconds: pocket.link.hubTime.wall.microseconds - behind.components.seconds * 1_000_000)
    pocket.results[4] = (try? PSFTP.localTime(time, offset: 0).wire()) ?? []
    return pocket
  }

  /// A wearable that can be recognised by its name, and has the right time.
  static func band(_ name: String = "Polar 360 1234567C", measures: Bool = false) -> PocketTransfer {
    let pocket = onTime(measures: measures)
    pocket.link.known.advertisedName = name
    return pocket
  }

  /// A strap without a memory and without a clock.
  static func strap() -> PocketTransfer {
    let pocket = PocketTransfer()
    pocket.link.known.advertisedName = "Polar H10 1234567C"
    (pocket.codes[4], pocket.codes[1]) = (201, 201)
    pocket.recording = nil
    pocket.keepsExercises = true
    return pocket
  }

  /// Heart rate every second: 60, missing, 62.
  static var exercise: [UInt8] {
    var file = PbExerciseSamples()
    file.recordingInterval.seconds = 1
    file.heartRateSamples = [60, 0, 62]
    return (try? file.partial()) ?? []
  }

  /// A day of two minutes: 7 and 8 steps.
  static var activity: [UInt8] {
    var file = PbActivitySamples()
    (file.startTime.date.year, file.startTime.date.month, file.startTime.date.day) = (2020, 1, 1)
    file.startTime.time.hour = 0
    file.startTime.time.minute = 0
    file.startTime.time.seconds = 0
    file.metRecordingInterval.seconds = 30
    file.stepsRecordingInterval.seconds = 60
    file.stepsSamples = [7, 8]
    return (try? file.partial()) ?? []
  }

  /// Acceleration with settings of 52 Hz, in one packet that begins and has two samples of type 1.
  static var recording: [UInt8] {
    var bytes: [UInt8] = [0]
    for word: UInt32 in [0x3D7C_4C2B, 1, 0, 0] { bytes += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    bytes += Array("2020-01-01 10:10:10".utf8) + [0]
    let settings: [UInt8] = [0, 1, 52, 0, 1, 1, 16, 0, 2, 1, 8, 0, 4, 1, 3]
    bytes += [UInt8(settings.count)] + settings + [0]
    let frame: [UInt8] = [2, 0, 0, 0x80, 0x32, 0x5B, 0xA0, 0x5E, 0x08, 1] + [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]
    return bytes + [UInt8(frame.count), 0] + frame
  }
}
