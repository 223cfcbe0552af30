// What a wearable is asked about itself: room, versions, whether it records.

import EventLoop
import GATTServices
import PolarMessages
import Wearable

extension PSFTP {
  struct DiskSpace: Sendable, Hashable {
    /// Bytes.
    let total: UInt64
    let free: UInt64

    init(_ message: PbPFtpDiskSpaceResult) {
      func bytes(_ fragments: UInt64) -> UInt64 {
        let (product, overflow) = fragments.multipliedReportingOverflow(by: UInt64(message.fragmentSize))
        return overflow ? .max : product
      }
      (total, free) = (bytes(message.totalFragments), bytes(message.freeFragments))
    }
  }

  /// `DEVICE.BPB`.
  struct DeviceInformation: Sendable, Hashable {
    /// `1.2.0`; nil if it does not say.
    let version: String?
    let model: String?
    let hardware: String?
    /// `dm_exercise`.
    let capabilities: [String]

    init(_ message: PbDeviceInfo) {
      let firmware = message.deviceVersion
      version = message.hasDeviceVersion ? "\(firmware.major).\(firmware.minor).\(firmware.patch)" : nil
      model = message.hasModelName ? message.modelName : nil
      hardware = message.hasHardwareCode ? message.hardwareCode : nil
      capabilities = message.capabilities
    }
  }

  /// Of an H10.
  struct RecordingStatus: Sendable, Hashable {
    let isRecording: Bool
    /// Of the exercise that is being recorded, or was last; empty if it has none.
    let name: String

    init(_ message: PbRequestRecordingStatusResult) {
      (isRecording, name) = (message.recordingOn, message.sampleDataIdentifier)
    }
  }

  /// What a strap calls an exercise: 1 to 63 bytes, chosen by who starts it.
  static func isExerciseName(_ name: String) -> Bool { (1...63).contains(name.utf8.count) }
}

extension PSFTPClient {
  /// nil where the wearable does not tell.
  func diskSpace() async throws(VisitTrouble) -> PSFTP.DiskSpace? {
    guard let bytes = try await askWhatDescribes(.getDiskSpace) else { return nil }
    guard let message = try? PbPFtpDiskSpaceResult(wire: bytes) else {
      link.note("a disk space that cannot be read")
      return nil
    }
    return PSFTP.DiskSpace(message)
  }

  /// nil where there is no such file, or none that can be read.
  func deviceInformation() async throws(VisitTrouble) -> PSFTP.DeviceInformation? {
    guard let bytes = try await get(PolarPath.deviceInformation) else { return nil }
    guard let message = try? PbDeviceInfo(wire: bytes) else {
      link.note("a device information that cannot be read")
      return nil
    }
    return PSFTP.DeviceInformation(message)
  }

  // MARK: exercises that an H10 records

  /// What it counts.
  enum StrapSamples: Sendable, Hashable {
    /// Beats per minute, every second or every five.
    case heartRate(everySeconds: UInt32)
    /// Time between beats.
    case intervals
  }

  /// - Throws: `unsupported` for one that cannot be read.
  func recordingStatus() async throws(VisitTrouble) -> PSFTP.RecordingStatus {
    let bytes = try await ask(.requestRecordingStatus)
    guard let status = try? PbRequestRecordingStatusResult(wire: bytes) else {
      throw .unsupported("a recording status that cannot be read")
    }
    return PSFTP.RecordingStatus(status)
  }

  func startRecording(_ samples: StrapSamples, name: String) async throws(VisitTrouble) {
    guard PSFTP.isExerciseName(name) else { throw .unsupported("an exercise is named with 1 to 63 characters") }
    var start = PbPFtpRequestStartRecordingParams()
    switch samples {
    case .heartRate(let seconds):
      start.sampleType = .sampleTypeHeartRate
      start.recordingInterval.seconds = seconds
    case .intervals:
      start.sampleType = .sampleTypeRrInterval
      // It has to be there, and is not looked at.
      start.recordingInterval.seconds = 1
    }
    start.sampleDataIdentifier = name
    guard let parameters = try? start.wire() else { return }
    _ = try await ask(.requestStartRecording, parameters)
  }

  func stopRecording() async throws(VisitTrouble) { _ = try await ask(.requestStopRecording) }
}
