// One closed list of reason codes: the command line, the log, the lights and the status document all speak it.

/// Why something is not as it should be. The raw value is the stable number behind the `H`: `Reason(rawValue: 2102)`
/// prints as `H2102`. Numbers are never reused and never change meaning:
/// 2006, 2107 and 3190 were codes that nothing raised.
///
/// Blocks: 10 configuration, 20 wire protocol, 21 links, 22 a wearable needs a human, 23 enrolment and wearers, 24
/// values beyond a limit that people set, 31 radio, 40 store, 41 store space and wear, 50 clock, 60 control socket, 70
/// lights, 80 the hub itself, 90 the uplink, 91 the sink.
public enum Reason: UInt16, CaseIterable, Sendable, Hashable {
  case configUnreadable = 1001
  case configSyntax = 1002
  case configUnknownKey = 1003
  case configBadValue = 1004
  case configReloadRefused = 1006
  case setupFileUnreadable = 1010
  case setupFileInvalid = 1011
  case setupUnasked = 1012
  case setupOverridden = 1013
  case setupRefused = 1014
  case setupNotWritten = 1015
  case setupUserUnknown = 1016
  case setupFileLeft = 1017
  case setupNotTaken = 1018
  case setupDeclined = 1019

  case attMalformed = 2001
  case attTimeout = 2002
  case attProtocol = 2003
  case gattDiscoveryBounded = 2004
  case gattValueMalformed = 2005
  case gattMissing = 2007
  case notificationFlood = 2008
  case attRefused = 2009
  case procedureTimeout = 2010

  case slotsFull = 2101
  case notHeard = 2102
  case linkProfileRefused = 2103
  case linkLost = 2104
  case peerClosed = 2105
  case failedToEstablish = 2106
  case linkAborted = 2108
  case linkFound = 2109
  case linkUnsteady = 2110
  case visitBusy = 2120
  case visitRefused = 2121
  case visitBroken = 2122
  case visitSilent = 2123
  case itemDefective = 2124
  case eraseIneffective = 2125
  case visitUnsupported = 2126
  case notLinked = 2127
  case recordingNotArmed = 2128
  case settingNotTaken = 2129
  case itemLocked = 2130
  case requestUnsupported = 2131
  case secretUseless = 2132
  case streamNotBegun = 2133
  case requestNotDone = 2137
  case driverMissing = 2138
  case requestUntimely = 2139
  case wearableMissing = 2140
  case wearableBack = 2141
  case batteryLow = 2142
  case syncRunning = 2143
  case monitoringNotTaken = 2145
  case measurementSkipped = 2146
  case shareReached = 2147
  case valueOdd = 2159
  case recordUnreadable = 2150
  case clockMovedElsewhere = 2151
  case valuesAhead = 2152
  case measurementEmpty = 2153
  case linkTaken = 2163

  case authenticationFailed = 2206
  case keyMissing = 2207
  case pairingRefused = 2208
  case pairingUnknown = 2209
  case bondMade = 2210
  case keyNotGiven = 2211
  case noSuchBond = 2220
  case bondFileDamaged = 2221
  case bondPassphraseWrong = 2222
  case bondPassphraseMissing = 2223
  case bondFileUnreadable = 2224
  case batteryCritical = 2230
  case boundElsewhere = 2240
  case bindingNotConfirmed = 2241
  case bindingBatteryLow = 2242
  case bindingNeedsReset = 2243
  case bindingRefused = 2244
  case bindingLeft = 2245
  case impostorSuspected = 2250
  case identityClaimed = 2251

  case enrolWindowClosed = 2301
  case enrolTooFar = 2302
  case enrolNotHeard = 2303
  case enrolNameTaken = 2304
  case enrolNameInvalid = 2305
  case registryFull = 2306
  case noSuchWearable = 2307
  case enrolNotRecognised = 2308
  case driverChanged = 2309
  case enrolmentEvicted = 2310
  case enrolForbidden = 2311
  case noSuchWearer = 2320
  case wearerNameInvalid = 2321
  case wearerNameTaken = 2322
  case wearerStillWears = 2324
  case noSuchAssignment = 2325
  case assignmentTaken = 2326
  case enrolAddressChanges = 2327

  case restRateBeyond = 2401
  case exerciseRateBeyond = 2402
  case oxygenBeyond = 2403
  case temperatureBeyond = 2404

  case phasesLeftOut = 2460
  case collectionPaused = 2461

  case adapterMissing = 3101
  case adapterPoweredOff = 3102
  case adapterBlocked = 3103
  case adapterRemoved = 3104
  case controllerSilent = 3105
  case kernelWithoutBluetooth = 3106
  case capabilityMissing = 3107
  case bluetoothdClash = 3108
  case adapterNotChosen = 3109
  case managementRefused = 3111
  case adapterAddressUnprogrammed = 3112
  case busResetRefused = 3113
  case radioTakenOver = 3114
  case radioAddressDiffers = 3115
  case radioBack = 3120
  case radioTried = 3121
  case attemptsFull = 3122
  case radioExhausted = 3199

  case storeUnwritable = 4001
  case storeForeign = 4002
  case storeNewer = 4004
  case storeInUse = 4005
  case storeChunkCorrupt = 4006
  case storeFull = 4007
  case storeInputOutput = 4008
  case storeAbsent = 4009
  case secretsKeyMissing = 4010
  case secretsKeyWrong = 4011
  case storeNotCopied = 4012
  case storeMiscounted = 4013
  case storeDamaged = 4014
  case storeInMemory = 4015
  case storeUnproven = 4016
  case storeOpenToAll = 4017
  case storeUnreadable = 4018
  case storeTableFull = 4020
  case storeEvicting = 4101
  case storeRefusing = 4102
  case purgeCountDiffers = 4103
  // 4104 was a cursor of fetching that would go back.
  case storeBatchTooLarge = 4105
  case storePurged = 4106
  case stagedElsewhere = 4107
  case stagedGivenUp = 4108
  case custodyInvalid = 4109
  case storeBudgetExceeded = 4110
  case storeBack = 4111
  case erasureCountDiffers = 4112
  case wearerErased = 4113
  case storeUnread = 4114
  case storeTimesCorrected = 4115
  case storeFailing = 4199

  case backupDamaged = 4201
  case backupPassphraseWrong = 4202
  case backupFileUnusable = 4203
  case restoreRefused = 4204
  case backupInterrupted = 4205
  case backupOverdue = 4206
  case backupFailed = 4207
  case backupNotConfigured = 4208
  case restored = 4210

  case clockUntrusted = 5001
  case clockStepped = 5002

  case socketInUse = 6001
  case socketUnavailable = 6002
  case controlMalformed = 6003
  case controlUnknownMethod = 6004
  case controlBadParameter = 6005
  case controlTooManyClients = 6006
  case controlClientTooSlow = 6007
  case daemonDown = 6008
  case controlNotAllowed = 6009
  case timeNotUnderstood = 6010
  case agreementMissing = 6011
  case controlRoleMissing = 6020
  case orderGiven = 6021
  case terminalMissing = 6022
  case fleetUnreachable = 6040
  case fleetAnswerUnreadable = 6041
  case fleetNotForMany = 6042

  case lightsChipMissing = 7001
  case lightsLineMissing = 7002
  case lightsLineBusy = 7003
  case lightsBoardUnknown = 7004

  case startedAfterStop = 8001
  case startedAfterKill = 8002
  case startedAfterPowerCut = 8003
  case startedFirst = 8004
  case startedAgain = 8005
  case logUnavailable = 8010
  case metricsUnwritable = 8050
  case updateReturned = 8060
  case updateStuck = 8061
  case updateNotDone = 8062
  case updateNotKept = 8063

  case uplinkBrokerUnreachable = 9001
  case uplinkBrokerRefuses = 9002
  case uplinkCertificate = 9003
  case uplinkSessionTaken = 9004
  case uplinkUnacknowledged = 9005
  case uplinkHubSilent = 9006
  case uplinkLosses = 9007
  case uplinkOrderRefused = 9008
  case uplinkDown = 9009

  case sinkBroker = 9101
  case sinkDatabase = 9102
  case sinkBatchRefused = 9103
  case sinkGap = 9104

  /// Worth knowing, and nothing that has to be mended now: no exit code and no lamp tells it.
  public var isInformation: Bool { self == .batteryLow }

  /// Of a wearable: the hub goes on by itself, and no exit code and no lamp tells it.
  public var isLeftToHub: Bool { text.next.hasPrefix("nothing") }

  /// `H2102`: four digits, so a person can read it out over the phone.
  public var code: String { "H\(rawValue)" }

  /// The reason for a printed code such as `H2102` or `h2102`; nil if there is none.
  public init?(code: String) {
    guard let first = code.utf8.first, first == 0x48 || first == 0x68, let number = UInt16(code.dropFirst()) else {
      return nil
    }
    self.init(rawValue: number)
  }
}

/// An error with a stable code and the particulars of this one case.
///
/// `detail` says what happened to whom in one clause ("store.commit.every is 'soon', not a duration"); the sentence,
/// the effect on data and the next step come from `Reason.text`.
public struct HearthError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: Reason
  public let detail: String

  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  /// `H2102 link: strap-03 was not heard within 5 s`
  public var description: String { "\(reason.code) \(reason.text.area): \(detail)" }
}
