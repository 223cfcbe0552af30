// What a wearable says by itself, by its number.

import PolarMessages

extension PSFTP {
  /// A notification of the wearable, read.
  struct DeviceEvent: Sendable {
    let kind: Kind
    let content: Content
    /// As they came: what cannot be read is not lost.
    let parameters: [UInt8]

    /// The numbers are on the wire. 6 does not exist.
    enum Kind: UInt8, Sendable, CaseIterable {
      case filesystemModified = 0
      case internalTestEvent = 1
      /// It has nothing to do: what it answered with "wait for idling" may be asked again.
      case idling = 2
      case batteryStatus = 3
      case inactivityAlert = 4
      case trainingSessionStatus = 5
      /// A hint that a visit is worth it.
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

      /// As Polar names it.
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
      /// Kinds that carry nothing.
      case nothing
      /// Bytes that are not the message of their kind.
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
      /// The wearable sends this one or a shorter one with the same first two fields.
      case exerciseStatus(PbPftpGetExerciseStatusResult)
    }

    /// nil for a number that is not known: such notifications are passed over.
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
