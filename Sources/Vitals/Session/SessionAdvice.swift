// Next step for an operator, for each code of a measurement session.

extension SessionCode {
  /// Sentence without a full stop; words in capitals are to be replaced. All commands in it exist.
  public var advice: String {
    switch self {
    case .lowPower: "use the supply that belongs to the hub, on a short cable"
    case .sensorBatteryLow: "charge it or change its battery soon; the measurement goes on"
    case .clockSkew: "hearth clock shows it; the measurement goes on, only its times may be wrong"
    case .bluetoothOff, .bluetoothNotAllowed: "hearth radio shows why; measure again when it is up"
    case .signalLost: "wear it firmly, a strap with moist electrodes, sit still, then measure again"
    case .signalDoubtful: "sit still; wear it firmly, a strap with moist electrodes"
    case .nothingEnabled: "hearth device NAME shows what it can do"
    case .startUntimely, .sessionConcurrent: "wait until what is measured now is over, then measure again"
    case .stopUntimely: "no measurement runs; hearth measure NAME begins one"
    case .durationBeyond: "hearth measure NAME --seconds 60; 20 to 180 are possible"
    case .weightBeyond: "hearth wearer body WEARER --weight KG corrects it; all but energy is measured"
    case .ageBeyond: "hearth wearer body WEARER --born DATE corrects it; all but energy and zones is measured"
    case .heightBeyond: "hearth wearer body WEARER --height CM corrects it"
    case .connectionTimedOut: "wear it near the hub, then measure again; hearth device NAME shows when it was heard"
    case .sensorUnknown: "hearth devices shows the names of all; measure with the one that is worn"
    case .firmwareUnsupported, .modelUnsupported: "hearth device NAME shows what it can do"
    case .sensorDisconnected: "keep it near the hub, then measure again; it is linked by itself"
    case .notOnBody: "put it on the skin, firmly, a strap with moist electrodes"
    case .dataGap: "keep it near the hub, without a body between them"
    }
  }
}
