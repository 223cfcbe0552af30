// Queries about the wearable itself: disk space, versions, and whether it records.

import EventLoop
import GATTServices
import PolarMessages
import Wearable

extension PSFTP {
  struct DiskSpace: Sendable, Hashable {
    /// Bytes, as is `free`.
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

  /// The content of `DEVICE.BPB`.
  struct DeviceInformation: Sendable, Hashable {
    /// `1.2.0`; nil if the file has no version.
    let version: String?
    let model: String?
    let hardware: String?
    /// Names of capabilities, such as `dm_exercise`.
    let capabilities: [String]

    init(_ message: PbDeviceInfo) {
      let firmware = message.deviceVersion
      version = message.hasDeviceVersion ? "\(firmware.major).\(firmware.minor).\(firmware.patch)" : nil
      model = message.hasModelName ? message.modelName : nil
      hardware = message.hasHardwareCode ? message.hardwareCode : nil
      capabilities = message.capabilities
    }
  }

  /// Whether an H10 records an exercise.
  struct RecordingStatus: Sendable, Hashable {
    let isRecording: Bool
    /// Name of the exercise that is being recorded, or else of the last one; empty without an exercise.
    let name: String

    init(_ message: PbRequestRecordingStatusResult) {
      (isRecording, name) = (message.recordingOn, message.sampleDataIdentifier)
    }
  }

  /// Whether a strap accepts this exercise name: 1 to 63 bytes. The host that starts the exercise chooses it.
  static func isExerciseName(_ name: String) -> Bool { (1...63).contains(name.utf8.count) }
}

extension PSFTPClient {
  /// nil if the wearable does not report its disk space.
  func diskSpace() async throws(VisitTrouble) -> PSFTP.DiskSpace? {
    guard let bytes = try await askWhatDescribes(.getDiskSpace) else { return nil }
    guard let message = try? PbPFtpDiskSpaceResult(wire: bytes) else {
      link.note("a disk space that cannot be read")
      return nil
    }
    return PSFTP.DiskSpace(message)
  }

  /// nil if the file is missing or unreadable.
  func deviceInformation() async throws(VisitTrouble) -> PSFTP.DeviceInformation? {
    guard let bytes = try await get(PolarPath.deviceInformation) else { return nil }
    guard let message = try? PbDeviceInfo(wire: bytes) else {
      link.note("a device information that cannot be read")
      return nil
    }
    return PSFTP.DeviceInformation(message)
  }

  // MARK: exercises that an H10 records

  /// Kind of samples in an exercise.
  enum StrapSamples: Sendable, Hashable {
    /// Beats per minute, at an interval of 1 s or 5 s.
    case heartRate(everySeconds: UInt32)
    /// Intervals between beats.
    case intervals
  }

  /// - Throws: `unsupported` if the answer cannot be decoded.
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
      // A required field that the strap ignores for this kind.
      start.recordingInterval.seconds = 1
    }
    start.sampleDataIdentifier = name
    guard let parameters = try? start.wire() else { return }
    _ = try await ask(.requestStartRecording, parameters)
  }

  func stopRecording() async throws(VisitTrouble) { _ = try await ask(.requestStopRecording) }
}
