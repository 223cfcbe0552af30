// Polar's file transfer over BLE: three characteristics, and everything that is asked and said over them.
//
//     request, query   ->  MTU characteristic, one at a time
//     response         <-  the same, by notification
//     host says        ->  H2D characteristic
//     device says      <-  D2H characteristic
//
// Source of all numbers: polar-ble-sdk 8.0.0.

import Bluetooth

enum PSFTP {
  static let service: BluetoothUUID = 0xFEEE
  /// Requests, queries and their responses.
  static let transfer = Polar.uuid(0x51)
  /// What the wearable says by itself.
  static let fromDevice = Polar.uuid(0x52)
  /// What the hub says by itself.
  static let toDevice = Polar.uuid(0x53)

  /// What is asked that is about no file. The numbers are on the wire.
  enum Query: UInt16, Sendable, CaseIterable {
    case setSystemTime = 1
    case setLocalTime = 3
    case getLocalTime = 4
    case getDiskSpace = 5
    case prepareFirmwareUpdate = 12
    /// Whether a sync may begin; what is in RAM is written to files.
    case requestSynchronization = 13
    case requestStartRecording = 14
    case requestStopRecording = 15
    case requestRecordingStatus = 16
    case startExercise = 21
    case stopExercise = 22
    case pauseExercise = 23
    case resumeExercise = 24
    case getExerciseStatus = 25
    case startDataMergeExercise = 26

    /// For people.
    var name: String {
      switch self {
      case .setSystemTime: "setting its system time"
      case .setLocalTime: "setting its local time"
      case .getLocalTime: "asking its local time"
      case .getDiskSpace: "asking its disk space"
      case .prepareFirmwareUpdate: "preparing a firmware update"
      case .requestSynchronization: "asking for a sync"
      case .requestStartRecording: "starting a recording"
      case .requestStopRecording: "stopping a recording"
      case .requestRecordingStatus: "asking whether it records"
      case .startExercise, .startDataMergeExercise: "starting an exercise"
      case .stopExercise: "stopping an exercise"
      case .pauseExercise: "pausing an exercise"
      case .resumeExercise: "resuming an exercise"
      case .getExerciseStatus: "asking for its exercise"
      }
    }
  }

  /// What the hub says without an answer. The numbers are on the wire.
  enum HostNotification: UInt8, Sendable, CaseIterable {
    case startSync = 0
    case stopSync = 1
    case reset = 2
    case initializeSession = 8
    case terminateSession = 9
  }

  /// For one packet, one write, one response.
  static let patience: Duration = .seconds(90)
  /// The same while an archive of firmware is written: it is unpacked as it comes.
  static let archivePatience: Duration = .seconds(900)
  static let archivePath = "/SYNCPART.TGZ"

  static func patience(for path: String) -> Duration { path.hasPrefix(archivePath) ? archivePatience : patience }
}
