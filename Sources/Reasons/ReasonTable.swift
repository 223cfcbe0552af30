// Every reason code with its texts.
// Made by `generate` of the files in Codes: edit those.
// swift-format-ignore-file

/// A reason code: why something is not as it should be. The raw value is the stable number after the `H`:
/// `Reason(rawValue: 2102)` prints as `H2102`. Numbers are never reused and never change meaning.
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
  case recordUnreadable = 2150
  case clockMovedElsewhere = 2151
  case valuesAhead = 2152
  case measurementEmpty = 2153
  case valueOdd = 2159
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
  case storeRescued = 4019
  case storeTableFull = 4020
  case salvageRefused = 4021
  case storeEvicting = 4101
  case storeRefusing = 4102
  case purgeCountDiffers = 4103
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
  case storeSalvaged = 4116
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
  case uplinkNoReader = 9010
  case uplinkRowTooLong = 9011
  case sinkBroker = 9101
  case sinkDatabase = 9102
  case sinkBatchRefused = 9103
  case sinkGap = 9104
  case sinkStoreTwice = 9105
}

extension Reason {
  public var text: ReasonText {
    switch self {
    case .configUnreadable: ReasonText(area: "config", sentence: "a configuration file cannot be read", effect: "samples unaffected; the hub was not started or changed", next: "check the path and its permissions, then hearth config check")
    case .configSyntax: ReasonText(area: "config", sentence: "a configuration file is not valid YAML", effect: "samples unaffected; the hub was not started or changed", next: "correct the line and column named, then hearth config check")
    case .configUnknownKey: ReasonText(area: "config", sentence: "the configuration has a key that Hearth does not know", effect: "samples unaffected; the hub was not started or changed", next: "correct the spelling or remove the key, then hearth config check")
    case .configBadValue: ReasonText(area: "config", sentence: "a configuration value does not fit its key", effect: "samples unaffected; the hub was not started or changed", next: "write a value of the kind named, then hearth config check")
    case .configReloadRefused: ReasonText(area: "config", sentence: "the changed configuration was refused; the last good one is in force", effect: "samples unaffected", next: "hearth config check names the line; correct it, then sudo systemctl reload hearthd")
    case .setupFileUnreadable: ReasonText(area: "config", sentence: "a set-up file cannot be read, or is too large for one", effect: "samples unaffected; no change was made", next: "check its path and its size; it holds six short answers: man hearth-setup.yaml")
    case .setupFileInvalid: ReasonText(area: "config", sentence: "a set-up file has a key or a value that does not fit", effect: "samples unaffected; no change was made", next: "correct the line named and give it its old name; man hearth-setup.yaml shows one")
    case .setupUnasked: ReasonText(area: "config", sentence: "there is no terminal for the questions of the set-up", effect: "samples unaffected; no change was made", next: "sudo hearth setup --defaults asks no questions; sudo hearth setup --file FILE takes answers")
    case .setupOverridden: ReasonText(area: "config", sentence: "a file that is read later overrides the answer, so it would have no effect", effect: "samples unaffected; no change was made", next: "take the key out of the file named, or change it there, then sudo hearth setup")
    case .setupRefused: ReasonText(area: "config", sentence: "the configuration that the answers make would be refused", effect: "samples unaffected; no change was made", next: "hearth config check shows the file as it is; set the key named there by hand")
    case .setupNotWritten: ReasonText(area: "config", sentence: "the configuration cannot be written", effect: "samples unaffected; no change was made", next: "as root: sudo hearth setup; as root already: is the card full or read-only (hearth doctor)")
    case .setupUserUnknown: ReasonText(area: "config", sentence: "a user or group that is to query the hub does not exist on this machine", effect: "samples unaffected; no change was made", next: "sudo adduser NAME makes the user, sudo systemd-sysusers the groups; then once more")
    case .setupFileLeft: ReasonText(area: "config", sentence: "this hub is set up, but the set-up file could not be set aside", effect: "samples unaffected; the file is not taken a second time as long as it stays the same", next: "remove the file by hand; the boot partition may be read-only or full")
    case .setupNotTaken: ReasonText(area: "config", sentence: "the configuration is written, but hearthd has not loaded it yet", effect: "samples unaffected; the hub goes on as it was, or is down", next: "sudo systemctl restart hearthd, then hearth log -n 50")
    case .setupDeclined: ReasonText(area: "config", sentence: "the questions were not answered to the end", effect: "samples unaffected; no change was made", next: "sudo hearth setup once more; present values are in brackets")
    case .attMalformed: ReasonText(area: "wire", sentence: "a wearable sent bytes that are not an ATT message", effect: "samples in that message lost; all others unaffected", next: "no action if it is rare; else update the wearable's firmware")
    case .attTimeout: ReasonText(area: "wire", sentence: "a wearable did not answer an ATT request within 30 s; its link was closed", effect: "samples lost until the link is back; recordings stay on the wearable", next: "no action; the hub connects again. If it repeats, restart the wearable")
    case .attProtocol: ReasonText(area: "wire", sentence: "a wearable sent an answer without a request; its link was closed", effect: "samples lost until the link is back; recordings stay on the wearable", next: "no action; the hub connects again. If it repeats, update the wearable's firmware")
    case .gattDiscoveryBounded: ReasonText(area: "wire", sentence: "discovery of a wearable's services (GATT) did not end within the hub's bound", effect: "no samples from this wearable until its service list is valid; all others unaffected", next: "restart the wearable; if it repeats, report its model and firmware: hearth device NAME")
    case .gattValueMalformed: ReasonText(area: "wire", sentence: "a wearable sent a value of a length that does not fit its flags", effect: "samples in that value lost; all others unaffected", next: "no action if it is rare; else update the wearable's firmware")
    case .gattMissing: ReasonText(area: "wire", sentence: "a wearable lacks a service or characteristic that its kind must have", effect: "no samples of the missing kind; others unaffected", next: "check which model it is: hearth device NAME")
    case .notificationFlood: ReasonText(area: "wire", sentence: "a wearable sent data faster than its kind ever does; its link was closed", effect: "samples lost until the link is back; other wearables unaffected", next: "restart the wearable; if it repeats, take it out of use")
    case .attRefused: ReasonText(area: "wire", sentence: "a request to a wearable was refused", effect: "samples of what was requested are delayed, or lost if only streamed; others unaffected", next: "hearth device NAME shows request and error; if it stays, restart the wearable")
    case .procedureTimeout: ReasonText(area: "wire", sentence: "a step with a wearable exceeded its time limit and was aborted", effect: "samples delayed until the next try; lost for that time if the wearable does not record", next: "no action; the hub tries again. If it repeats, move the wearable nearer")
    case .slotsFull: ReasonText(area: "link", sentence: "a wearable waits for a link: every slot that it may use is in use", effect: "samples of waiting wearables delayed until a slot is free; lost if they only stream", next: "hearth visits --why shows the queue; add a USB adapter, or enrol fewer wearables here")
    case .notHeard: ReasonText(area: "link", sentence: "a wearable was not heard while the hub tried to connect", effect: "samples delayed until it is heard; lost meanwhile if the wearable does not record", next: "check that it is worn and near; many straps sleep when dry")
    case .linkProfileRefused: ReasonText(area: "link", sentence: "a wearable does not take a connection profile", effect: "samples unaffected; the link stays on another profile", next: "no action, or hearth link NAME set idle --central: the hub then sets the link by itself")
    case .linkLost: ReasonText(area: "link", sentence: "a wearable's link fell silent and was lost", effect: "samples lost from then until the link is back; recordings stay on the wearable", next: "no action; the hub connects again when it hears the wearable")
    case .peerClosed: ReasonText(area: "link", sentence: "a wearable closed its link", effect: "samples lost from then until the link is back; recordings stay on the wearable", next: "no action; usual when a strap is taken off. Else look for a phone that connects to it")
    case .failedToEstablish: ReasonText(area: "link", sentence: "a connection to a wearable was started, but not established", effect: "samples delayed until the next try; lost meanwhile if the wearable does not record", next: "no action; the hub tries again. If it repeats, move the wearable nearer")
    case .linkAborted: ReasonText(area: "link", sentence: "the hub itself closed a link, or aborted a connection attempt", effect: "samples lost from then until the link is back; recordings stay on the wearable", next: "no action; the hub connects again in its turn. If it repeats: hearth radio")
    case .linkFound: ReasonText(area: "link", sentence: "a link that was lost is back", effect: "samples lost while it was gone; recordings stay on the wearable", next: "no action")
    case .linkUnsteady: ReasonText(area: "link", sentence: "a link is lost and found again and again", effect: "samples lost while it was gone; recordings stay on the wearable", next: "bring wearable and hub nearer to each other; hearth devices shows how well it is heard")
    case .visitBusy: ReasonText(area: "link", sentence: "a wearable is busy with something else", effect: "samples unaffected; what it recorded is fetched later", next: "no action; the hub visits it again by itself")
    case .visitRefused: ReasonText(area: "link", sentence: "a wearable refused a request that a visit needs", effect: "samples delayed: what it recorded is still on it", next: "hearth visits shows what was refused; hearth device NAME shows model and firmware")
    case .visitBroken: ReasonText(area: "link", sentence: "a wearable broke its own protocol in a visit", effect: "samples unaffected; fetching goes on from the last safe byte", next: "no action, unless it stays: then restart the wearable")
    case .visitSilent: ReasonText(area: "link", sentence: "a wearable did not respond in a visit", effect: "samples delayed: they are still on it, and fetching goes on at the same byte", next: "no action, unless it stays: then restart the wearable")
    case .itemDefective: ReasonText(area: "link", sentence: "a file or record on a wearable is damaged", effect: "samples unaffected: its bytes are kept as they are, and it stays on the wearable", next: "hearth custody NAME shows which item it is, and its fault")
    case .eraseIneffective: ReasonText(area: "link", sentence: "a wearable acknowledged an erasure and did not erase", effect: "samples unaffected; they are in the store and still on the wearable", next: "restart it before its memory is full; the hub tries again then, or after a day")
    case .visitUnsupported: ReasonText(area: "link", sentence: "a wearable holds something that this version cannot read", effect: "samples delayed: it stays on the wearable", next: "hearth custody NAME shows what; hearth update status shows whether a newer Hearth is there")
    case .notLinked: ReasonText(area: "link", sentence: "a wearable is not heard, so it cannot be asked", effect: "samples unaffected", next: "bring it near and wake it, then run the command again, or: hearth visit now NAME")
    case .recordingNotArmed: ReasonText(area: "link", sentence: "a wearable does not record what was ordered", effect: "no samples of that kind until it does; all else is unaffected", next: "hearth recordings NAME; free its memory or take it off its charger")
    case .settingNotTaken: ReasonText(area: "link", sentence: "a wearable does not take a setting that was ordered", effect: "samples unaffected; values that it computes from its wearer's body may be wrong", next: "hearth settings NAME shows its value; take back: hearth settings NAME set SETTING none")
    case .itemLocked: ReasonText(area: "link", sentence: "a recording on a wearable is encrypted with a key that is not known here", effect: "samples delayed: its bytes are kept as they are, and it stays on the wearable", next: "give the hub its key: hearth settings NAME set secret; hearth custody NAME shows which")
    case .requestUnsupported: ReasonText(area: "link", sentence: "a wearable does not support the request", effect: "samples unaffected", next: "for what it can do: hearth action NAME, hearth settings NAME --orders, hearth monitor NAME")
    case .secretUseless: ReasonText(area: "link", sentence: "a wearable cannot encrypt its recordings", effect: "samples unaffected: the secret was not taken, and it records as before", next: "leave it without a secret, or use a model that encrypts")
    case .streamNotBegun: ReasonText(area: "link", sentence: "a wearable does not stream what was ordered", effect: "no samples of those series until it does; all else is unaffected", next: "hearth settings NAME says why; restart the wearable if it goes on")
    case .requestNotDone: ReasonText(area: "link", sentence: "a request to a wearable was not carried out", effect: "samples unaffected", next: "run the command again later: it was not kept; hearth visits --why shows the queue")
    case .driverMissing: ReasonText(area: "link", sentence: "this version does not have the driver of an enrolled wearable", effect: "samples delayed: what it recorded is still on it", next: "install the version of Hearth that enrolled it, or: hearth device NAME forget")
    case .requestUntimely: ReasonText(area: "link", sentence: "a wearable cannot do that in its present state", effect: "samples unaffected; the wearable was not asked", next: "do first what the message names, if it names something, then request it again")
    case .wearableMissing: ReasonText(area: "link", sentence: "a wearable was away for longer than it should be", effect: "samples delayed until it is back if it records; lost meanwhile if it only streams", next: "look for it; if it is meant to be away: hearth device NAME absent-after never")
    case .wearableBack: ReasonText(area: "link", sentence: "a wearable that was missing is back", effect: "samples delayed until its next visit if it records; lost meanwhile if it only streams", next: "no action")
    case .batteryLow: ReasonText(area: "link", sentence: "a wearable's battery is low", effect: "samples unaffected; lost from when it is empty, until it is charged", next: "charge it at the next opportunity; hearth devices --by battery shows which is next")
    case .syncRunning: ReasonText(area: "link", sentence: "a wearable is being synced, and a second sync of it was ordered", effect: "samples unaffected: the running sync goes on", next: "wait for its end; hearth sync NAME --last shows how far it is")
    case .monitoringNotTaken: ReasonText(area: "link", sentence: "a wearable does not measure automatically as ordered", effect: "samples unaffected; they come as often as it measures", next: "hearth monitor NAME shows both; take the order back: hearth monitor NAME SERIES none")
    case .measurementSkipped: ReasonText(area: "link", sentence: "a scheduled measurement was skipped", effect: "no vital signs of that time; samples unaffected", next: "hearth settings NAME shows why and when the next one is due; at once: hearth measure NAME")
    case .shareReached: ReasonText(area: "link", sentence: "a wearable brought more in a day than its share of the store", effect: "streamed data beyond it is lost for a day; recordings stay on it; others unaffected", next: "hearth device NAME shows its data; forget it if it is not worn, or raise store.share")
    case .recordUnreadable: ReasonText(area: "link", sentence: "a record on a wearable cannot be read", effect: "samples unaffected but its own: its bytes are stored, all other records as values", next: "hearth custody NAME shows which; if it comes again, look for an update: hearth update status")
    case .clockMovedElsewhere: ReasonText(area: "link", sentence: "a wearable's clock was not as this hub had set it", effect: "samples unaffected; those recorded meanwhile have estimated times, marked as not sure", next: "charge it if its battery was empty; else remove it from the phone that sets its clock")
    case .valuesAhead: ReasonText(area: "link", sentence: "values of a wearable are dated in the future", effect: "these samples are delayed: they stay on the wearable; all others are stored", next: "no action: they are fetched again at each visit; hearth sync NAME --last shows how many")
    case .measurementEmpty: ReasonText(area: "link", sentence: "an ordered measurement ended without a value", effect: "no value of that time; samples unaffected", next: "see that it is worn, its sensor on the skin, and measure again: hearth measure NAME SERIES")
    case .valueOdd: ReasonText(area: "link", sentence: "a wearable sent an odd value, which was left out or taken all the same", effect: "values that are left out are lost, if the reason says so; all other samples unaffected", next: "hearth device NAME lists the reasons; if values are missing, report its model and firmware")
    case .linkTaken: ReasonText(area: "link", sentence: "a link was requested while this hub has another link or attempt to the same wearable", effect: "samples unaffected: they come over the existing link", next: "no action; the hub tries again. If it repeats: hearth radio")
    case .authenticationFailed: ReasonText(area: "bond", sentence: "a wearable refused to authenticate (pairing or encryption)", effect: "no samples until it is paired again; what it recorded is still on it", next: "hearth enroll open, then hearth enroll accept NAME; refused again: end its bond with a phone")
    case .keyMissing: ReasonText(area: "bond", sentence: "a wearable no longer knows the hub's key", effect: "no samples until it shows the key again or a person accepts it again", next: "do not factory-reset it yet; hearth explain H2207")
    case .pairingRefused: ReasonText(area: "bond", sentence: "a wearable requested pairing and was refused", effect: "samples unaffected if it works without pairing; else delayed: they stay on it", next: "hearth enroll open, hold it near, then hearth enroll accept NAME: it is paired again")
    case .pairingUnknown: ReasonText(area: "bond", sentence: "no pairing waits for an answer", effect: "samples unaffected", next: "hearth pair lists what waits; a request expires after 30 s")
    case .bondMade: ReasonText(area: "bond", sentence: "a wearable and the hub made a new bond", effect: "samples unaffected", next: "no action")
    case .keyNotGiven: ReasonText(area: "bond", sentence: "a wearable was paired, but gave no key that can be kept (no bond)", effect: "no samples that need encryption; what it recorded is still on it", next: "restart it and end its other bonds; hearth enroll open, then hearth enroll accept NAME")
    case .noSuchBond: ReasonText(area: "bond", sentence: "there is no bond of that name", effect: "samples unaffected", next: "hearth bond list")
    case .bondFileDamaged: ReasonText(area: "bond", sentence: "a file of bonds is damaged, or is not one", effect: "samples unaffected; no key was imported", next: "use another copy of the file, or on the old hub: hearth bond export --to FILE")
    case .bondPassphraseWrong: ReasonText(area: "bond", sentence: "the passphrase does not open the file of bonds, or the file was changed", effect: "samples unaffected; no key was imported", next: "try the passphrase again; if it is right, use another copy of the file")
    case .bondPassphraseMissing: ReasonText(area: "bond", sentence: "bond keys are exported only under a passphrase, and it is missing", effect: "samples unaffected; no file was written", next: "run it at a terminal, or give --passphrase-file FILE")
    case .bondFileUnreadable: ReasonText(area: "bond", sentence: "a file of bonds cannot be read or written", effect: "samples unaffected; no key was imported", next: "check its path and permissions; --force overwrites an existing file")
    case .batteryCritical: ReasonText(area: "link", sentence: "a wearable's battery is nearly empty", effect: "samples unaffected so far; no samples from when it is empty, until it is charged", next: "charge it now; the code ends when a reading shows it charged")
    case .boundElsewhere: ReasonText(area: "bond", sentence: "a band is bound to another user", effect: "no samples; what it recorded stays on it until its memory overwrites it", next: "unbind it on the other phone or hub, or reset it in its own menu")
    case .bindingNotConfirmed: ReasonText(area: "bond", sentence: "a band was not bound: it was not confirmed on its display, or was cancelled", effect: "no samples; what it recorded stays on it", next: "be ready to confirm on its display, then hearth visit now NAME")
    case .bindingBatteryLow: ReasonText(area: "bond", sentence: "a band's battery is too low for binding", effect: "no samples until it is charged", next: "charge it; the hub binds it at its next visit")
    case .bindingNeedsReset: ReasonText(area: "bond", sentence: "a band has to be reset before it can be bound", effect: "no samples; a reset erases what it recorded", next: "reset it in its own menu; the hub binds it at its next visit")
    case .bindingRefused: ReasonText(area: "bond", sentence: "a band refused to be bound without giving a reason", effect: "no samples; what it recorded stays on it", next: "reset it in its own menu, then hearth visit now NAME")
    case .bindingLeft: ReasonText(area: "bond", sentence: "a band was forgotten while out of reach, and is still bound to this hub", effect: "samples unaffected: what was stored stays", next: "reset it in its own menu before it is used with a phone")
    case .impostorSuspected: ReasonText(area: "bond", sentence: "a device at the address of an enrolled wearable failed the identity check", effect: "its data is not stored; samples of the true wearable are lost until it is reached", next: "look for a second device of its kind; if it was reset: hearth enroll open, then accept it")
    case .identityClaimed: ReasonText(area: "bond", sentence: "a device in pairing claimed the address of another wearable as its own", effect: "samples unaffected: its keys are not kept, and its link is closed", next: "find a second device; if the same one was reset: hearth device NAME forget, then accept it")
    case .enrolWindowClosed: ReasonText(area: "enrol", sentence: "no wearable can join: the enrolment window is closed", effect: "samples unaffected", next: "hearth enroll open, then accept it while the window is open")
    case .enrolTooFar: ReasonText(area: "enrol", sentence: "a wearable is too far away to join", effect: "samples unaffected; it is not enrolled", next: "hold it within a hand's width of the hub and accept again")
    case .enrolNotHeard: ReasonText(area: "enrol", sentence: "no candidate of that letter or address was heard in this window", effect: "samples unaffected; no wearable was enrolled", next: "hearth enroll list shows the candidates; wake the wearable and look again")
    case .enrolNameTaken: ReasonText(area: "enrol", sentence: "that name is in use, or that wearable is enrolled already", effect: "samples unaffected; no change was made", next: "hearth devices lists names in use: take another; to rename: hearth device NAME rename NEW")
    case .enrolNameInvalid: ReasonText(area: "enrol", sentence: "that name cannot be used for a wearable or an export cursor", effect: "samples unaffected; no change was made", next: "use 1 to 32 letters, digits, '-', '_' and '.', such as strap-07")
    case .registryFull: ReasonText(area: "enrol", sentence: "the hub has as many wearables as it can keep", effect: "samples of enrolled wearables unaffected; the new one is not enrolled", next: "hearth device NAME forget, for one that is no longer used; or use another hub")
    case .noSuchWearable: ReasonText(area: "enrol", sentence: "no wearable of that name or address is known", effect: "samples unaffected", next: "hearth devices lists names and addresses")
    case .enrolNotRecognised: ReasonText(area: "enrol", sentence: "the hub has no driver for that wearable", effect: "samples unaffected; it is not enrolled", next: "only recognised kinds can join; hearth enroll list shows them")
    case .driverChanged: ReasonText(area: "enrol", sentence: "a wearable was identified and moves to the driver of its family", effect: "samples unaffected; from its next link on more data is fetched than before", next: "no action; hearth device NAME shows its driver")
    case .enrolmentEvicted: ReasonText(area: "enrol", sentence: "a wearable that joined by itself and never sent a value made room for another", effect: "samples unaffected: it never sent any", next: "hearth enroll open and hearth enroll accept NAME, if it is a wearable of yours")
    case .enrolForbidden: ReasonText(area: "enrol", sentence: "no wearable can join: enrolment is closed by configuration", effect: "samples unaffected", next: "set enroll.mode to window in hearth.yaml, reload hearthd, then hearth enroll open")
    case .noSuchWearer: ReasonText(area: "enrol", sentence: "no present wearer of that name or number is known", effect: "samples unaffected", next: "hearth wearer lists them, hearth wearer add NAME enters one; retired ones get no new samples")
    case .wearerNameInvalid: ReasonText(area: "enrol", sentence: "that name cannot be used for a wearer", effect: "samples unaffected; no change was made", next: "use 1 to 64 bytes of plain text on one line")
    case .wearerNameTaken: ReasonText(area: "enrol", sentence: "another wearer has that name", effect: "samples unaffected; no change was made", next: "hearth wearer lists names; add what distinguishes them, such as a bed or a year of birth")
    case .wearerStillWears: ReasonText(area: "enrol", sentence: "a person that wears a wearable now cannot be erased", effect: "samples unaffected; no sample was deleted", next: "hearth wearer unassign with each wearable that is named, then erase again")
    case .noSuchAssignment: ReasonText(area: "enrol", sentence: "the wearable has no assignment that begins at that time", effect: "samples unaffected; no change was made", next: "hearth wearer history with the wearable's name lists when each begins")
    case .assignmentTaken: ReasonText(area: "enrol", sentence: "another assignment of the wearable begins at that time", effect: "samples unaffected; no change was made", next: "choose another time, or correct the other: hearth wearer correct NAME BEGIN --delete")
    case .enrolAddressChanges: ReasonText(area: "enrol", sentence: "a wearable's address changes (private address), and no key identifies it", effect: "samples unaffected; it is not enrolled", next: "hearth enroll open, make it ready to pair, accept it; or switch its private address off")
    case .restRateBeyond: ReasonText(area: "alert", sentence: "a heart rate was beyond its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; when seen: hearth alerts NAME acknowledge")
    case .exerciseRateBeyond: ReasonText(area: "alert", sentence: "a heart rate was beyond its limit for 10 seconds in exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; when seen: hearth alerts NAME acknowledge")
    case .oxygenBeyond: ReasonText(area: "alert", sentence: "an oxygen saturation was below its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; when seen: hearth alerts NAME acknowledge")
    case .temperatureBeyond: ReasonText(area: "alert", sentence: "a body temperature was beyond its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; when seen: hearth alerts NAME acknowledge")
    case .phasesLeftOut: ReasonText(area: "order", sentence: "some kinds of data of a wearable are not fetched, by order", effect: "samples delayed: the wearable keeps them as long as it has room", next: "fetch them once: hearth sync NAME PHASE; always: hearth settings NAME set phases all")
    case .collectionPaused: ReasonText(area: "order", sentence: "collection from a wearable is paused, by order", effect: "what it records stays on it, as long as it has room; what it only streams is lost", next: "hearth device NAME resume")
    case .adapterMissing: ReasonText(area: "radio", sentence: "this machine has no Bluetooth adapter that can be used", effect: "samples lost from now until there is one; recordings stay on the wearables", next: "plug in a USB adapter, or enable the onboard one and restart the machine")
    case .adapterPoweredOff: ReasonText(area: "radio", sentence: "the Bluetooth adapter was switched off while in use, usually by another program", effect: "samples lost from then until it is on again; recordings stay on the wearables", next: "no action; the hub switches it on. If it repeats: systemctl status bluetooth")
    case .adapterBlocked: ReasonText(area: "radio", sentence: "the Bluetooth adapter is blocked by rfkill", effect: "samples lost from then until it is unblocked; recordings stay on the wearables", next: "sudo rfkill unblock bluetooth; a hardware switch must be moved by hand")
    case .adapterRemoved: ReasonText(area: "radio", sentence: "a Bluetooth adapter that the hub used is not available any more", effect: "samples lost from then until it is back; recordings stay on the wearables", next: "plug it in again; the hub uses it at once, and hearth status shows it")
    case .controllerSilent: ReasonText(area: "radio", sentence: "the Bluetooth controller does not respond", effect: "samples lost from then until it responds; recordings stay on the wearables", next: "no action; the hub resets it. If it repeats, look at the power supply and journalctl -k")
    case .kernelWithoutBluetooth: ReasonText(area: "radio", sentence: "this kernel has no Bluetooth", effect: "samples lost from now until it has; recordings stay on the wearables", next: "sudo modprobe bluetooth, or boot a kernel that has it; the hub finds it within 5 minutes")
    case .capabilityMissing: ReasonText(area: "radio", sentence: "hearthd has no permission to control the Bluetooth adapter", effect: "samples lost from now until it has; recordings stay on the wearables", next: "start it by its unit: sudo systemctl start hearthd; or give it CAP_NET_ADMIN")
    case .bluetoothdClash: ReasonText(area: "radio", sentence: "bluetoothd is running and may change the adapter that the hub uses", effect: "samples unaffected so far; links may drop whenever it acts", next: "sudo systemctl disable --now bluetooth, unless another program needs it")
    case .adapterNotChosen: ReasonText(area: "radio", sentence: "no adapter matches the settings radio.adapter and radio.adapters", effect: "samples lost from now until one matches; recordings stay on the wearables", next: "hearth status lists the adapters; correct the setting, then: sudo systemctl restart hearthd")
    case .managementRefused: ReasonText(area: "radio", sentence: "a command to the Bluetooth adapter was refused by the kernel, or failed", effect: "samples unaffected if links stay up; otherwise lost until they are back", next: "no action; the hub tries again. If it repeats, look at journalctl -u hearthd")
    case .adapterAddressUnprogrammed: ReasonText(area: "radio", sentence: "the Bluetooth adapter has no address of its own", effect: "samples unaffected; another hub with the same address nearby would disturb this one", next: "update the adapter's firmware package and restart, or use another adapter")
    case .busResetRefused: ReasonText(area: "radio", sentence: "the hub has no permission to reset the Bluetooth adapter's USB port or UART", effect: "samples lost until the adapter responds by itself; recordings stay on the wearables", next: "plug the adapter out and in; the package hearth brings the helper hearth-radio-reset")
    case .radioTakenOver: ReasonText(area: "radio", sentence: "another program took the Bluetooth adapter, and the hub has it again", effect: "samples lost from its start until the hub served again; recordings stay on the wearables", next: "sudo systemctl mask bluetooth, unless another program needs it")
    case .radioAddressDiffers: ReasonText(area: "radio", sentence: "the adapter's address differs from the one that bonds were made with", effect: "samples of bonded wearables are delayed: they do not know this hub and keep them", next: "use the old hub's adapter, or pair each bonded wearable again: hearth enroll open")
    case .radioBack: ReasonText(area: "radio", sentence: "the radio works again", effect: "samples lost while it was down; recordings stay on the wearables", next: "no action if it is rare; else hearth radio shows what was done")
    case .radioTried: ReasonText(area: "radio", sentence: "the hub took a recovery step to revive the radio", effect: "samples lost while the radio was down; recordings stay on the wearables", next: "no action if H3120 follows; else hearth radio shows what was done, and what comes next")
    case .attemptsFull: ReasonText(area: "radio", sentence: "a link was requested while the radio had as many connection attempts as it takes", effect: "samples delayed until an attempt ends; lost meanwhile if the wearable does not record", next: "no action; the hub tries again. If it repeats: hearth radio")
    case .radioExhausted: ReasonText(area: "radio", sentence: "the radio has failed: all recovery steps were tried", effect: "samples lost from then until it is back; recordings stay on the wearables", next: "switch the hub off and on at its plug; if the radio stays away, replace the adapter")
    case .storeUnwritable: ReasonText(area: "store", sentence: "the store cannot be written", effect: "samples in the store unaffected; no new ones are taken until it can be written", next: "ls -ld shows owner and mode of store.path, hearth doctor its mount; then start hearthd again")
    case .storeForeign: ReasonText(area: "store", sentence: "the files at store.path are not a Hearth store", effect: "samples unaffected; no file there was touched", next: "set store.path to an empty folder or to a Hearth store, then start hearthd again")
    case .storeNewer: ReasonText(area: "store", sentence: "the store was written by a newer Hearth", effect: "samples unaffected; no file there was touched", next: "install the newer Hearth: sudo hearth update apply FILE; or set store.path to another folder")
    case .storeInUse: ReasonText(area: "store", sentence: "another process has the store open", effect: "samples unaffected; the other process keeps writing", next: "stop the other hearthd, or query it: hearth status")
    case .storeChunkCorrupt: ReasonText(area: "store", sentence: "a chunk of the store fails its checksum", effect: "samples of that chunk lost; all others unaffected", next: "hearth store verify shows which; hearth export what is needed, and replace the card soon")
    case .storeFull: ReasonText(area: "store", sentence: "the file system of the store is full", effect: "new samples wait in memory; lost from the time memory is full until there is space", next: "df -h and du show what fills it: free space, or lower store.size and restart hearthd")
    case .storeInputOutput: ReasonText(area: "store", sentence: "reading or writing failed (I/O error): the store's card, or the file of a command", effect: "if it is the store, new samples wait in memory, and are lost when memory is full", next: "journalctl -k names the device; if it is the card: hearth export, then replace it")
    case .storeAbsent: ReasonText(area: "store", sentence: "there is no store at that path", effect: "samples unaffected; there are no samples here to read", next: "check store.path: hearth config show --origin")
    case .secretsKeyMissing: ReasonText(area: "store", sentence: "the key file of the store's secrets is missing", effect: "samples in the store unaffected; delayed on wearables with such secrets until it is back", next: "put the key file back from the backup and restart the hub; without one: hearth explain H4010")
    case .secretsKeyWrong: ReasonText(area: "store", sentence: "the key file does not match the store's secrets", effect: "samples in the store unaffected; delayed on wearables with such secrets until it is back", next: "put the key file of this store back and restart the hub; hearth explain H4011")
    case .storeNotCopied: ReasonText(area: "store", sentence: "the store's format is older, and the copy that its conversion needs failed", effect: "samples unaffected; the store is as it was, and this version does not start with it", next: "make room for a copy of data.mdb, then: sudo systemctl restart hearthd")
    case .storeMiscounted: ReasonText(area: "store", sentence: "page counts in the store's file were wrong and were corrected", effect: "samples unaffected; no sample was deleted because of the wrong counts", next: "replace the card soon, or check the memory: a bit changed by itself; hearth store verify")
    case .storeDamaged: ReasonText(area: "store", sentence: "pages of the store's file contradict each other", effect: "samples on the card unaffected; new ones are lost once memory is full", next: "restart the hub, which recovers what can be read into a new file; then replace the card")
    case .storeInMemory: ReasonText(area: "store", sentence: "the store is in memory (tmpfs or overlay): it is empty after the next restart", effect: "samples of this run are lost without power; the hub erases no recording on wearables", next: "put store.path on the card, or switch off the overlay (raspi-config), then restart the hub")
    case .storeUnproven: ReasonText(area: "store", sentence: "the store's file system does not prove that samples reach a disk", effect: "samples may be lost in a power cut; the hub erases no recording on wearables", next: "put store.path on a local file system that waits for its disk, then restart the hub")
    case .storeOpenToAll: ReasonText(area: "store", sentence: "the store's file system has no owners: every user may read samples and keys", effect: "samples unaffected, but every user may read them; a power cut may damage the file system", next: "put store.path on ext4 or another file system with owners, then restart the hub")
    case .storeUnreadable: ReasonText(area: "store", sentence: "this user may not read the store's files", effect: "samples unaffected: no file was read or changed", next: "run it with sudo; if hearthd runs, leave --store out: it answers members of its groups")
    case .storeRescued: ReasonText(area: "store", sentence: "the store's file was damaged, and the hub goes on with what it could recover", effect: "most samples unaffected; those on damaged pages are lost", next: "hearth events shows what is missing; then, hub stopped: hearth store salvage --dry-run FILE")
    case .storeTableFull: ReasonText(area: "store", sentence: "a list in the store is full", effect: "samples unaffected; the new entry was not kept", next: "remove an entry: hearth explain H4020 names the command for each list")
    case .salvageRefused: ReasonText(area: "store", sentence: "this file cannot be salvaged into the store", effect: "samples in the store unaffected; no file was changed", next: "give a file of this store: hearth store salvage --help names the usual ones")
    case .storeEvicting: ReasonText(area: "store", sentence: "the oldest samples were evicted, because the store or a ring reached its limit", effect: "samples that no export had are lost; hearth store shows how many, from when to when", next: "hearth export --cursor NAME; or raise the ring's quota or keep, store.size, restart hearthd")
    case .storeRefusing: ReasonText(area: "store", sentence: "a ring is full and takes no more samples from its wearable", effect: "samples unaffected here; new ones are delayed on the wearable until there is room", next: "hearth export --cursor NAME, then hearth store purge; or raise its quota, restart hearthd")
    case .purgeCountDiffers: ReasonText(area: "store", sentence: "a purge was requested with another count than it would delete", effect: "samples unaffected; no sample was deleted", next: "hearth store purge with the same filters shows the count; repeat it with --yes-lose")
    case .storeBatchTooLarge: ReasonText(area: "store", sentence: "a batch is larger than the store takes at once", effect: "samples unaffected here; they stay on the wearable", next: "report the model and firmware of the wearable (hearth device NAME) to the project")
    case .storePurged: ReasonText(area: "store", sentence: "samples were deleted by a purge", effect: "the samples that were named are lost", next: "no action")
    case .stagedElsewhere: ReasonText(area: "store", sentence: "bytes of a file do not follow those that were fetched before", effect: "samples unaffected; the file stays on the wearable", next: "no action; the transfer resumes from the stored bytes")
    case .stagedGivenUp: ReasonText(area: "store", sentence: "a half-fetched file was dropped to make room", effect: "samples unaffected; the file is still on the wearable and is fetched again", next: "hearth export --cursor NAME, then hearth store purge; or raise store.size, restart hearthd")
    case .custodyInvalid: ReasonText(area: "store", sentence: "a driver gave an item on a wearable a name that cannot be stored", effect: "samples unaffected; the item stays on the wearable", next: "report the model and firmware of this wearable (hearth device NAME) to the project")
    case .storeBudgetExceeded: ReasonText(area: "store", sentence: "more was written to the card today than its budget", effect: "samples unaffected; the card wears out sooner", next: "raise store.commit.every and .bytes, restart hearthd; hearth store shows what is written")
    case .storeBack: ReasonText(area: "store", sentence: "the store can be written again", effect: "samples delayed until then; lost are only those that it counts as dropped", next: "hearth store shows what was dropped")
    case .erasureCountDiffers: ReasonText(area: "store", sentence: "an erasure was requested with another count than it would delete", effect: "samples unaffected; no sample was deleted", next: "hearth wearer erase with the same person shows the count; repeat it with --yes-lose")
    case .wearerErased: ReasonText(area: "store", sentence: "all data of a person was deleted from this hub", effect: "samples of that person are lost; other copies may exist", next: "no action")
    case .storeUnread: ReasonText(area: "store", sentence: "samples wait for a reader for longer than store.export_within", effect: "samples unaffected; the oldest are evicted when the store is full", next: "hearth uplink shows the broker's state; without an uplink, hearth export --cursor NAME")
    case .storeTimesCorrected: ReasonText(area: "store", sentence: "a time server revealed the hub's clock error; earlier sample times are corrected", effect: "samples unaffected; earlier ones are read with their true time, marked as corrected", next: "no action; a clock module would make times sure from the start")
    case .storeSalvaged: ReasonText(area: "store", sentence: "lost samples came back from an old file of the store", effect: "samples that had been lost are in the store again", next: "no action; a reader that had passed their place: hearth store forget-cursor NAME")
    case .storeFailing: ReasonText(area: "store", sentence: "the card fails, or takes no writes; new samples are in memory only", effect: "lost from the last commit on if power fails now, and from the time memory is full", next: "hearth export at once; hearth doctor has the commands to mount it; then replace the card")
    case .backupDamaged: ReasonText(area: "backup", sentence: "a backup is damaged, or is not one", effect: "samples unaffected; no data was restored", next: "use another copy of the file, or an older backup")
    case .backupPassphraseWrong: ReasonText(area: "backup", sentence: "the passphrase does not open the backup, or its beginning was changed", effect: "samples unaffected; no data was restored", next: "try the passphrase again; if it is right, use another copy of the file")
    case .backupFileUnusable: ReasonText(area: "backup", sentence: "a backup cannot be written or read", effect: "samples unaffected; earlier backups stay", next: "check the path, its permissions and its free room; --force overwrites an existing file")
    case .restoreRefused: ReasonText(area: "backup", sentence: "this hub already has wearables, so a backup cannot be restored on it", effect: "samples unaffected; no data was restored", next: "restore on a fresh hub; or: sudo systemctl stop hearthd, then move its store's folder away")
    case .backupInterrupted: ReasonText(area: "backup", sentence: "a backup was aborted before it was complete", effect: "samples unaffected; the file was not written", next: "hearth backup FILE once more; with --samples at a quiet hour")
    case .backupOverdue: ReasonText(area: "backup", sentence: "the newest backup is older than twice the backup interval", effect: "samples unaffected; if the card dies, what was set up since then is lost", next: "sudo hearth backup --scheduled, and see what it says")
    case .backupFailed: ReasonText(area: "backup", sentence: "the scheduled backup failed", effect: "samples unaffected; if the card dies, what was set up since the last one is lost", next: "sudo hearth backup --scheduled, and see what it says")
    case .backupNotConfigured: ReasonText(area: "backup", sentence: "no backup is scheduled", effect: "samples unaffected; no file was written", next: "set backup.to and backup.passphrase_file in the configuration, then hearth config check")
    case .restored: ReasonText(area: "backup", sentence: "this hub was restored from a backup", effect: "samples that the backup does not have are lost, unless wearables still hold them", next: "no action; make sure that the old hub is off")
    case .clockUntrusted: ReasonText(area: "clock", sentence: "the hub's clock is not set by any time source", effect: "samples unaffected; their times are stored with evidence to correct them", next: "give the hub a network with NTP, or a clock module: timedatectl shows the state")
    case .clockStepped: ReasonText(area: "clock", sentence: "the hub's clock was set to another time", effect: "samples unaffected; times before and after the step do not join", next: "no action if it is rare; else find out why the clock is wrong after boot: timedatectl")
    case .socketInUse: ReasonText(area: "control", sentence: "another hearthd answers on the control socket", effect: "samples unaffected; the other hearthd keeps running", next: "hearth status queries it; stop it first if this one should take its place")
    case .socketUnavailable: ReasonText(area: "control", sentence: "the control socket cannot be made", effect: "samples unaffected; the hub was not started", next: "check the folder of control.socket with ls -ld, then: sudo systemctl restart hearthd")
    case .controlMalformed: ReasonText(area: "control", sentence: "a message on the control socket is not understood", effect: "samples unaffected", next: "hearth version shows the installed one; sudo systemctl restart hearthd makes it run")
    case .controlUnknownMethod: ReasonText(area: "control", sentence: "a client called a method that this hearthd does not offer", effect: "samples unaffected", next: "sudo systemctl restart hearthd, which then runs the installed version (hearth version)")
    case .controlBadParameter: ReasonText(area: "control", sentence: "a client's request has a parameter that is missing or does not fit", effect: "samples unaffected; no change was made", next: "correct the parameter named; hearth COMMAND --help shows what fits")
    case .controlTooManyClients: ReasonText(area: "control", sentence: "all places at the control socket that this client may have are taken", effect: "samples unaffected", next: "end hearth live or scripts that hold connections, then ask again; root has its own places")
    case .controlClientTooSlow: ReasonText(area: "control", sentence: "a client left its answers unread for too long and was disconnected", effect: "samples unaffected; only what that client would have seen is missing there", next: "ask again; hearth export gives everything that was stored")
    case .daemonDown: ReasonText(area: "control", sentence: "hearthd is not running, or not at this socket", effect: "samples lost from its stop until its start; recordings stay on the wearables", next: "systemctl status hearthd; hearth store still reads what is kept")
    case .controlNotAllowed: ReasonText(area: "control", sentence: "this user has no permission for that", effect: "samples unaffected; no change was made", next: "run it with sudo; for all but keys and updates, join the group hearth and log in again")
    case .timeNotUnderstood: ReasonText(area: "control", sentence: "a time has an unknown form", effect: "samples unaffected; no change was made", next: "use today, yesterday, 14:30, 2026-11-22, '2026-11-22 10:00', 2h, 2026-11-22T10:00:00+01:00")
    case .agreementMissing: ReasonText(area: "control", sentence: "a loss of data was not confirmed", effect: "samples unaffected; no change was made", next: "read what would be lost, and repeat the command with the option it names")
    case .controlRoleMissing: ReasonText(area: "control", sentence: "this user is not in the group that the request needs", effect: "samples unaffected; no change was made", next: "join the group that is named, log in again; hearth explain H6020 lists the groups")
    case .orderGiven: ReasonText(area: "control", sentence: "an order was given to the hub", effect: "samples unaffected, unless the order says otherwise", next: "no action")
    case .terminalMissing: ReasonText(area: "control", sentence: "a full-screen view needs a terminal that can redraw a screen", effect: "samples unaffected; no change was made", next: "print one screen with hearth watch --once")
    case .fleetUnreachable: ReasonText(area: "control", sentence: "a hub of the list did not answer over SSH", effect: "samples unaffected; this hub is missing from the table", next: "try ssh with the name that is shown; its error message is beside it")
    case .fleetAnswerUnreadable: ReasonText(area: "control", sentence: "a hub of the list sent an answer that is no document of Hearth", effect: "samples unaffected; this hub is missing from the table", next: "run the same command on that hub alone, and update it if it is older than this one")
    case .fleetNotForMany: ReasonText(area: "control", sentence: "this command is for one hub at a time", effect: "samples unaffected; no hub was queried", next: "log in to the hub with ssh and run it there")
    case .lightsChipMissing: ReasonText(area: "lights", sentence: "the GPIO chip of the board was not found", effect: "samples unaffected; the LEDs stay dark", next: "gpiodetect lists chips; set lights.board to one that fits or remove it, restart hearthd")
    case .lightsLineMissing: ReasonText(area: "lights", sentence: "the GPIO chip has no line of that name", effect: "samples unaffected; the LEDs stay dark", next: "gpioinfo lists the lines; correct the board file, then restart hearthd")
    case .lightsLineBusy: ReasonText(area: "lights", sentence: "a GPIO line of an LED is in use or cannot be driven", effect: "samples unaffected; the LEDs stay dark", next: "gpioinfo shows the program that holds it; end it or its overlay, then restart hearthd")
    case .lightsBoardUnknown: ReasonText(area: "lights", sentence: "there is no such board, or its file lists no LEDs (lamps)", effect: "samples unaffected; the LEDs stay dark", next: "set lights.board to a file in board/, without .yaml, or remove it, then restart hearthd")
    case .startedAfterStop: ReasonText(area: "hub", sentence: "the hub was started; the run before was stopped cleanly", effect: "samples lost while it did not run; recordings stay on the wearables", next: "no action")
    case .startedAfterKill: ReasonText(area: "hub", sentence: "the hub was started; the run before ended without a stop", effect: "samples lost from its last commit until the start; recordings stay on the wearables", next: "find out why it ended: hearth log -n 200")
    case .startedAfterPowerCut: ReasonText(area: "hub", sentence: "the machine was started again; the hub's run before ended without a stop", effect: "samples lost from its last commit until the start; recordings stay on the wearables", next: "if the power was not cut, check supply and cable; hearth store verify checks the store")
    case .startedFirst: ReasonText(area: "hub", sentence: "the hub was started, and the store has no record of an earlier run", effect: "samples unaffected", next: "no action")
    case .startedAgain: ReasonText(area: "hub", sentence: "the hub was started several times within an hour", effect: "samples lost while it did not run; recordings stay on the wearables", next: "find out why it ended: hearth log -n 200")
    case .logUnavailable: ReasonText(area: "hub", sentence: "the log of the hub cannot be read, or has no line", effect: "samples unaffected", next: "sudo hearth log; without systemd: hearth log --file FILE with the messages of hearthd")
    case .metricsUnwritable: ReasonText(area: "hub", sentence: "the file for the collector of metrics cannot be written", effect: "samples unaffected; the collector gets no new metrics", next: "set metrics.file to /run/hearth/metrics.prom, then: sudo systemctl reload hearthd")
    case .updateReturned: ReasonText(area: "hub", sentence: "an update failed its trial, and the version before is installed again", effect: "samples unaffected; what was measured during the two minutes of the trial may be delayed", next: "hearth update status says why; when seen: sudo hearth update dismiss")
    case .updateStuck: ReasonText(area: "hub", sentence: "an update failed, and the version before could not be installed again", effect: "live samples are lost until the hub serves; wearables keep what they recorded", next: "sudo hearth update apply FILE with a version that worked, or a newer one")
    case .updateNotDone: ReasonText(area: "hub", sentence: "the update was not installed", effect: "samples unaffected; the installed version goes on", next: "hearth update status, and what apt or dpkg said above")
    case .updateNotKept: ReasonText(area: "hub", sentence: "there is no earlier package to go back to", effect: "samples unaffected; the installed version goes on", next: "sudo hearth update apply FILE with the version that is wanted")
    case .uplinkBrokerUnreachable: ReasonText(area: "uplink", sentence: "the message broker cannot be reached", effect: "samples unaffected; they wait in the store", next: "hearth uplink shows address and cause; check that broker and network are up")
    case .uplinkBrokerRefuses: ReasonText(area: "uplink", sentence: "the message broker refuses this hub", effect: "samples unaffected; they wait in the store", next: "compare user, password, client name and topics in uplink.yaml with those of the broker")
    case .uplinkCertificate: ReasonText(area: "uplink", sentence: "the secure connection (TLS) to the broker fails", effect: "samples unaffected; they wait in the store", next: "hearth uplink has the cause; not yet valid: hearth clock; else a new file, read at each try")
    case .uplinkSessionTaken: ReasonText(area: "uplink", sentence: "another client uses the name of this hub at the broker", effect: "samples unaffected; they wait in the store, or are sent twice and stored once", next: "give each hub its own name with hub.name, then restart hearthd and hearth-uplink")
    case .uplinkUnacknowledged: ReasonText(area: "uplink", sentence: "the broker takes messages but does not acknowledge them", effect: "samples unaffected; they wait in the store", next: "look at disk and log of the broker; hearth uplink shows the last acknowledgement")
    case .uplinkHubSilent: ReasonText(area: "uplink", sentence: "hearth-uplink cannot query the daemon", effect: "samples unaffected; they wait in the store", next: "sudo systemctl status hearthd hearth-uplink shows whether both run")
    case .uplinkLosses: ReasonText(area: "uplink", sentence: "the store evicted rows that the broker never had", effect: "samples lost, the oldest first (quotas of the store), until rows are acknowledged again", next: "hearth store shows what was evicted; repair the uplink, or raise store.size")
    case .uplinkOrderRefused: ReasonText(area: "uplink", sentence: "an order to send rows again was refused", effect: "samples unaffected; no rows are sent again", next: "hearth uplink shows what is under way; repeat the order with a time that is in the past")
    case .uplinkDown: ReasonText(area: "uplink", sentence: "hearth-uplink does not run", effect: "samples unaffected; they wait in the store", next: "sudo systemctl enable --now hearth-uplink, after its settings are in uplink.yaml")
    case .uplinkNoReader: ReasonText(area: "uplink", sentence: "the broker takes rows that no client reads", effect: "samples unaffected; they wait in the store", next: "start hearth-sink, or check that the broker's access list lets it read hearth/1/+/+/rows")
    case .uplinkRowTooLong: ReasonText(area: "uplink", sentence: "the broker's packets are too short for some rows, which were skipped", effect: "samples unaffected in the store; these rows are not sent (a gap in hearth-sink gaps)", next: "raise the broker's limit, then hearth uplink resend --from TIME (hearth uplink shows it)")
    case .sinkBroker: ReasonText(area: "sink", sentence: "the sink cannot consume from the broker as it should", effect: "samples delayed; they stay with the broker and the hubs", next: "journalctl -u hearth-sink has the cause; check that the broker runs and knows this user")
    case .sinkDatabase: ReasonText(area: "sink", sentence: "the sink cannot write to the database", effect: "samples delayed; they stay with the broker and the hubs", next: "journalctl -u hearth-sink has the database's message; check its disk, user and schema")
    case .sinkBatchRefused: ReasonText(area: "sink", sentence: "a batch could not be read and was quarantined", effect: "samples delayed; the batch is in the table quarantine and hubs can send again", next: "look at hearth.quarantine; update the sink, then hearth-sink again")
    case .sinkGap: ReasonText(area: "sink", sentence: "rows of a ring are missing that its hub sent", effect: "samples delayed until they are sent again, if the hub still has them", next: "on the hub that is named, run hearth uplink resend --from with a time a day before the gap")
    case .sinkStoreTwice: ReasonText(area: "sink", sentence: "two hubs send rows of one store at the same time", effect: "samples delayed; the batches are in the table quarantine and hubs can send again", next: "see which hub's card was copied, or let the new hub have the store: hearth-sink adopt")
    }
  }

  /// Two to five sentences: what the hub saw, the usual cause, and what to check in which order. One line, to be wrapped.
  public var explanation: String {
    switch self {
    case .configUnreadable: "The file named could not be opened or read. Usually the path is wrong, or the user hearth has no permission. Run ls -l on the file and on each folder above it. Without its configuration hearthd does not start and ends with exit status 2."
    case .configSyntax: "The YAML parser stopped at the line and column named. Usual causes are tabs for indentation, a missing space after a colon and an unclosed quote. The mistake may be on the line before. Correct it and repeat hearth config check until all is well."
    case .configUnknownKey: "Every key must be in the list that Hearth knows, so that a misspelt setting is never ignored. The message names file, line and column, and the nearest known key if one is similar. The file config/hearth.yaml has every key with its default."
    case .configBadValue: "The value has the wrong type or format for its key, or lies outside its limits. Units belong to the value: 45s, 15m, 1500MB, 4KB. Words such as yes and on are text, not switches. The message says which kind of value is expected."
    case .configReloadRefused: "At a reload the new files did not pass the check, so hearthd keeps the configuration that it had. The HUB LED shows code 4 until a reload passes. To find the line, run hearth config check, which reads the same files. Do not restart hearthd before that: it would not start with these files."
    case .setupFileUnreadable: "The file of answers given to hearth setup could not be opened, or is larger than 64 KiB. At boot that file is hearth-setup.yaml on the boot partition, which Raspberry Pi OS mounts at /boot/firmware. Do not confuse it with the whole configuration, hearth.yaml."
    case .setupFileInvalid: "The file of answers is read strictly. An unknown key, or a value that its key does not take, refuses the whole file. The message gives line and column only, because the content may be a password. After a boot the file is called hearth-setup.failed.yaml, so that it is not tried again. Correct it, rename it to hearth-setup.yaml, and restart the machine."
    case .setupUnasked: "The command hearth setup asks its questions at a terminal. There is no terminal, or --no-input forbids asking. In a script use --defaults, which keeps existing settings, or --file with answers. Add --dry-run to see what either would write."
    case .setupOverridden: "Files of the folder hearth.d are read after hearth.yaml and override it. The set-up writes only hearth.yaml, so an answer about a key of such a file would have no effect. To avoid a half-applied set-up, no answer was written."
    case .setupRefused: "Before writing, the set-up checks the changed configuration with all files that belong to it, as hearth config check does. The check failed, or another key would have changed too. Usually lights.board names a board that does not exist, or the layout of the file cannot be edited line by line."
    case .setupNotWritten: "The set-up writes a new file and then renames it, so the old configuration is intact. Usually hearth setup was not run as root. Otherwise the card is full, or its file system became read-only after an error, which hearth doctor reports."
    case .setupUserUnknown: "Users that may query the hub are members of a group of this machine, by default hearth. The user is not in /etc/passwd, the group is not in /etc/group, or the tool that adds the member failed. At a first boot the user may not exist yet. Then leave who_may_ask out and add the user later."
    case .setupFileLeft: "The answers were applied. However, hearth-setup.yaml could not be renamed on the boot partition, or its result could not be written there. The hub remembers this exact file and does not apply it again. A boot partition that is mounted read-only is the usual cause."
    case .setupNotTaken: "The configuration was checked and written, but systemctl could not make hearthd read it. The daemon may have been started by hand. If it failed for another reason, the journal has it."
    case .setupDeclined: "The input ended, ten answers in a row did not fit, or the last question was not answered with yes. The command hearth setup writes only after that last question, so the configuration is unchanged."
    case .attMalformed: "The bytes passed the radio's checksum, but they are no message of the Attribute Protocol (ATT). The cause is the wearable's firmware, not interference. The hub drops the message and counts it. The counter is shown by hearth device NAME."
    case .attTimeout: "The Bluetooth specification gives a device 30 s to answer a request. After this ATT timeout the link may no longer be used, and the hub closes it. Weak reception is rarely the cause, because a weak link is lost earlier. A wearable that does it repeatedly hangs: take it off, let it switch itself off, or remove its battery."
    case .attProtocol: "An ATT response without a request means that hub and wearable disagree about the state of their conversation. The hub closes the link and connects again, which helps unless the firmware is at fault. Model and firmware, which the maker will ask for, are shown by hearth device NAME."
    case .gattDiscoveryBounded: "A wearable lists its services and characteristics in rising order of handles. This list repeated itself, went backwards or was longer than that of any real device, so the hub stopped reading it. The wearable is broken or hostile. The hub tries it again later, and other wearables do not have to wait for it."
    case .gattValueMalformed: "A measurement begins with flags that say which fields follow, and these fields did not match them. The hub drops and counts the value instead of guessing. Single cases are firmware bugs at the start of a measurement. If most values fail, the driver does not fit this model."
    case .gattMissing: "The wearable connected, but lacks a service or characteristic that every device of its kind has, such as Heart Rate Measurement. The device may be another model under the same name, or in a firmware update mode. Maker, model and firmware are shown by hearth device NAME, as far as they could be read."
    case .notificationFlood: "Each kind of wearable has a highest data rate. Requests for other connection parameters are limited to a few a minute. This wearable exceeded such a limit several times over, so the hub closed the link to protect the shared radio and card. A restart of the wearable usually helps. If the flood goes on, the device is faulty or not what it claims to be."
    case .attRefused: "The wearable answered a request with an ATT error, which the message names. Errors 0x05, 0x08, 0x0C and 0x0F ask for encryption, a stronger key or authorization. Errors 0x02, 0x03 and 0x06 mean that it does not offer this, and 0x80 and above are defined by the wearable. Rarely the hub itself refuses, because too many requests wait on that link. The hub goes on with everything that was not refused."
    case .procedureTimeout: "Every step with a wearable has a time limit, so that a slow wearable does not block the others. The usual cause is weak reception. The signal strength (RSSI) is shown by hearth devices, and below -85 dBm no link works well. Metal lockers and a body between hub and wearable cost 20 dB and more."
    case .slotsFull: "An adapter holds a limited number of links at once (slots), often 5 to 7. When all are in use, wearables take turns: the one that waits longest evicts one that had its time. A bonded wearable can use only the adapter of its bond. Streamed values are lost for the time that the event names; recordings are fetched at the next visit. With radio.adapter and radio.adapters at auto, their default, the hub uses another USB adapter as soon as it is plugged in."
    case .notHeard: "To connect, the hub has to hear one more advertisement of the wearable, and it did not come in time. Chest straps advertise only while they touch wet skin, and stop after about a minute without it. A wearable that is connected to a phone does not advertise at all, so the hub cannot find it."
    case .linkProfileRefused: "A connection profile is a set of connection parameters that decides how often the wearable's radio wakes up. This wearable refused one, or accepted it without effect. Usually its firmware requests parameters that break a rule of Bluetooth, and its own radio rejects them. The hub remembers this for the firmware and uses the next faster profile, which costs battery but no data. Requested, effective and reported values are shown by hearth link NAME."
    case .linkLost: "The radio received no packet from the wearable during the supervision timeout, some seconds. Usual causes, in this order, are a wearer out of range, a flat battery, and 2.4 GHz Wi-Fi of the same board. The hub connects again as soon as it hears the wearable."
    case .peerClosed: "The wearable itself closed the link. Straps do so when they are taken off, and some do when a phone wants to connect. If it happens every few minutes while worn, check its battery with hearth device NAME."
    case .failedToEstablish: "The hub began to connect, and the message says how that ended. Mostly the wearable was heard, but no packet followed on the data channels (failed to be established). Otherwise the attempt exceeded its time, or the kernel refused it. At the edge of reception this happens to about one try in ten, and the next try mostly works. If most tries fail, the antenna may be covered or 2.4 GHz crowded: move the hub away from metal and from Wi-Fi access points."
    case .linkAborted: "The link ended on the hub's side, usually to make room. The link was not used in time, another wearable had waited longer for its slot, or the wearable was to be forgotten. Another cause is an adapter that was switched off or reset. Then hearth radio shows which step was tried and when, and a code of its own is reported."
    case .linkFound: "The link to a wearable was lost unintentionally and is connected again. The event says from when to when it was lost. Streamed values of this time are missing, and recordings are fetched at the next visit. Further losses within an hour are counted in H2110."
    case .linkUnsteady: "A wearable that loses its link many times an hour has one event an hour. The event has the number of losses, the time from the first loss to the last return, and the total time without a link. Usual causes are distance, a body or metal in between, and a battery that runs low. Battery and counters are shown by hearth device NAME."
    case .visitBusy: "The wearable answers that it cannot serve now: its memory is being written, it talks to a phone, or a training is running. The hub waits for a minute, or for as long as the wearable asked, and tries again. If it stays busy for hours, look for a phone that is connected to it."
    case .visitRefused: "A request that every visit of this family needs was answered with an error. Usual causes are other firmware, a missing pairing or a special mode of the wearable. See the request and the error in hearth visits, and the firmware in hearth device NAME. Recordings stay on the wearable, and the hub tries again after some time."
    case .visitBroken: "An answer had a wrong length, a wrong order or invalid content. The hub closes the link, which resets the protocol on both sides. After connecting again, fetching resumes at the last byte that is safe. A single case may be undetected interference; repeated cases are a fault of the wearable's firmware."
    case .visitSilent: "The link was up, but the wearable did not respond within the time limit of its protocol. Usually the wearable hangs, or its battery is nearly empty (hearth device NAME). The hub closes the link, backs off a little longer each time, and resumes the transfer. If it stays, restart the wearable: its recordings survive that."
    case .itemDefective: "A file or record was fetched twice and is invalid: too short, with a wrong checksum, or of an unknown version. Usually the wearable lost power while it wrote. The hub stores the bytes as they are, in case they can be decoded later, and never erases the item. See item and fault in hearth custody NAME. The code stays with the wearable and its visits as long as it holds such an item."
    case .eraseIneffective: "The hub asked the wearable to erase recordings that are safely stored. The wearable acknowledged, but still has all of them. Some firmware erases only once after each start, so the hub does not repeat that erasure until a restart or new firmware. After eight failures in a row this holds for all erasures. If the wearable does not report its start, the hub tries again after a day; no data is lost, but its memory fills."
    case .visitUnsupported: "This version of Hearth cannot fetch or decode an item on the wearable. The item's type or version is unknown, or it is larger than 8 MiB. The item stays on the wearable, and everything else is fetched as usual. The item is named in hearth custody NAME and hearth visits."
    case .notLinked: "The request needs the wearable itself, but the hub does not hear it. The wearable is out of range, switched off, or connected to another device. If it can be heard, a link is not needed beforehand: the hub then makes a visit for the request."
    case .recordingNotArmed: "At the end of each visit the hub reads back which recordings run or start automatically. A recording that was ordered, or that ran when the visit began, is missing. The hub tried to start it again and shows why that failed: full memory, charging, or settings that the firmware does not have. The next try is at the next visit, within ten minutes."
    case .settingNotTaken: "The hub wrote an ordered setting to the wearable, and reads back another value. Settings are features, its own options such as the wearing position, radio switches and the wearer's physical data. Often its firmware has no such setting. If its present settings cannot be read, the hub leaves all as they are until it is set up again with its maker's program. The hub tries again at each visit."
    case .itemLocked: "A recording is encrypted, and the hub has no key for this wearable, or another one than the recording was made with. The hub stores the encrypted bytes and never erases the recording. To decode it, enter the key of the person that started it with hearth settings NAME set secret; the hub then fetches it again. The item is named in hearth custody NAME. The code stays with the wearable and its visits as long as it holds such a recording."
    case .requestUnsupported: "The request needs a capability that the wearable or its model does not have, or that it refused. Examples are a series that it does not stream, a rate that it does not offer and an unknown action. No change was made. The message says what it offers instead."
    case .secretUseless: "A secret was ordered for a wearable that records no data, or for a model that cannot encrypt, as its maker describes it. With a secret the hub allows only encrypted recordings, so such a model would record no data at all. The order was refused, and all settings are unchanged. If a wearable was not heard yet, its model is unknown and the secret is kept. In that case H2128 reports later that it does not record, and why."
    case .streamNotBegun: "A live stream was ordered that the wearable's driver can start. The stream failed to start three times in a row, or the wearable reports it as running but sends no value. The hub tries again after each visit, and with a back-off that doubles up to ten minutes. A stream that waits for a passing condition, such as a session that is being recorded, has no code."
    case .requestNotDone: "An action or a query failed: the wearable was busy, its link was lost, or its turn did not come in time. The hub keeps visiting the wearable, but does not keep this request. Orders, settings and recordings that cannot start now are kept instead, and their answer says so."
    case .driverMissing: "The registry names a driver for this wearable that is not in this build, usually because the hub was downgraded. The hub neither visits nor queries the wearable, and its samples stay in the store. With the newer version the hub goes on as before."
    case .requestUntimely: "Some requests are valid only in certain states. For example, a recorded activity must be stopped before another one or a stream can start. A paused one can only go on or be stopped. The hub does not send an invalid request, because it can crash the wearable's firmware. The message says what the wearable does now, and what ends that."
    case .wearableMissing: "The hub remembers when it last heard each enrolled wearable, also over restarts. This one was silent for longer than lane.absent_after (25 hours; one hour on a ward), or than its own limit. The wearable is out of range, its battery is empty, or it is connected to a phone and does not advertise. The code ends as soon as it is heard. If it is gone for good, use hearth device NAME forget."
    case .wearableBack: "The hub hears a wearable again that was missing (H2140). The event says since when it had not been heard. What it recorded meanwhile is fetched at its next visit, which is soon."
    case .batteryLow: "The last reading was at or below battery.low, by default 20 %. This is information only: no LED and no exit code shows it. The code ends at a reading five points above that. A reading older than a day is ignored, because most wearables were charged since. Reading and age are shown by hearth device NAME."
    case .syncRunning: "Only one sync of a wearable runs at a time, because the wearable has one channel for requests. The sync may wait for its turn. If the link is lost it resumes in another visit, and after a restart of the hub it goes on too. The sync ends when each kind of data is complete, or after ten minutes without progress. To see it at once, run hearth sync NAME --last."
    case .monitoringNotTaken: "Automatic measurements (whether, how often) were ordered and written to the wearable. The value that the hub reads back is different, writing was refused, or the wearable has no such function. The order, the effective value and the wearable's report are shown by hearth monitor NAME. The hub tries again at each visit."
    case .measurementSkipped: "The hub was to measure vital signs by itself, as ordered with hearth settings NAME set measure. The wearable was away, not on the body or busy, or the measurement ended with an error. The event says which. A skipped measurement is not repeated; the next one is due at its own time, see hearth settings NAME."
    case .shareReached: "To keep one wearable from filling the store, each has a share in bytes a day (store.share, a tenth of store.size). Streamed values beyond it are dropped and counted as over_share in hearth device NAME. Recordings beyond it are fetched the day after, and samples of other wearables stay. Only raw streams at their highest rates come near the share. Check that the wearable is one of yours and in use, and forget it if not."
    case .recordUnreadable: "A record has an impossible date, or a count that does not fit. The hub skips it, decodes the other records of the transfer, and stores the bytes of the whole transfer (series raw). A record with an impossible date would come again every time, so the hub lets the wearable delete it. After a count that does not fit, the wearable keeps all records."
    case .clockMovedElsewhere: "Some bands do not report their time, so the hub sets it at each visit and calculates what the clock must have shown. Some records do not fit. Another program, such as a phone app, had set the clock, or the band had lost its time. The hub estimates the error from these records and stores their values at corrected times. These values, and others of the same hours, are marked as not sure."
    case .valuesAhead: "A value is dated more than two minutes after the moment of its fetch, and no other value shows that the clock was fast. The hub stores its bytes, but not the value. The wearable keeps its data of that kind, so no data is lost. When the time has come, the value is stored."
    case .measurementEmpty: "The wearable measured as ordered, but found no value. Bands report 0 when they are not worn or the arm moved. The hub stores no sample for it. Tighten the band, keep still, and order the measurement again."
    case .valueOdd: "A value is left out if it is impossible, or if the wearable marks it as invalid. With reserved flags or extra bytes at its end it is taken. The log has each reason once for a wearable since the hub started; count and last time are in hearth device NAME. Many are ordinary: an oximeter without a finger, a person moving on a scale. If values are missing or wrong, report the model: some send their own layout under a standard service."
    case .linkTaken: "The hub makes one connection attempt and one link for each wearable at a time. A try of an unknown wearable, a pairing and a visit share that attempt. This request could not share it, because the radio still had a link or an attempt to the same address. The hub tries again when that has ended, after a second or two."
    case .authenticationFailed: "The wearable refused pairing or encryption. Many wearables hold one bond only, and refuse other hosts until that bond is deleted on its other side. Look for a phone or an older hub first. All recordings stay on the wearable. The hub does not repeat the try, because only a person can solve this."
    case .keyMissing: "The device at this wearable's address has no bond key, or another one. The wearable was reset, bonded elsewhere or lost its memory, or this is another device. The hub stores no data of it and tries the key again at every link. To keep recordings, end its other bond and restart it before any factory reset. If the code stays, hearth enroll open and hearth enroll accept NAME pair it again, or let it go on without encryption if supported."
    case .pairingRefused: "The hub pairs only with wearables that a person is enrolling, so that no unknown device can join under a known address. A wearable that was reset later requests pairing and is refused. If you know the cause: hearth enroll open, hold it near, hearth enroll accept NAME. Name, data, orders and wearers stay, and only the keys change. For a hub in a place that you trust, enroll.pairing may be always."
    case .pairingUnknown: "A pairing that needs an answer waits 30 s, as long as the wearable itself does. This one was answered already, has expired, or does not exist. Start it again at the wearable, then run hearth pair at once."
    case .bondMade: "Wearable and hub paired, and the new bond key is in the store and in the radio. After a lost key (H2207) links are encrypted again from the next one on."
    case .keyNotGiven: "Pairing encrypts one link. The key for later links is kept only if both sides bond. This wearable gave no key, or one that may not be kept, so it would refuse every later link. The hub counts this as a failed pairing, closes the link and tries again after twenty minutes, then less often. Some wearables bond only in their pairing mode, or only while no other bond is in their memory."
    case .noSuchBond: "The list of bonds has each bond with its wearable and the address. Neither matches this name. The wearable may never have been paired, or its bond was removed."
    case .bondFileDamaged: "A file of bonds begins with a mark, the parameters of its encryption and a salt; all the rest is sealed. This file has another beginning, asks for more memory than any hub would, is cut short, or has invalid content. No part of it was imported."
    case .bondPassphraseWrong: "The key of the file is derived from the passphrase, and it does not fit. A wrong passphrase and a file that was changed after its beginning look the same, and cryptography cannot distinguish them. No part of the file was imported."
    case .bondPassphraseMissing: "With the keys of a bond any device can pretend to be the hub. The hub therefore exports them only in a file that is sealed with a passphrase. At a terminal you enter it twice; --passphrase-file reads it from a file. An empty passphrase does not count."
    case .bondFileUnreadable: "The named file could not be opened, is too large to be a file of bonds, or exists already and would be overwritten. The detail says which case it is."
    case .batteryCritical: "The last reading was at or below battery.critical, by default 10 %, and the wearable is here. Recordings are safe on it. However, an empty wearable may lose its clock, and an empty strap sends no values. The LINK LED shows code 3 until a reading is five points above the limit. A reading older than a day, or of a wearable that left, is ignored; value and age are shown by hearth device NAME."
    case .boundElsewhere: "Bands of this kind are bound to one host at a time, and this one reports another user: a phone or another hub. The hub asks again at each visit, and never overrides the binding. If the other user is unknown, a reset in the band's own menu ends the binding. This reset erases all data on the band."
    case .bindingNotConfirmed: "When a band is bound for the first time, it may ask for confirmation on its display. The wearer pressed cancel, or did not confirm in time. The hub asks again at each visit."
    case .bindingBatteryLow: "The band itself refuses to be bound below a battery level of its own choice. There is no other fault. The hub asks again at each visit, and binds the band when it accepts."
    case .bindingNeedsReset: "The band reports that it must be reset before it can be bound. A reset erases its data, so the hub leaves that to you. The usual cause is an earlier binding to another user that was ended by force."
    case .bindingRefused: "The band answered that binding or logging in failed, without a reason that Hearth knows. The hub tries again at each visit."
    case .bindingLeft: "To forget a band, the hub unbinds it over a link. There was no link, so only the hub forgot the band. Until it is reset, the band refuses a phone. This hub can enrol it again without a reset."
    case .impostorSuspected: "Any device can copy an address. This one differs from the enrolled wearable in serial number, model, name or GATT database. The hub stores no data of it, closes the link and tries again, so that the true wearable is served when it is back. A wearable that was reset, renamed or replaced fails the check too. Then accept it in an enrolment window (hearth enroll open, hearth enroll accept NAME): its name and data are kept."
    case .identityClaimed: "A device with a changing (private) address states its identity address during pairing, without any proof. This device stated the address of a wearable that is enrolled or was heard here. The hub deleted its keys at once, so its bond and values cannot be mistaken for those of the other. A wearable that was reset states its old address with a new key. Forget it first, then accept it."
    case .enrolWindowClosed: "Wearables join only while an enrolment window is open, so that a visitor's strap is not enrolled by accident. Open a window of two minutes with hearth enroll open; the LINK LED blinks slowly meanwhile. If enroll.mode is closed (H2311), change the configuration first."
    case .enrolTooFar: "A window accepts only wearables with a signal strength (RSSI) of at least enroll.near_rssi. This distinguishes the one in your hand from others in the hall. Hold it within a hand's width of the hub's antenna; the RSSI is shown by hearth enroll list. Some straps are too weak for the default of -55 dBm: set -65 for them."
    case .enrolNotHeard: "Candidates get letters in the order in which they are heard. When the window closes, the letters expire. Straps sleep until their electrodes are wet, and a wearable connected to a phone cannot be heard. Wake it, then run hearth enroll list."
    case .enrolNameTaken: "Commands address wearables by name, so each name is given once; upper and lower case count as equal. The message says which wearable has the name, or that this one is enrolled already. An enrolled wearable that is accepted again keeps its name. All names are listed by hearth devices, also those of wearables that have not been heard for months."
    case .enrolNameInvalid: "Names appear in commands, file names and log lines. Therefore only ASCII letters, digits, '-', '_' and '.' are allowed, at most 32 characters, and no space. The name that a wearable advertises is cleaned up before it is proposed."
    case .registryFull: "The list of wearables is bounded, which limits memory and start-up time. With enroll.mode all a wearable that joined by itself and never sent a value is removed first. H2306 appears when there is no such wearable left. Forget wearables that are no longer used, and set enroll.mode to window in places with passers-by."
    case .noSuchWearable: "The name or address is not in the registry of this hub. Names must match exactly; addresses have the form AA:BB:CC:DD:EE:FF. A wearable that was heard but never enrolled has no name here: see hearth enroll list."
    case .enrolNotRecognised: "The hub hears the wearable, but no driver knows the services that it advertises, and the hub connects to recognised devices only. A heart rate strap must advertise the Heart Rate service, 0x180D. Some do so only in their open mode, which is set in the maker's app."
    case .driverChanged: "The wearable was enrolled under the driver of a standard service. The driver of its family did not exist then, or the wearable had not identified itself yet. Over a link it gave the name and services of a family that the hub knows. From the next link on, that family's driver serves it; name, data, orders and wearers stay."
    case .enrolmentEvicted: "With enroll.mode all every recognised wearable may join, but the list is bounded. The oldest one that joined by itself and never sent a value is then replaced by a new one. Wearables that sent a value, or that a person accepted, are never replaced. A removed one can join again when it is heard. With many unknown wearables nearby, enroll.mode window is the better choice."
    case .enrolForbidden: "With enroll.mode closed no wearable joins, however close it is held. Windows exist with enroll.mode: window (the default of a gym) and with all. Change it with sudo hearth setup or in hearth.yaml. Then run sudo systemctl reload hearthd and hearth enroll open."
    case .noSuchWearer: "Samples are assigned to wearers that were entered before, by name or number. A retired wearer keeps the samples that were assigned, and gets no later ones. Enter the person again if they are back."
    case .wearerNameInvalid: "A wearer's name appears in tables and exports, so it is one line of 1 to 64 bytes. Control characters are not allowed, nor a space at the beginning or end. Letters of all scripts are allowed; most of them take two or three bytes."
    case .wearerNameTaken: "Two present wearers of one name would be confused, so each name is given once; upper and lower case count as equal. Names of retired wearers may be used again."
    case .wearerStillWears: "An erasure deletes a number of samples that was confirmed before. A wearable on the person keeps measuring, so this number would be wrong a second later. End each assignment with hearth wearer unassign NAME, then erase."
    case .noSuchAssignment: "An assignment is identified by its wearable and its begin. No assignment of this wearable begins at the given time. A time without a zone is in the zone of the hub, and must match to the second. Each begin is listed in the required form by hearth wearer history."
    case .assignmentTaken: "Two assignments of one wearable cannot begin at the same moment, because it would be unclear which one applies. Give the existing one another wearer, or delete one of the two."
    case .enrolAddressChanges: "Some wearables advertise under a private address that is replaced within minutes. Enrolled under such an address, they would soon be lost. If the address is resolvable, the hub pairs at enrolment and then knows the wearable by its identity key. The hub refuses an address that no key resolves, a family that is never paired, and a pairing without such a key. With enroll.mode all a person has to accept such a wearable in a window."
    case .restRateBeyond: "The hub compares live heart rates with the limits that you set (hearth alerts NAME). This one stayed beyond its limit for 15 minutes of consecutive values, and no sign of exercise was found. The event is shown, with the LINK LED lit with a pause, until it is acknowledged. Another event needs 60 seconds within the limit first. The hub calls no person: this is no medical alarm."
    case .exerciseRateBeyond: "The hub compares live heart rates with the limits that you set (hearth alerts NAME). This one stayed beyond the limit for exercise for 10 seconds without a gap. Exercise is ordered there, or found from steps, wheels and sessions of the wearer. The event is shown until it is acknowledged; another one needs 60 seconds within the limit first. The hub calls no person: this is no medical alarm."
    case .oxygenBeyond: "The saturation (SpO2) that an oximeter sends stayed below its limit for 15 minutes. Values that the sensor marks as doubtful do not count. Usual causes are a loose finger and cold hands. The event is shown until it is acknowledged; another one needs 60 seconds within the limit first. The hub replaces no monitor: this is no medical alarm."
    case .temperatureBeyond: "The temperature that a thermometer sends stayed beyond its limit for 15 minutes, with gaps of at most ten minutes between values. Values that the thermometer marks as doubtful do not count. The event is shown until it is acknowledged; another one needs 60 seconds within the limit first. The hub calls no person: this is no medical alarm."
    case .phasesLeftOut: "Scheduled visits fetch all data, or only the phases that were chosen. The choice is lane.phases for all wearables, or hearth settings NAME set phases for one. Phases that are left out count as by_order in a coverage, not as a loss, and are listed by hearth settings NAME. Fetch them at any time with hearth sync NAME PHASE. The event says from when to when this was so."
    case .collectionPaused: "While it is paused (hearth device NAME pause), the hub makes no link or visit and stores no advertised values. Requests such as hearth sync NAME or hearth measure NAME still work. The wearable stays enrolled with its bond and orders, and never counts as missing. A coverage shows the time as by_order. The pause ends at its time, if one was given, or with hearth device NAME resume."
    case .adapterMissing: "The kernel lists no Bluetooth adapter with Low Energy (BLE). On a Raspberry Pi look for dtoverlay=disable-bt in config.txt and for the firmware package. What the kernel sees is listed by btmgmt info. The hub starts by itself when an adapter appears. Until then the LINK LED shows code 4."
    case .adapterPoweredOff: "The adapter was found switched off while the hub used it. Usually another program did that: bluetoothd, a desktop's Bluetooth menu or btmgmt. The hub switches it on and connects again. If it goes off at regular times, the cause may be power management: look at journalctl around those times."
    case .adapterBlocked: "The kernel switches radios with rfkill; blocked ones are shown by rfkill list. A soft block is removed by rfkill unblock bluetooth, and stays removed over a restart unless it is saved again. A hard block is a switch on the device. With radio.unblock_rfkill set to true the hub removes soft blocks itself at start."
    case .adapterRemoved: "The adapter left the system: a USB stick was unplugged or lost its power, or the driver of the onboard adapter was unloaded. Reported of one wearable, it means the adapter of its link or of its bond. The hub waits and sets the adapter up again when it returns, under any number. A stick that leaves by itself under load usually lacks current: use a powered USB hub or another power supply."
    case .controllerSilent: "The controller does not answer commands, or no advertisement arrived in a time in which some always do. The hub performs its recovery, from restarting the scan to resetting the adapter. The HUB LED shows code 2 meanwhile. On a Raspberry Pi suspect under-voltage first: vcgencmd get_throttled should print 0x0. For kernel messages see journalctl -k."
    case .kernelWithoutBluetooth: "The kernel refused to open a Bluetooth socket: it was built without Bluetooth, or its module is not loaded. Find out with modprobe bluetooth. All other parts of the hub run, so stored samples can be read and exported."
    case .capabilityMissing: "The kernel lets only privileged processes control an adapter. The systemd unit gives hearthd the capability CAP_NET_ADMIN, and CAP_NET_RAW to observe actual link parameters. Started by hand it needs root. In a container the capability must come from the host itself. A user namespace is not enough."
    case .bluetoothdClash: "Hearth talks to the kernel directly and needs no bluetoothd (BlueZ). A running bluetoothd may switch the adapter off, stop the scan, connect to wearables itself and reject pairing. If another program on this machine needs it, give that program its own adapter, and exclude that one with not:ADDRESS in radio.adapters. Otherwise disable it."
    case .adapterNotChosen: "There are adapters, but the configuration excludes all of them. With radio.adapter at auto, the default, all adapters serve together, as far as radio.adapters allows. Any other value selects a single adapter: usb, uart or an address. In radio.adapters, auto means all; other values are usb, uart, addresses, and not:ADDRESS for an excluded one. Numbers such as hci0 are not accepted, because they change when an adapter is plugged in again."
    case .managementRefused: "The kernel answered a command with an error, or not as it should; the log line has the command and the status. Busy and not-powered end by themselves while the adapter is being set up. Not-supported means an old controller or kernel. The hub then works without that command, if it can."
    case .adapterAddressUnprogrammed: "The firmware or the boot loader gives each adapter its address. This adapter has no address, or the maker's placeholder. On a Raspberry Pi the firmware package sets it at boot: reinstall bluez-firmware and look at journalctl -k. The hub works all the same, but two hubs with the same placeholder in one place disturb each other."
    case .busResetRefused: "A step of the recovery resets the bus of the adapter. For USB it resets the port; for the onboard adapter it unbinds and binds the driver of the serial line (UART). This needs root, and hearthd does not run as root. The helper hearth-radio-reset does it on request. Without the helper the recovery goes on with the next step."
    case .radioTakenOver: "A system upgrade or a person started bluetoothd, or another program stopped the scan or switched the adapter off. The hub set the adapter up again, while that program runs or after it ended. The event says from when to when the hub did not serve. Masking bluetooth.service keeps bluetoothd from starting again."
    case .radioAddressDiffers: "A bonded wearable knows a hub by the address of its adapter. This hub was restored from the backup of a hub with another adapter address. The new adapter could not take that address over, because not every controller allows a change. A USB adapter can be moved from the old hub and brings its address along."
    case .radioBack: "The adapter was absent, switched off or not responding, and works again. The event says from when to when. In between no wearable was heard and no link was held. If it happens often, check the power supply first; the resets that were needed are shown by hearth radio."
    case .radioTried: "A controller that falls silent is revived in steps, the gentlest first. Steps are a new scan, power off and on, HCI reset, down and up, USB port or UART reset, and a restart of hearthd. If configured, the last step restarts the machine. All but the first step end its links. Each step makes one event an hour; repetitions are counted."
    case .attemptsFull: "The kernel takes twelve connection attempts at a time, and the hub waits for four wearables at most. The limit is reached only if attempts that were given up do not end. The usual reason is a controller that does not respond, which has a code of its own (H3105)."
    case .radioExhausted: "Every recovery step was tried, up to a reset of the adapter, and it still does not respond. Some hung onboard controllers recover only after a loss of power: unplug the hub for ten seconds. If that does not help, or helps for a day, plug in a USB adapter. With radio.adapter at auto the hub uses it at once."
    case .storeUnwritable: "The folder or its files cannot be written: wrong owner, a read-only mount, or a missing parent folder. Under systemd hearthd runs as the user hearth, so files that root made in a trial are a common cause; no file was changed. If the mount becomes read-only while the hub runs, as after a disk error, erasing on wearables stops until writing works. After such an error ext4 must be unmounted with the hub stopped; mount -o remount,rw does not help. The commands are in hearth doctor; a store on the root file system needs a restart of the machine."
    case .storeForeign: "The files at store.path were not written by Hearth, or belong to another program. Hearth never opens, repairs or deletes them. Check the path. If the files are of no use, move them away by hand."
    case .storeNewer: "The store has a higher format number than this version knows, so a newer Hearth has written it. Reading it with old rules could destroy it, so it is left alone. There is no way back to the old format; to downgrade, export with the newer version first."
    case .storeInUse: "Only one process may write a store, and another one holds its lock. Usually a second hearthd was started by hand while the service runs: systemctl status hearthd shows the first. The lock ends with its process, so no lock file has to be deleted."
    case .storeChunkCorrupt: "Samples are stored in chunks with a checksum each. This chunk does not match, so the card returned other bytes than were written. The hub skips the chunk and goes on. A single case may be a power cut on a poor card; several cases mean that the card wears out."
    case .storeFull: "Usually the store is below store.size, but its file system is full, so other files fill the card: logs, updates, other data. Find them with df -h and du. Otherwise the store reached its own size and could evict no more. Samples wait in memory meanwhile, and are lost if that buffer is full or power fails."
    case .storeInputOutput: "The message names the file. For standard output or a file of a command, that target is full or gone, and the store is not affected. For the store the kernel reported an I/O error of the card. The device, and usually whether card or power is at fault, are in journalctl -k. Export what you need first, because the card may not survive a restart."
    case .storeAbsent: "The path holds no store: hearthd has never run with it, or the daemon uses another path. The path, and the file that sets it, are shown by hearth config show --origin. Commands that read never make a store."
    case .secretsKeyMissing: "Bond keys and recording secrets are encrypted in the store with a key in its own file, which only the daemon and root can read. That file is missing or could not be made, although the store has secrets. Wearables with secrets are not visited, and no secret is overwritten. Put the file back from the backup and restart the hub. Without a backup, remove the bonds (hearth bond remove), forget wearables with recording secrets and restart for a new key; pair again or import bonds."
    case .secretsKeyWrong: "The store's secrets are encrypted with another key than the key file has. Or the file is a link, has a wrong length or owner, or can be read by other users; hearth events shows which. The usual cause is that a store or a key file was copied alone. Wearables with secrets are not visited, and no secret is overwritten. Put the file of this store in place, owned by the daemon's user with mode 0600, and restart the hub."
    case .storeNotCopied: "Before a store is converted to a newer format, it is copied into the folder before-conversion next to it, for a downgrade. There was no room for the copy, or the card refused it. The store is unchanged, and the version before can open it. After an update hearth-update goes back to that version."
    case .storeMiscounted: "The store's file counts its own pages, and its free space is derived from these counts. Some counts did not match the pages: a bit changed on the card or in memory without an error. The hub counted again before it wrote or deleted any data. The code stays until the next start, and the figures are in hearth events. A card that changes one bit will change others: replace it soon."
    case .storeDamaged: "A page of the store's file points beyond the end, is used twice, or is both free and used. Writing on could destroy samples, so the hub stopped writing and deleted no data. A start of hearthd recovers what can be read into a new file and sets the damaged one aside (H4019). This code stays if recovery failed, or if the damage was found while the hub ran. With the hub stopped, hearth export and hearth store verify read the intact tables and name the others."
    case .storeInMemory: "The folder of the store is on a file system in memory (tmpfs, ramfs, zram), or on an overlay that writes to one. The read-only root of raspi-config is such an overlay. After a power cut the store would be empty. Until it starts with another place, the hub erases no recording on wearables, not even by order, and the STORE LED shows code 4. Give the store a writable partition, or switch off the overlay."
    case .storeUnproven: "A receipt states that samples are on a disk. The hub cannot verify that on network and FUSE file systems, or without write barriers (nobarrier, barrier=0). Nor can it on overlays mounted volatile or with an unknown upper layer. Then the hub stores samples, but erases no recording on wearables, and the STORE LED shows code 4. Put store.path on a local file system with default mount options."
    case .storeOpenToAll: "FAT, exFAT and NTFS have no owners and modes, so every user can read samples and the key file of the store's secrets. These file systems may also be damaged by a power cut, because they have no journal. The hub stores and erases as usual. Put store.path on ext4."
    case .storeUnreadable: "The store's files hold personal measurements, so only root, the user hearth and members of the group hearth may read them. The key of the secrets is for root and the user hearth alone. The files are read directly with --store, and by commands that read while hearthd does not run. Members of hearth-read or hearth-admin alone have no right to them. A running daemon answers its three groups (access.read and the other settings of access), and logs each access; direct reading is not logged."
    case .storeRescued: "At its start the hub found damaged pages, or journal.log without its end: then up to half an hour of samples is gone. All that could be read is in a new file; records of wearables, people and bonds come from their copy, and exports mark missing chunks. The damaged file stays unchanged in the store's folder as data.mdb.damaged-TIME. With the hub stopped, sudo hearth store salvage FILE takes samples out of it that no page led to any more. Delete it when you no longer need it, as data that you erase later stays in it, and replace the card soon."
    case .storeTableFull: "The message names the list and its limit; existing entries stay. Bonds: hearth bond remove NAME; mutes: hearth unmute CODE. Wearers: hearth wearer erase NAME; assignments: hearth wearer correct NAME BEGIN --delete. Orders of a wearable are taken back with the value none (hearth settings NAME set, hearth monitor NAME). Export cursors (64): hearth store forget-cursor NAME."
    case .salvageRefused: "The command takes an old data file of the same store: a file data.mdb.damaged-TIME, the folder before-conversion, or a copy of the store. The detail says what is wrong with this file. The checksum of each chunk covers the number of its store, so chunks of another hub are not taken. After a restore with hearth restore the number is that of the old hub. A store of an earlier format is converted by a start of hearthd first."
    case .storeEvicting: "The store and its rings are bounded. At a limit the oldest samples are evicted, those that a reader has confirmed first. An event counts how many no export had: at 0 all of them are in an export. Status and STORE LED (code 2) show it only if such samples were evicted in the last day. Export regularly with hearth export --cursor NAME (once a day is enough for most halls), or raise the limits store.rings and store.size."
    case .storeRefusing: "The configuration forbids evicting samples of this series (evict: refuse). The hub therefore stops fetching, and the samples stay in the wearable's memory without being erased. To make room, export and purge samples here, or raise the quota; fetching then resumes by itself. A wearable's memory is small, and when it is full, the wearable decides what it overwrites."
    case .purgeCountDiffers: "A purge deletes samples for good, so the number to be lost must be given. This number is not what the filters find now: samples were added or evicted, or the filters differ. Run hearth store purge again to see the count."
    case .storeBatchTooLarge: "Fetched samples become durable in batches of a few megabytes, which limits memory and the longest wait for the card. Drivers split larger files into several batches. This driver did not, which is a bug. The samples stay on the wearable."
    case .storePurged: "Samples were deleted for good with hearth store purge, after their number was shown and confirmed. This event has the time and the number of samples."
    case .stagedElsewhere: "The parts of a file are staged in the store until it is complete, so that a lost link costs no second transfer. The new bytes do not continue the staged ones. Staged bytes were dropped for room or damaged, or the file has changed. The visit ends, and the next one resumes from what is staged."
    case .stagedGivenUp: "Half-fetched files are staged in the store and count in its size. When room is short, they are dropped before samples that were never exported, because they are still on their wearable. No file is erased there before all of it is durable. The cost is a second transfer."
    case .custodyInvalid: "The hub keeps a custody record of each item on a wearable under the name that its driver gives. Names have at most 120 printable characters. This name is longer or has other characters, so the item is neither fetched nor erased."
    case .storeBudgetExceeded: "Writing wears SD cards out, so the hub counts the bytes written in a day and compares them with its budget. Exceeding it loses no data. Longer intervals between commits (store.commit.every, store.commit.bytes) write less, but put more samples in memory at risk in a power cut."
    case .storeBack: "Commits failed for a time and work again. All samples that waited in memory are durable now. Samples that did not fit into memory are lost, and hearth store counts them as dropped. If it happens again, the card is wearing out: see in hearth store how much was written to it."
    case .erasureCountDiffers: "An erasure deletes samples for good, so the number to be lost must be given. This number is not what the store has now: more samples were fetched, or some were evicted. Run hearth wearer erase again to see the count."
    case .wearerErased: "The name, body, assignments and samples of a person were deleted from the store with hearth wearer erase. This event has the time and the amount; the person appears as a number. Exports, data still on wearables, copies of the card and its free pages are not covered."
    case .storeUnread: "A reader (hearth-uplink, or hearth export with a cursor) has not confirmed samples within the time that store.export_within sets. The time counts from the last confirmation. The STORE LED shows it until a reader confirms. Without this setting there is no warning, because a hub may have no network for months."
    case .storeTimesCorrected: "Without a clock module a Raspberry Pi starts with the time of its last stop, and is slow until a time server (NTP) answers. Live samples of that time were stored as unsure, together with the time since the start. Now the error is known. Exports, lists and days show the true times, marked as corrected instead of unsure. Times from wearables with their own clocks stay unchanged."
    case .storeSalvaged: "With hearth store salvage a technician took samples out of an old file, each into its ring and once. The event has their number and the file. Readers of exports do not go back by themselves. A reader that was past their place receives them only if its cursor is deleted. It then reads all again."
    case .storeFailing: "Commits fail repeatedly. Usually the card is dying, or the kernel has made it read-only to protect the data. New samples are buffered in bounded memory, and a power cut loses them. Export at once, keep the hub powered until that is done, then replace the card. For a read-only file system, hearth doctor has the commands that unmount, check and mount it."
    case .backupDamaged: "A backup begins with a mark, a version and a salt. All the rest is sealed piece by piece, and the last piece is marked as the last. This file is cut short, was changed, is of a later version, or is not a backup. No part of it was restored: a restored store takes its place in one step, after the whole backup was read."
    case .backupPassphraseWrong: "The key of the file is derived from the passphrase, and it does not fit the first piece. A wrong passphrase and a file that was changed in its first 64 KB look the same, and cryptography cannot distinguish them. A forgotten passphrase cannot be recovered."
    case .backupFileUnusable: "The system refused to read or write the file; the detail has its error message. A backup is written under another name, synced, and then renamed. A power cut therefore leaves the earlier file or the new one, never half a file."
    case .restoreRefused: "A restore makes a store of a backup, and never overwrites a store that has wearables. To replace a hub's store, stop hearthd, move the folder of the store away, and restore."
    case .backupInterrupted: "A backup shows the store at one moment. While it runs, freed pages cannot be used again, so its time is limited. The hub aborts it after 15 minutes, if its reader is silent for 30 s, if the store is in trouble, or for another backup. The store itself is unchanged."
    case .backupOverdue: "The configuration sets an interval between backups (backup.every), and the newest backup is older than twice that. The systemd unit hearth-backup.timer starts backups, and systemctl status hearth-backup shows the result. A backup by hand counts too."
    case .backupFailed: "The program for scheduled backups reported a failure to the hub; the detail has the cause. Earlier backups are kept until a new one is complete."
    case .backupNotConfigured: "A scheduled backup needs the section backup of the configuration, which is missing. A backup by hand needs no configuration: hearth backup FILE."
    case .restored: "The store was restored from a backup. Names, wearers, orders, notes, bonds and the state of each recording are as they were then. If the backup has no samples, only recordings that an export had confirmed count as fetched. The hub fetches everything else that wearables still hold, and erases it only after that."
    case .clockUntrusted: "A Raspberry Pi has no clock that runs without power, and no time source has set it since its start. The HUB LED shows code 3 only if the time cannot be right: before this version was made, or before the newest live sample. Samples are stored all the same, marked as unsure in exports. Each has the reading of a second, monotonic clock, so that times can be corrected later. Give the hub NTP over its network, or fit a clock module (RTC)."
    case .clockStepped: "The wall clock jumped forwards or back, by more than a time source corrects gradually. That is usual once after a start without network. Samples keep both the old and the new reading, and their order is not affected."
    case .socketInUse: "A running hearthd answered on the socket. A second one would take over its clients and its radio, so it did not start. Check the service with systemctl status hearthd. For a second hub on one machine, make a configuration with another control.socket, store.path and radio.adapter."
    case .socketUnavailable: "The UNIX socket of hearthd could not be made. The folder is missing or cannot be written, or the path is longer than the kernel's limit of 107 bytes. Under systemd the unit makes the folder /run/hearth. If you start hearthd by hand, choose another path with control.socket."
    case .controlMalformed: "The control socket speaks Varlink: one JSON object and a zero byte. Either hearthd got other data, or a message beyond the size limit, and disconnected that client. Or hearth does not understand an answer of hearthd: usually one was updated, and the other still runs in its old version. Other clients and the wearables are not affected."
    case .controlUnknownMethod: "The method or interface is unknown. Usually hearth was updated, and hearthd still runs in its old version: systemctl restart hearthd. The service describes itself through org.varlink.service.GetInterfaceDescription."
    case .controlBadParameter: "A parameter of the request is missing, unknown, of another type or out of its range. The answer names it. The request was refused as a whole."
    case .controlTooManyClients: "The socket has 16 places: at most 9 for readers, and 13 for readers and technicians (groups hearth and hearth-admin) together. This keeps places for technicians and for root. Each user but root has at most 6, and at most 4 of the 10 for streams such as hearth live. A client that is silent for a minute loses its place to a new one. Connected clients are shown by ss -xp."
    case .controlClientTooSlow: "A client is disconnected if it reads no byte of its answers for 30 s, or if 256 KiB of live values wait. Usual causes are hearth live over a slow SSH session, and Ctrl-Z in it. The store loses no samples."
    case .daemonDown: "No process answers on the control socket. If hearthd does not run, systemctl status hearthd shows why. Otherwise it uses another socket than this command: compare control.socket and HEARTH_SOCKET. Meanwhile hearth store and hearth export read the store directly, without changing it."
    case .controlNotAllowed: "Without a group hearth-admin, only root, the user hearth and the group hearth may use the socket. Add a technician with usermod -aG hearth NAME. Keys may be exported only by root and the daemon's user, and through a running daemon by hearth-admin. The file of their sealing key is closed to the group. Updates are installed only by root; sudo opens all of this."
    case .timeNotUnderstood: "Times are in the zone of the hub (hearth clock), in the same forms for every command. Days are today, yesterday or 2026-11-22, which means that whole local day, so that an --until includes it. Moments are 14:30 of today, 2026-11-22 10:00, and 90s, 15m, 2h, 3d or 1w ago, with or without a minus. RFC 3339 is also accepted, with its own offset. When clocks change, a time that occurs twice is the first of both, and a skipped one is the moment of the change."
    case .agreementMissing: "Some commands lose what cannot be recovered: keys of a wearable, items on it that were not fetched, live values while links are down. At a terminal they name it and ask. Without a terminal, or with --json or --no-input, they need the option --yes. If unfetched data would be lost, they need --yes-lose N with the exact number of items. Fetch first with hearth visit now NAME --wait, if possible."
    case .controlRoleMissing: "Three groups may use the control socket. Members of hearth-read read: status, wearables, samples, exports. Members of hearth also operate: visits, enrolment, links, orders, wearers, assignments. Members of hearth-admin, like root and the daemon's user, also administer: forgetting, keys, secrets, purging, erasing, resetting the radio. The answer names the missing group (section access sets names): sudo usermod -aG GROUP USER, then log in again to get its rights."
    case .orderGiven: "Each call that changes something is recorded with the user (as the kernel names it), the wearable if there is one, and the order. Equal orders of one user within a minute are recorded once. Wearers appear by number only. The records are listed by hearth events."
    case .terminalMissing: "The view hearth watch draws over the whole screen and reads single keys. Standard input and output must be a terminal, and TERM must not be dumb. A pipe, a script and ssh without -t have no terminal. With hearth watch --once the same screen is printed as plain text; ssh -t HUB hearth watch gives ssh a terminal."
    case .fleetUnreachable: "With --hub several hubs are queried in parallel, each over its own ssh. The error message of ssh is printed. Usual causes are an unknown host name, a changed host key, a rejected key and a timeout. Names, users and ports of hubs belong into ~/.ssh/config. The answers of the other hubs are valid, and the exit code is the worst of all."
    case .fleetAnswerUnreadable: "The ssh connection worked, but its output is not what this command prints with --json. Usually Hearth is not installed there, is too old to know the command, or a login script prints a greeting. Find out with ssh, that hub and hearth version. No part of the answer is shown as data."
    case .fleetNotForMany: "Several hubs at once take only commands that query, such as status, devices, visits, events, store and doctor. Commands that change a hub, ask questions, stream or fill a screen must run on that hub. This command was refused before any hub was queried."
    case .lightsChipMissing: "The board file names the label of the GPIO chip, and this machine has no such chip, or the user hearth may not open it. Labels are listed by gpiodetect: pinctrl-bcm2835 on a Raspberry Pi 3 and Zero 2 W, pinctrl-bcm2711 on a 4, pinctrl-rp1 on a 5. If gpiodetect works only as root, add the user to the group gpio. All other parts of the hub run without LEDs."
    case .lightsLineMissing: "The chip exists, but has no line of the name in the board file. The names are printed by gpioinfo. For some pins the device tree names them differently from kernel to kernel. Names such as GPIO17 are the same on all models since 2024."
    case .lightsLineBusy: "Another program or a kernel driver holds the line, or the kernel refuses to drive it. The consumer's name is shown by gpioinfo. Usual holders are overlays for fans, displays and buttons in config.txt. Lines are requested only when hearthd starts."
    case .lightsBoardUnknown: "The setting lights.board is the name of a file without .yaml in the board folder, a path to one, or terminal. Without the setting the hub has no LEDs. The file must name at least one chip label and one LED under lamps. For any Raspberry Pi with a 40-pin header use hearth-hat-1."
    case .startedAfterStop: "The hub had been stopped cleanly: by systemctl, by the button, by an update or by a shutdown of the machine. All samples until then are durable. The event says from when to when the hub did not run; streamed values of this time are missing."
    case .startedAfterKill: "The last run recorded no end, and the machine was not restarted: the process was killed or it crashed. Uncommitted samples, by default of the last 15 seconds, are lost. The event's span begins at the last moment at which the store knows that the hub ran."
    case .startedAfterPowerCut: "The last run recorded no end, and the machine was restarted since: power was cut, or the machine hung or restarted without stopping its services. The store is designed to survive that. The event's span begins at the last moment at which the store knows that the hub ran."
    case .startedFirst: "The store is new, or was written by a version that did not record its runs. How an earlier run ended is therefore unknown. At the next start it will be known."
    case .startedAgain: "From the fifth start within an hour on, starts are counted in one event. So a hub that cannot stay up does not fill the table of events. The span goes from the end of the run before the first of these starts to the last start. The log says why the runs ended."
    case .logUnavailable: "The command hearth log calls journalctl, and the message says what failed: journalctl is missing, ended with an error, or returned no line of hearthd. A user other than root may have to be in the group systemd-journal. If hearthd was started by hand, its lines are not in the journal: keep its standard error in a file (hearthd 2>hub.log). Then read that file with hearth log --file hub.log."
    case .metricsUnwritable: "Every 15 seconds hearthd writes metrics.file for a collector such as Prometheus, and writing failed. The folder must exist, and the systemd unit must allow writing: it does for /run/hearth and for folders in ReadWritePaths= (sudo systemctl edit hearthd). Both are checked by hearth config check. The hub keeps trying, reports this once, and logs when the file is written again."
    case .updateReturned: "After each update the hub must serve within two minutes, for half a minute without a break: radio ready if it was before, store writable. This update did not, so the kept package of the version before was installed. The HUB LED is on for 3 s and off for 1 s (calm) until you dismiss it. For apt this version is blocked, but a later one is not (/etc/apt/preferences.d/hearth-went-back). To try it once more: sudo hearth update apply --again."
    case .updateStuck: "The updated hub does not serve, and there was no package to go back to, or dpkg could not install it. For messages see journalctl -u hearth-update-watch. As always, systemd keeps restarting hearthd. A package of any version can be installed with sudo hearth update apply FILE, and the store is kept by all of them."
    case .updateNotDone: "The package was not installed by apt or dpkg, or there is no newer version. Their messages are shown above. The installed version goes on running. An interrupted installation is finished by dpkg at the next start of the machine."
    case .updateNotKept: "Each upgrade keeps one package, the one that it replaces. There is no such package after the first installation and after going back. Use a package file of an earlier version, or a repository that has it."
    case .uplinkBrokerUnreachable: "The uplink (hearth-uplink) tries again by itself, at first after a second and at last every minute. No data is lost while the store's quotas last. How many rows wait, and since when, is shown by hearth uplink. LEDs show it only if uplink.yaml says so, because many hubs have no network most of the time."
    case .uplinkBrokerRefuses: "The broker refused the connection or a topic: wrong password, no permission to publish to these topics, or a client name that it rejects. The detail has its code, and the topic if one was refused. A broker with packets too small for one row counts as well. The uplink tries every minute, so it needs no restart when the broker is corrected."
    case .uplinkCertificate: "A certificate of the broker or the hub is expired, not yet valid, for another name, or of an authority that uplink.yaml does not trust. If the hub's clock is wrong, good certificates seem invalid: check it with hearth clock. Files are read again at each try, so a new certificate needs no restart."
    case .uplinkSessionTaken: "The broker ended the session because a client with the same name connected. Usually two hubs have the same hub.name, or a card was copied. Until that is corrected, both take the session from each other, and hearth-uplink backs off longer each time. Rows carry the identity of their store, so data of the two hubs is never mixed."
    case .uplinkUnacknowledged: "Batches were sent, and no acknowledgement came within two minutes although the link is up. Usually the broker's disk is full or its cluster has no majority. The uplink connects again and sends the same rows once more. Earlier acknowledgements stay valid."
    case .uplinkHubSilent: "The uplink queries hearthd over its control socket, and got no answer or a refusal. Either hearthd does not run, or the user hearth-uplink is not in the group that may export. The uplink tries again every few seconds, and goes on at the daemon's cursor."
    case .uplinkLosses: "The uplink was away for longer than the store's quotas last, so the oldest rows were evicted for new ones. Their number and time span are in the detail and in the hub's retained status. All other rows are sent. The sink lists the same rows in its gap report."
    case .uplinkOrderRefused: "The command hearth uplink resend sends all rows from a given time on once more. The order was refused because the time is in the future, or because an earlier order still runs. Sending again costs only data volume: a sink stores each row once."
    case .uplinkDown: "The program hearth-uplink does not answer on its own socket. Without a configured broker it is not started. For its last messages see journalctl -u hearth-uplink. The hub itself works without it."
    case .uplinkNoReader: "No client subscribes to the rows of this hub, so the broker dropped them (reason 0x10 of MQTT 5). These rows count as undelivered, and hearth-uplink sends them again, at first after five seconds and at last each minute. A sink that is away keeps its subscription for broker.session of sink.yaml. MQTT 3.1.1 has no such answer; losses are then in the report of hearth-sink gaps. With history.form: both rows as JSON go on and the detail says so; with history.form: json no batch needs a reader."
    case .uplinkRowTooLong: "The broker limits the packet length, and one row alone is longer. Later rows are sent. Skipped rows are not reported as deleted, so a sink lists them as missing. With packets of 16 KiB (max_packet_size of Mosquitto), or 64 KiB for rows as JSON, sending again from the first skipped row ends the code. Below 1 KiB such a row holds up all others (H9002)."
    case .sinkBroker: "The broker did not answer, refused the sink or a subscription, or the secure connection failed. Or it sends no row, or keeps the session for a shorter time than broker.session. The sink tries again, at first after a second and at last every half minute. Uncommitted batches were not acknowledged, so the broker delivers them again."
    case .sinkDatabase: "PostgreSQL did not answer or refused a statement. The sink acknowledges batches only after the commit, so no rows are missing when the database is back. If the schema is older than the program, update it with hearth-sink schema --apply."
    case .sinkBatchRefused: "The bytes are not a batch of a version that this sink knows, or contradict themselves. The sink stores them whole with topic and cause, and then acknowledges them, so that one bad message does not block the others. Usually the hubs are newer than the sink."
    case .sinkGap: "Each row carries its ordinal, so the sink detects rows that were lost on the way. The report names hub, wearable, series, ordinals and times of each gap. Gaps that the hub itself reported (rows evicted, purged or damaged) are counted separately. Begin a day before the gap, because recordings do not arrive in the order of time."
    case .sinkStoreTwice: "Each store has its own identity, and a copied card has the same one. Batches of the second hub are quarantined, with both hubs named in the cause, because samples of two people could be mixed. A hub with a copied card detects another machine and takes a new identity before sending. A renamed hub has the same machine and continues at once. Any other hub must wait until the first one left or died database.takeover ago (see the log), or for hearth-sink adopt."
    }
  }

  /// The exit status of `hearth` for a refusal with this code. 1: answered, but something needs attention; 2: usage; 3: daemon not
  /// running; 4: not allowed; 5: no such thing; 6: busy, try later; 7: refused because data would be lost.
  public var exitStatus: Int32 {
    switch self {
    case .setupUnasked, .requestUnsupported, .bondPassphraseMissing, .enrolNameInvalid, .wearerNameInvalid, .backupNotConfigured, .controlBadParameter, .timeNotUnderstood, .terminalMissing, .fleetNotForMany: 2
    case .daemonDown, .fleetUnreachable, .uplinkDown: 3
    case .storeUnwritable, .storeUnreadable, .controlNotAllowed, .controlRoleMissing: 4
    case .pairingUnknown, .noSuchBond, .enrolNotHeard, .noSuchWearable, .noSuchWearer, .noSuchAssignment, .storeAbsent, .lightsBoardUnknown, .updateNotKept: 5
    case .visitBusy, .requestNotDone, .requestUntimely, .syncRunning, .wearerStillWears, .assignmentTaken, .storeInUse, .backupInterrupted, .controlTooManyClients, .uplinkOrderRefused: 6
    case .purgeCountDiffers, .erasureCountDiffers, .restoreRefused, .agreementMissing: 7
    default: 1
    }
  }

  /// Whether the code is information only: it needs no action now and changes no exit status and no LED.
  public var isInformation: Bool {
    switch self {
    case .batteryLow: true
    default: false
    }
  }
}
