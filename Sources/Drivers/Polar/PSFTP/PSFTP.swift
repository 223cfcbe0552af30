// Polar's file transfer (PSFTP) over BLE: three characteristics, and the numbers of its queries and notifications.
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
  /// MTU: requests, queries and their responses.
  static let transfer = Polar.uuid(0x51)
  /// D2H: unsolicited notifications of the wearable.
  static let fromDevice = Polar.uuid(0x52)
  /// H2D: notifications of the hub, which have no answer.
  static let toDevice = Polar.uuid(0x53)

  /// Queries: requests that do not concern a file. The numbers are on the wire.
  enum Query: UInt16, Sendable, CaseIterable {
    case setSystemTime = 1
    case setLocalTime = 3
    case getLocalTime = 4
    case getDiskSpace = 5
    case prepareFirmwareUpdate = 12
    /// Asks whether a sync may begin; the wearable then writes data in RAM to its files.
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

    /// Name for messages to people.
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

  /// Notifications of the hub, which have no answer. The numbers are on the wire.
  enum HostNotification: UInt8, Sendable, CaseIterable {
    case startSync = 0
    case stopSync = 1
    case reset = 2
    case initializeSession = 8
    case terminateSession = 9
  }

  /// Timeout of a packet, a write or a response.
  static let patience: Duration = .seconds(90)
  /// The timeout for a firmware archive, which the wearable unpacks while it receives it.
  static let archivePatience: Duration = .seconds(900)
  static let archivePath = "/SYNCPART.TGZ"

  static func patience(for path: String) -> Duration { path.hasPrefix(archivePath) ? archivePatience : patience }
}
