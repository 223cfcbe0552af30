// Unsolicited notifications of a wearable, decoded by their number.

import PolarMessages

extension PSFTP {
  /// A decoded notification of the wearable.
  struct DeviceEvent: Sendable {
    let kind: Kind
    let content: Content
    /// The parameters as received, so that unreadable ones are still available.
    let parameters: [UInt8]

    /// Numbers on the wire. 6 is unassigned.
    enum Kind: UInt8, Sendable, CaseIterable {
      case filesystemModified = 0
      case internalTestEvent = 1
      /// The wearable is idle: a request that it refused with "wait for idling" may be repeated.
      case idling = 2
      case batteryStatus = 3
      case inactivityAlert = 4
      case trainingSessionStatus = 5
      /// A hint that the wearable has new data for a visit.
      case syncRequired = 7
      case autoSyncStatus = 8
      case phoneNotificationResponse = 9
      case phoneNotificationSettings = 10
      case startGPSMeasurement = 11
      case stopGPSMeasurement = 12
      case keepBackgroundAlive = 13
      case shellMessage = 14
      case mediaControlRequest = 15
      case mediaControlCommand = 16
      case mediaControlEnabled = 17
      case restEvent = 18
      case exerciseStatus = 19

      /// Polar's name for it.
      var name: String {
        switch self {
        case .filesystemModified: "FILESYSTEM_MODIFIED"
        case .internalTestEvent: "INTERNAL_TEST_EVENT"
        case .idling: "IDLING"
        case .batteryStatus: "BATTERY_STATUS"
        case .inactivityAlert: "INACTIVITY_ALERT"
        case .trainingSessionStatus: "TRAINING_SESSION_STATUS"
        case .syncRequired: "SYNC_REQUIRED"
        case .autoSyncStatus: "AUTOSYNC_STATUS"
        case .phoneNotificationResponse: "PNS_DH_NOTIFICATION_RESPONSE"
        case .phoneNotificationSettings: "PNS_SETTINGS"
        case .startGPSMeasurement: "START_GPS_MEASUREMENT"
        case .stopGPSMeasurement: "STOP_GPS_MEASUREMENT"
        case .keepBackgroundAlive: "KEEP_BACKGROUND_ALIVE"
        case .shellMessage: "POLAR_SHELL_DH_DATA"
        case .mediaControlRequest: "MEDIA_CONTROL_REQUEST_DH"
        case .mediaControlCommand: "MEDIA_CONTROL_COMMAND_DH"
        case .mediaControlEnabled: "MEDIA_CONTROL_ENABLED"
        case .restEvent: "REST_API_EVENT"
        case .exerciseStatus: "EXERCISE_STATUS"
        }
      }
    }

    enum Content: Sendable {
      /// A notification without parameters.
      case nothing
      /// The parameters are not a valid message of this kind.
      case unreadable
      case filesystemModified(PbPFtpFilesystemModifiedParams)
      case inactivityAlert(PbPFtpInactivityAlert)
      case trainingSessionStatus(PbPFtpTrainingSessionStatus)
      case syncRequired(PbPFtpSyncRequiredParams)
      case autoSyncStatus(PbPFtpAutoSyncStatusParams)
      case phoneNotificationResponse(PbPftpPnsDHNotificationResponse)
      case phoneNotificationSettings(PbPftpPnsState)
      case startGPSMeasurement(PbPftpStartGPSMeasurement)
      case shellMessage(PbPFtpPolarShellMessageParams)
      case mediaControlRequest(PbPftpDHMediaControlRequest)
      case mediaControlCommand(PbPftpDHMediaControlCommand)
      case mediaControlEnabled(PbPftpDHMediaControlEnabled)
      case restEvent(PbPftpDHRestApiEvent)
      /// The wearable sends this message or a shorter one with the same first two fields.
      case exerciseStatus(PbPftpGetExerciseStatusResult)
    }

    /// nil for an unknown number; callers skip such notifications.
    init?(_ raw: RawNotification) {
      guard let kind = Kind(rawValue: raw.id) else { return nil }
      self.kind = kind
      parameters = raw.parameters
      do throws(MalformedMessage) { content = try Self.read(kind, raw.parameters) } catch { content = .unreadable }
    }

    private static func read(_ kind: Kind, _ bytes: [UInt8]) throws(MalformedMessage) -> Content {
      switch kind {
      case .internalTestEvent, .idling, .batteryStatus, .stopGPSMeasurement, .keepBackgroundAlive: .nothing
      case .filesystemModified: .filesystemModified(try PbPFtpFilesystemModifiedParams(wire: bytes))
      case .inactivityAlert: .inactivityAlert(try PbPFtpInactivityAlert(wire: bytes))
      case .trainingSessionStatus: .trainingSessionStatus(try PbPFtpTrainingSessionStatus(wire: bytes))
      case .syncRequired: .syncRequired(try PbPFtpSyncRequiredParams(wire: bytes))
      case .autoSyncStatus: .autoSyncStatus(try PbPFtpAutoSyncStatusParams(wire: bytes))
      case .phoneNotificationResponse: .phoneNotificationResponse(try PbPftpPnsDHNotificationResponse(wire: bytes))
      case .phoneNotificationSettings: .phoneNotificationSettings(try PbPftpPnsState(wire: bytes))
      case .startGPSMeasurement: .startGPSMeasurement(try PbPftpStartGPSMeasurement(wire: bytes))
      case .shellMessage: .shellMessage(try PbPFtpPolarShellMessageParams(wire: bytes))
      case .mediaControlRequest: .mediaControlRequest(try PbPftpDHMediaControlRequest(wire: bytes))
      case .mediaControlCommand: .mediaControlCommand(try PbPftpDHMediaControlCommand(wire: bytes))
      case .mediaControlEnabled: .mediaControlEnabled(try PbPftpDHMediaControlEnabled(wire: bytes))
      case .restEvent: .restEvent(try PbPftpDHRestApiEvent(wire: bytes))
      case .exerciseStatus: .exerciseStatus(try PbPftpGetExerciseStatusResult(wire: bytes))
      }
    }
  }
}
