// Codes of a measurement session, with the numbers of its vendor. 1 to 999 concern the hub, 3xxx the measurement, 4xxx
// vital signs, 6xxx the session, 7xxx its setup, 8xxx the sensor, 9xxx monitoring. Only codes that apply to a hub are
// here: those of cameras and licences are not.

public import Reasons

/// Code of a session. These are not the hub's reason codes, which have other numbers: `reason` maps to them.
public enum SessionCode: UInt16, CaseIterable, Sendable, Hashable {
  case lowPower = 4
  case sensorBatteryLow = 14
  case clockSkew = 17
  case bluetoothOff = 19
  case bluetoothNotAllowed = 20
  case signalLost = 3003
  case signalDoubtful = 3500
  case nothingEnabled = 4506
  case startUntimely = 6004
  case stopUntimely = 6005
  case durationBeyond = 7002
  case weightBeyond = 7007
  case ageBeyond = 7008
  case sessionConcurrent = 7009
  case heightBeyond = 7012
  case connectionTimedOut = 8003
  case sensorUnknown = 8004
  case firmwareUnsupported = 8005
  case modelUnsupported = 8006
  case sensorDisconnected = 8007
  case notOnBody = 8501
  case dataGap = 9500

  /// Kind of a code.
  public enum Kind: Sendable, Hashable {
    /// A condition with a start and an end; the measurement goes on.
    case warning
    /// Ends a running measurement without results.
    case error
    /// Answer to a call, which then had no effect.
    case refusal
  }

  /// Kind of the code.
  public var kind: Kind {
    switch self {
    case .lowPower, .sensorBatteryLow, .clockSkew, .signalDoubtful, .nothingEnabled, .notOnBody, .dataGap: .warning
    case .startUntimely, .stopUntimely, .durationBeyond, .weightBeyond, .ageBeyond, .sessionConcurrent, .heightBeyond:
      .refusal
    case .bluetoothOff, .bluetoothNotAllowed, .signalLost, .connectionTimedOut, .sensorUnknown, .firmwareUnsupported,
      .modelUnsupported, .sensorDisconnected:
      .error
    }
  }

  /// Text without a full stop.
  public var sentence: String {
    switch self {
    case .lowPower: "the hub's supply voltage is low"
    case .sensorBatteryLow: "the sensor's battery is low"
    case .clockSkew: "the hub's clock is not synchronised, or was stepped"
    case .bluetoothOff: "the Bluetooth adapter is off"
    case .bluetoothNotAllowed: "the hub may not use the Bluetooth adapter"
    case .signalLost: "the signal was lost during the measurement"
    case .signalDoubtful: "the signal is doubtful"
    case .nothingEnabled: "no vital sign is enabled for this sensor"
    case .startUntimely: "a measurement can be started only while the session is ready"
    case .stopUntimely: "only a running measurement can be stopped"
    case .durationBeyond: "a measurement takes 20 to 180 seconds"
    case .weightBeyond: "the weight is outside 40 to 200 kg"
    case .ageBeyond: "the age is outside 18 to 110 years"
    case .sessionConcurrent: "the sensor or the person has another session"
    case .heightBeyond: "the height is outside 130 to 230 cm"
    case .connectionTimedOut: "the sensor was not reached in time"
    case .sensorUnknown: "the sensor is not the one that was asked for"
    case .firmwareUnsupported: "the sensor's firmware is not supported"
    case .modelUnsupported: "the sensor's model is not supported"
    case .sensorDisconnected: "the sensor was disconnected"
    case .notOnBody: "the sensor has no contact with the body"
    case .dataGap: "no data came from the sensor for a while"
    }
  }

  /// The hub's own reason code, if there is one; the number here is then its detail.
  public var reason: Reason? {
    switch self {
    case .sensorBatteryLow: .batteryLow
    case .clockSkew: .clockUntrusted
    case .bluetoothOff: .adapterPoweredOff
    case .bluetoothNotAllowed: .capabilityMissing
    case .startUntimely, .stopUntimely, .sessionConcurrent: .requestUntimely
    case .durationBeyond, .weightBeyond, .ageBeyond, .heightBeyond: .controlBadParameter
    case .connectionTimedOut: .failedToEstablish
    case .sensorUnknown, .firmwareUnsupported, .modelUnsupported: .visitUnsupported
    case .sensorDisconnected: .linkLost
    case .lowPower, .signalLost, .signalDoubtful, .nothingEnabled, .notOnBody, .dataGap: nil
    }
  }
}

/// Refused call without effect.
public struct SessionRefusal: Error, Sendable, Hashable {
  /// Code of the refusal, whose kind is `refusal`.
  public let code: SessionCode

  /// A refusal with a code.
  public init(_ code: SessionCode) { self.code = code }
}
