// Every reason code with its texts.
// Made by `generate` of the files in Codes: edit those.
// swift-format-ignore-file

/// Why something is not as it should be. The raw value is the stable number behind the `H`: `Reason(rawValue: 2102)`
/// prints as `H2102`. Numbers are never reused and never change meaning.
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
    case .configUnreadable: ReasonText(area: "config", sentence: "a configuration file cannot be read", effect: "samples unaffected; nothing was started or changed", next: "check the path and its permissions, then hearth config check")
    case .configSyntax: ReasonText(area: "config", sentence: "a configuration file is not valid YAML", effect: "samples unaffected; nothing was started or changed", next: "correct the line and column named, then hearth config check")
    case .configUnknownKey: ReasonText(area: "config", sentence: "the configuration has a key that Hearth does not know", effect: "samples unaffected; nothing was started or changed", next: "correct the spelling or remove the key, then hearth config check")
    case .configBadValue: ReasonText(area: "config", sentence: "a configuration value does not fit its key", effect: "samples unaffected; nothing was started or changed", next: "write a value of the kind named, then hearth config check")
    case .configReloadRefused: ReasonText(area: "config", sentence: "the changed configuration was refused; the last good one is in force", effect: "samples unaffected", next: "hearth config check names the line; correct it, then sudo systemctl reload hearthd")
    case .setupFileUnreadable: ReasonText(area: "config", sentence: "a set-up file cannot be read, or is too large for one", effect: "samples unaffected; nothing was changed", next: "check its path and its size; it holds six short answers: man hearth-setup.yaml")
    case .setupFileInvalid: ReasonText(area: "config", sentence: "a set-up file has something in it that does not fit", effect: "samples unaffected; nothing was changed", next: "correct the line named and give it its old name; man hearth-setup.yaml shows one")
    case .setupUnasked: ReasonText(area: "config", sentence: "there is no terminal to ask at", effect: "samples unaffected; nothing was changed", next: "sudo hearth setup --defaults asks nothing, and sudo hearth setup --file FILE takes answers")
    case .setupOverridden: ReasonText(area: "config", sentence: "a file that is read later says otherwise, so that the answer would do nothing", effect: "samples unaffected; nothing was changed", next: "take the key out of the file named, or change it there, then sudo hearth setup")
    case .setupRefused: ReasonText(area: "config", sentence: "the configuration that the answers make would be refused", effect: "samples unaffected; nothing was changed", next: "hearth config check shows the file as it is; set the key named there by hand")
    case .setupNotWritten: ReasonText(area: "config", sentence: "the configuration cannot be written", effect: "samples unaffected; nothing was changed", next: "as root: sudo hearth setup; as root already: is the card full or read-only (hearth doctor)")
    case .setupUserUnknown: ReasonText(area: "config", sentence: "somebody who is to ask the hub is no user of this machine", effect: "samples unaffected; nothing was changed", next: "sudo adduser NAME makes the user, sudo systemd-sysusers the groups; then once more")
    case .setupFileLeft: ReasonText(area: "config", sentence: "this hub is set up, and the set-up file could not be set aside", effect: "samples unaffected; the file is not taken a second time as long as it stays the same", next: "remove the file by hand; the boot partition may be read-only or full")
    case .setupNotTaken: ReasonText(area: "config", sentence: "the configuration is written, and the hub did not take it yet", effect: "samples unaffected; the hub goes on as it was, or is down", next: "sudo systemctl restart hearthd, then hearth log -n 50")
    case .setupDeclined: ReasonText(area: "config", sentence: "the questions were not answered to the end", effect: "samples unaffected; nothing was changed", next: "sudo hearth setup once more; the answers that hold already stand in brackets")
    case .attMalformed: ReasonText(area: "wire", sentence: "a wearable sent bytes that are not an ATT message", effect: "samples in that message lost; all others unaffected", next: "nothing if it is rare; else update the wearable's firmware")
    case .attTimeout: ReasonText(area: "wire", sentence: "a wearable did not answer an ATT request within 30 s; its link was closed", effect: "samples lost from the closing until the link is back, unless the wearable records", next: "nothing; the hub connects again. If it repeats, restart the wearable")
    case .attProtocol: ReasonText(area: "wire", sentence: "a wearable answered a question the hub did not ask; its link was closed", effect: "samples lost from the closing until the link is back, unless the wearable records", next: "nothing; the hub connects again. If it repeats, update the wearable's firmware")
    case .gattDiscoveryBounded: ReasonText(area: "wire", sentence: "a wearable's list of services did not end within the hub's bound", effect: "no samples from this wearable until its list is sound; all others unaffected", next: "restart the wearable; if it repeats, report its model and firmware")
    case .gattValueMalformed: ReasonText(area: "wire", sentence: "a wearable sent a value whose length does not fit its flags", effect: "samples in that value lost; all others unaffected", next: "nothing if it is rare; else update the wearable's firmware")
    case .gattMissing: ReasonText(area: "wire", sentence: "a wearable lacks a service or characteristic that its kind must have", effect: "no samples of the missing kind; others unaffected", next: "check that it is the model it says it is: hearth device NAME")
    case .notificationFlood: ReasonText(area: "wire", sentence: "a wearable sent data faster than its kind ever does; its link was closed", effect: "samples lost from the closing until the link is back; other wearables unaffected", next: "restart the wearable; if it repeats, take it out of use")
    case .attRefused: ReasonText(area: "wire", sentence: "a wearable refused a request", effect: "samples of what was asked for are delayed until it agrees; others unaffected", next: "hearth device NAME shows what was asked; restart the wearable if it stays")
    case .procedureTimeout: ReasonText(area: "wire", sentence: "a step with a wearable took longer than its bound and was given up", effect: "samples delayed until the next try; lost for that time if the wearable does not record", next: "nothing; the hub tries again. If it repeats, move the wearable nearer")
    case .slotsFull: ReasonText(area: "link", sentence: "every link the radio can hold is in use", effect: "samples of waiting wearables delayed until a slot is free; lost meanwhile if they do not record", next: "hearth devices shows who waits; enrol fewer on this hub or add a hub")
    case .notHeard: ReasonText(area: "link", sentence: "a wearable was not heard while the hub tried to connect", effect: "samples delayed until it is heard; lost meanwhile if the wearable does not record", next: "check that it is worn and near; many straps sleep when dry")
    case .linkProfileRefused: ReasonText(area: "link", sentence: "a wearable does not take a connection profile", effect: "samples unaffected; the link stays on another profile", next: "nothing, or hearth link NAME set idle --central: the hub then sets the link by itself")
    case .linkLost: ReasonText(area: "link", sentence: "a wearable's link fell silent and was lost", effect: "samples lost from then until the link is back, unless the wearable records", next: "nothing; the hub connects again when it is heard")
    case .peerClosed: ReasonText(area: "link", sentence: "a wearable closed its link", effect: "samples lost from then until the link is back, unless the wearable records", next: "nothing; usual when a strap is taken off. Else look for a phone that takes it")
    case .failedToEstablish: ReasonText(area: "link", sentence: "a link was begun but a wearable did not follow", effect: "samples delayed until the next try; lost meanwhile if the wearable does not record", next: "nothing; the hub tries again. If it repeats, move the wearable nearer")
    case .linkAborted: ReasonText(area: "link", sentence: "the hub itself ended a link or gave up making it", effect: "samples lost from then until the link is back, unless the wearable records", next: "nothing; the hub links again in its turn. If it repeats: hearth radio")
    case .linkFound: ReasonText(area: "link", sentence: "a link that was lost is back", effect: "samples lost while it was gone, unless the wearable records", next: "nothing")
    case .linkUnsteady: ReasonText(area: "link", sentence: "a link is lost and found again and again", effect: "samples lost while it was gone, unless the wearable records", next: "bring wearable and hub nearer to each other; hearth devices shows how well it is heard")
    case .visitBusy: ReasonText(area: "link", sentence: "a wearable is busy with something else", effect: "samples unaffected; what it recorded is fetched later", next: "nothing; the hub comes again by itself")
    case .visitRefused: ReasonText(area: "link", sentence: "a wearable refused what a visit needs", effect: "samples delayed: what it recorded is still on it", next: "hearth visits shows what was refused; hearth device NAME shows model and firmware")
    case .visitBroken: ReasonText(area: "link", sentence: "a wearable broke its own protocol in a visit", effect: "samples unaffected; fetching goes on where it stopped", next: "nothing, unless it stays: then restart the wearable")
    case .visitSilent: ReasonText(area: "link", sentence: "a wearable did not answer in a visit", effect: "samples delayed: they are still on it, and fetching goes on where it stopped", next: "nothing, unless it stays: then restart the wearable")
    case .itemDefective: ReasonText(area: "link", sentence: "something a wearable holds is not what it should be", effect: "samples unaffected: its bytes are kept as they are, nothing is removed on the wearable", next: "hearth custody NAME shows which, and what is wrong with it")
    case .eraseIneffective: ReasonText(area: "link", sentence: "a wearable acknowledged a removal and did nothing", effect: "samples unaffected; they are in the store and still on the wearable", next: "restart the wearable when its memory gets full; the hub tries again after that, or the day after")
    case .visitUnsupported: ReasonText(area: "link", sentence: "a wearable has something this version does not know", effect: "samples delayed: it stays on the wearable", next: "hearth custody NAME shows what; look for a newer version of Hearth")
    case .notLinked: ReasonText(area: "link", sentence: "a wearable has no link at the moment", effect: "samples unaffected", next: "bring it near, then hearth visit now NAME")
    case .recordingNotArmed: ReasonText(area: "link", sentence: "a wearable does not record what it was told to", effect: "no samples of that kind until it does; all else is unaffected", next: "hearth recordings NAME; free its memory or take it off its charger")
    case .settingNotTaken: ReasonText(area: "link", sentence: "a wearable does not take a setting that was ordered", effect: "samples unaffected; what it computes from its wearer's body may be wrong", next: "hearth settings NAME shows what it says; take an order back: hearth settings NAME set SETTING none")
    case .itemLocked: ReasonText(area: "link", sentence: "something a wearable holds is encrypted with a key that is not known here", effect: "samples delayed: its bytes are kept as they are, and it stays on the wearable", next: "give the hub its key: hearth settings NAME set secret; hearth custody NAME shows which")
    case .requestUnsupported: ReasonText(area: "link", sentence: "a wearable cannot do what was asked of it", effect: "samples unaffected", next: "hearth action NAME lists what it can do; hearth settings NAME --orders, hearth monitor NAME: orders")
    case .secretUseless: ReasonText(area: "link", sentence: "a wearable cannot encrypt what it keeps", effect: "samples unaffected: the secret was not taken, and it records as before", next: "leave it without a secret, or use a model that encrypts")
    case .streamNotBegun: ReasonText(area: "link", sentence: "a wearable does not stream what was ordered", effect: "no samples of those series until it does; all else is unaffected", next: "hearth settings NAME says why; restart the wearable if it goes on")
    case .requestNotDone: ReasonText(area: "link", sentence: "what somebody asked of a wearable was not done", effect: "samples unaffected", next: "ask again later: it was not kept")
    case .driverMissing: ReasonText(area: "link", sentence: "a wearable is enrolled whose driver this version does not have", effect: "samples delayed: what it recorded is still on it", next: "install the version of Hearth that enrolled it, or: hearth device NAME forget")
    case .requestUntimely: ReasonText(area: "link", sentence: "a wearable does not do that in the state it is in", effect: "samples unaffected; nothing was asked of it", next: "do first what the message names, if it names something, then ask again")
    case .wearableMissing: ReasonText(area: "link", sentence: "a wearable was away for longer than it should be", effect: "samples delayed until it is back if it records; lost meanwhile if it only streams", next: "look for it; may it be away: hearth device NAME absent-after never")
    case .wearableBack: ReasonText(area: "link", sentence: "a wearable that was missing is back", effect: "samples delayed until its next visit if it records; lost meanwhile if it only streams", next: "nothing")
    case .batteryLow: ReasonText(area: "link", sentence: "a wearable's battery is low", effect: "samples unaffected; lost from when it is empty, until it is charged", next: "charge it at the next opportunity; hearth devices --by battery shows who is next")
    case .syncRunning: ReasonText(area: "link", sentence: "a wearable is being synced, and a second sync of it was ordered", effect: "samples unaffected: the sync that runs goes on", next: "wait for its end; hearth sync NAME --last shows how far it is")
    case .monitoringNotTaken: ReasonText(area: "link", sentence: "a wearable does not measure by itself as it was ordered", effect: "samples unaffected; they come as often as it measures", next: "hearth monitor NAME shows asked, got and said; take the order back: hearth monitor NAME SERIES none")
    case .measurementSkipped: ReasonText(area: "link", sentence: "a measurement that was due by itself was not made", effect: "no vital signs of that time; samples unaffected", next: "hearth settings NAME shows why and when the next one is due; at once: hearth measure NAME")
    case .shareReached: ReasonText(area: "link", sentence: "a wearable brought more in a day than its share of the store", effect: "what it sends beyond that is dropped for a day; what it keeps stays on it; others unaffected", next: "hearth device NAME shows what it sends; forget it if nobody wears it; or raise store.share")
    case .recordUnreadable: ReasonText(area: "link", sentence: "a record that a wearable keeps cannot be read", effect: "samples unaffected but its own: its bytes are stored; all other records are stored as values", next: "hearth custody NAME shows which; look for a newer version of Hearth if it comes again")
    case .clockMovedElsewhere: ReasonText(area: "link", sentence: "a wearable's clock was not as this hub had set it", effect: "samples unaffected; those of meanwhile have estimated times, marked as not sure", next: "charge it if its battery was empty; else remove it from the phone that sets its clock")
    case .valuesAhead: ReasonText(area: "link", sentence: "values of a wearable are dated ahead of now", effect: "these samples are delayed: they stay on the wearable; all others are stored", next: "nothing: they are fetched again with each visit; hearth sync NAME --last shows how many")
    case .measurementEmpty: ReasonText(area: "link", sentence: "a measurement by order ended without a value", effect: "no value of that time; samples unaffected", next: "see that it is worn, its sensor on the skin, and measure again: hearth measure NAME SERIES")
    case .valueOdd: ReasonText(area: "link", sentence: "a wearable told something that was left out, or that was taken although it was odd", effect: "what was left out is lost, where the reason says so; everything else is kept", next: "hearth device NAME lists the reasons; if values are missing, report its model and firmware")
    case .linkTaken: ReasonText(area: "link", sentence: "a link was wanted to a wearable that another attempt or link of this hub has", effect: "samples unaffected: they come over the link that there is", next: "nothing; the hub tries again. If it repeats: hearth radio")
    case .authenticationFailed: ReasonText(area: "bond", sentence: "a wearable refused to prove who it is", effect: "no samples until it is paired again; what it recorded is still on it", next: "hearth enroll open, then hearth enroll accept NAME; refused again: end its bond with a phone first")
    case .keyMissing: ReasonText(area: "bond", sentence: "a wearable no longer knows the hub's key", effect: "no samples until it shows the key again or a person accepts it anew", next: "do not factory-reset it yet; hearth explain H2207")
    case .pairingRefused: ReasonText(area: "bond", sentence: "a wearable asked to be paired and was refused", effect: "samples unaffected where it works without; else they stay on it", next: "hearth enroll open, hold it near, then hearth enroll accept NAME: it is paired anew")
    case .pairingUnknown: ReasonText(area: "bond", sentence: "no pairing waits for an answer", effect: "samples unaffected", next: "hearth pair lists what waits; a request is over after 30 s")
    case .bondMade: ReasonText(area: "bond", sentence: "a wearable and the hub made a new key", effect: "samples unaffected", next: "nothing")
    case .keyNotGiven: ReasonText(area: "bond", sentence: "a wearable was paired and gave no key that can be kept", effect: "no samples that need encryption; what it recorded is still on it", next: "restart it and end its other bonds; hearth enroll open, then hearth enroll accept NAME")
    case .noSuchBond: ReasonText(area: "bond", sentence: "there is no bond of that name", effect: "samples unaffected", next: "hearth bond list")
    case .bondFileDamaged: ReasonText(area: "bond", sentence: "a file of bonds is damaged, or is none", effect: "samples unaffected; no key was taken over", next: "use another copy of the file, or export again on the old hub")
    case .bondPassphraseWrong: ReasonText(area: "bond", sentence: "the passphrase does not open the file of bonds, or the file was changed", effect: "samples unaffected; no key was taken over", next: "try the passphrase again; if it is right, use another copy of the file")
    case .bondPassphraseMissing: ReasonText(area: "bond", sentence: "keys leave the hub only under a passphrase, and none was given", effect: "samples unaffected; nothing was written", next: "run it at a terminal, or give --passphrase-file FILE")
    case .bondFileUnreadable: ReasonText(area: "bond", sentence: "a file cannot be read or written", effect: "samples unaffected; no key was taken over", next: "check its path and permissions; --force writes over a file that is there")
    case .batteryCritical: ReasonText(area: "link", sentence: "a wearable's battery is nearly empty", effect: "samples unaffected so far; no samples from when it is empty, until it is charged", next: "charge it now; the hub takes the code back when a reading shows it charged")
    case .boundElsewhere: ReasonText(area: "bond", sentence: "a band belongs to another user", effect: "no samples; what it recorded stays on it until its memory overwrites it", next: "unbind it on the other phone or hub, or reset it in its own menu")
    case .bindingNotConfirmed: ReasonText(area: "bond", sentence: "a band was not bound: nobody confirmed on it, or somebody pressed cancel", effect: "no samples; what it recorded stays on it", next: "be ready to confirm on its display, then hearth visit now NAME")
    case .bindingBatteryLow: ReasonText(area: "bond", sentence: "a band's battery is too low for it to be bound", effect: "no samples until it is charged", next: "charge it; the hub binds it at its next visit")
    case .bindingNeedsReset: ReasonText(area: "bond", sentence: "a band has to be reset before it can be bound", effect: "no samples; a reset erases what it recorded", next: "reset it in its own menu; the hub binds it at its next visit")
    case .bindingRefused: ReasonText(area: "bond", sentence: "a band refused to be bound and does not say why", effect: "no samples; what it recorded stays on it", next: "reset it in its own menu, then hearth visit now NAME")
    case .bindingLeft: ReasonText(area: "bond", sentence: "a band was forgotten while it could not be reached: it still believes that it belongs to this hub", effect: "samples unaffected: what was stored stays", next: "reset it in its own menu before it is given to somebody with a phone")
    case .impostorSuspected: ReasonText(area: "bond", sentence: "something at the address of an enrolled wearable is not that wearable", effect: "nothing of it is stored; samples of the true one are lost until it is reached", next: "look for a second device of its kind; if it was reset: hearth enroll open, then accept it")
    case .identityClaimed: ReasonText(area: "bond", sentence: "a device gave the address of another wearable as its own when it was paired", effect: "samples unaffected: its keys are not kept, and its link is ended", next: "look for a second device; if it is the same one, reset: hearth device NAME forget, then accept it")
    case .enrolWindowClosed: ReasonText(area: "enrol", sentence: "nobody can join: the enrolment window is closed", effect: "samples unaffected", next: "hearth enroll open, then accept it while the window is open")
    case .enrolTooFar: ReasonText(area: "enrol", sentence: "a wearable is too far away to join", effect: "samples unaffected; it is not enrolled", next: "hold it within a hand's width of the hub and accept again")
    case .enrolNotHeard: ReasonText(area: "enrol", sentence: "no candidate of that letter or address was heard in this window", effect: "samples unaffected; nothing was enrolled", next: "hearth enroll list shows who is heard; wake the wearable and look again")
    case .enrolNameTaken: ReasonText(area: "enrol", sentence: "another wearable has that name", effect: "samples unaffected; nothing was enrolled", next: "hearth devices lists names in use: take another, or use the one that is enrolled")
    case .enrolNameInvalid: ReasonText(area: "enrol", sentence: "that name cannot be used for a wearable", effect: "samples unaffected; nothing was enrolled", next: "use 1 to 32 letters, digits, '-', '_' and '.'")
    case .registryFull: ReasonText(area: "enrol", sentence: "the hub has as many wearables as it can keep", effect: "samples of enrolled wearables unaffected; the new one is not enrolled", next: "hearth device NAME forget, for one that nobody uses any more; or use another hub")
    case .noSuchWearable: ReasonText(area: "enrol", sentence: "no wearable of that name or address is known", effect: "samples unaffected", next: "hearth devices lists names and addresses")
    case .enrolNotRecognised: ReasonText(area: "enrol", sentence: "the hub has no driver for that wearable", effect: "samples unaffected; it is not enrolled", next: "only recognised kinds can join; hearth enroll list shows them")
    case .driverChanged: ReasonText(area: "enrol", sentence: "a wearable said what it is, and moves to the driver that knows it", effect: "samples unaffected; from its next link on it is asked for more than before", next: "nothing; hearth device NAME shows its driver")
    case .enrolmentEvicted: ReasonText(area: "enrol", sentence: "one that joined by itself never brought a value, and made room for another", effect: "samples unaffected: it never brought any", next: "hearth enroll open and hearth enroll accept NAME, if it is a wearable of yours")
    case .enrolForbidden: ReasonText(area: "enrol", sentence: "nobody can join: enrolment is closed by configuration", effect: "samples unaffected", next: "set enroll.mode to window in hearth.yaml, reload hearthd, then hearth enroll open")
    case .noSuchWearer: ReasonText(area: "enrol", sentence: "no present wearer of that name or number is known", effect: "samples unaffected", next: "hearth wearer lists them, hearth wearer add NAME enters one; a retired one gets nothing new")
    case .wearerNameInvalid: ReasonText(area: "enrol", sentence: "that name cannot be used for a wearer", effect: "samples unaffected; nothing was changed", next: "use 1 to 64 bytes of plain text on one line")
    case .wearerNameTaken: ReasonText(area: "enrol", sentence: "another wearer has that name", effect: "samples unaffected; nothing was changed", next: "add what tells the two apart, such as a bed or a year of birth")
    case .wearerStillWears: ReasonText(area: "enrol", sentence: "a person who wears something now cannot be erased", effect: "samples unaffected; nothing was deleted", next: "hearth wearer unassign with each wearable that is named, then ask again")
    case .noSuchAssignment: ReasonText(area: "enrol", sentence: "the wearable has no assignment that begins then", effect: "samples unaffected; nothing was changed", next: "hearth wearer history with the wearable's name lists when each begins")
    case .assignmentTaken: ReasonText(area: "enrol", sentence: "another assignment of the wearable begins at that time", effect: "samples unaffected; nothing was changed", next: "hearth wearer correct the other one, or choose another time")
    case .enrolAddressChanges: ReasonText(area: "enrol", sentence: "a wearable's address changes, and no key tells whose it is", effect: "samples unaffected; it is not enrolled", next: "hearth enroll open, make it ready to pair, accept it; or switch its private address off")
    case .restRateBeyond: ReasonText(area: "alert", sentence: "a heart rate was beyond its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge")
    case .exerciseRateBeyond: ReasonText(area: "alert", sentence: "a heart rate was beyond its limit for 10 seconds in exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge")
    case .oxygenBeyond: ReasonText(area: "alert", sentence: "an oxygen saturation was below its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge")
    case .temperatureBeyond: ReasonText(area: "alert", sentence: "a body temperature was beyond its limit for 15 minutes outside exercise", effect: "samples unaffected; this is no medical alarm", next: "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge")
    case .phasesLeftOut: ReasonText(area: "order", sentence: "some kinds of data of a wearable are not taken, by order", effect: "samples delayed: what the wearable keeps of them stays on it, as long as it has room", next: "hearth sync NAME PHASE takes them once; hearth settings NAME set phases all takes them from now on")
    case .collectionPaused: ReasonText(area: "order", sentence: "nothing is collected of a wearable, by order", effect: "what it records stays on it, as long as it has room; what it only streams is lost", next: "hearth device NAME resume")
    case .adapterMissing: ReasonText(area: "radio", sentence: "this machine has no Bluetooth adapter that can be used", effect: "samples lost from now until there is one, unless the wearables record", next: "plug in a USB adapter, or enable the onboard one and restart the machine")
    case .adapterPoweredOff: ReasonText(area: "radio", sentence: "the Bluetooth adapter was switched off by another program", effect: "samples lost from then until it is on again, unless the wearables record", next: "nothing; the hub switches it on. If it repeats, find the program that switches it off")
    case .adapterBlocked: ReasonText(area: "radio", sentence: "the Bluetooth adapter is blocked by rfkill", effect: "samples lost from then until it is unblocked, unless the wearables record", next: "sudo rfkill unblock bluetooth; a hardware switch must be moved by hand")
    case .adapterRemoved: ReasonText(area: "radio", sentence: "the Bluetooth adapter was removed while the hub was running", effect: "samples lost from then until it is back, unless the wearables record", next: "plug it in again; the hub takes it up by itself")
    case .controllerSilent: ReasonText(area: "radio", sentence: "the Bluetooth controller does not answer", effect: "samples lost from then until it answers, unless the wearables record", next: "nothing; the hub resets it. If it repeats, look at the power supply and journalctl -k")
    case .kernelWithoutBluetooth: ReasonText(area: "radio", sentence: "this kernel has no Bluetooth", effect: "samples lost from now until it has, unless the wearables record", next: "load the bluetooth module or boot a kernel that has it; the hub finds it within 5 minutes")
    case .capabilityMissing: ReasonText(area: "radio", sentence: "hearthd may not control the Bluetooth adapter", effect: "samples lost from now until it may, unless the wearables record", next: "start it by its systemd unit, or give it CAP_NET_ADMIN")
    case .bluetoothdClash: ReasonText(area: "radio", sentence: "bluetoothd is running and may change the adapter beneath the hub", effect: "samples unaffected so far; links may drop whenever it acts", next: "sudo systemctl disable --now bluetooth, unless something else needs it")
    case .adapterNotChosen: ReasonText(area: "radio", sentence: "no adapter fits the rule radio.adapter", effect: "samples lost from now until one fits, unless the wearables record", next: "hearth status lists the adapters; set radio.adapter to auto or to one of them, restart hearthd")
    case .managementRefused: ReasonText(area: "radio", sentence: "the kernel refused a command to the Bluetooth adapter", effect: "samples unaffected if links stay up; otherwise lost until they are back", next: "nothing; the hub tries again. If it repeats, look at journalctl -u hearthd")
    case .adapterAddressUnprogrammed: ReasonText(area: "radio", sentence: "the Bluetooth adapter has no address of its own", effect: "samples unaffected; another hub with the same address nearby would disturb this one", next: "update the adapter's firmware package and restart, or use another adapter")
    case .busResetRefused: ReasonText(area: "radio", sentence: "the hub may not reset the Bluetooth adapter's USB port or UART", effect: "samples lost until the adapter answers by itself, unless the wearables record", next: "install the helper hearth-radio-reset (board/README.md), or plug the adapter out and in")
    case .radioTakenOver: ReasonText(area: "radio", sentence: "another program took the Bluetooth adapter, and the hub has it again", effect: "samples lost from its start until the hub served again, unless the wearables record", next: "sudo systemctl mask bluetooth, unless something else needs it")
    case .radioAddressDiffers: ReasonText(area: "radio", sentence: "the adapter has another address than the one that bonds were made with", effect: "samples of bonded wearables are delayed: they do not know this hub and keep them", next: "use the old hub's adapter, or pair each bonded wearable anew: hearth enroll open")
    case .radioBack: ReasonText(area: "radio", sentence: "the radio hears again", effect: "samples lost while it was down, unless the wearables record", next: "nothing if it is rare; else hearth radio shows what was done")
    case .radioTried: ReasonText(area: "radio", sentence: "the hub did something to revive the radio", effect: "samples lost while the radio was down, unless the wearables record", next: "nothing if H3120 follows; else hearth radio shows what was done, and what is tried next")
    case .attemptsFull: ReasonText(area: "radio", sentence: "a link was wanted while the radio had as many connection attempts as it takes", effect: "samples delayed until an attempt ends; lost meanwhile if the wearable does not record", next: "nothing; the hub tries again. If it repeats: hearth radio")
    case .radioExhausted: ReasonText(area: "radio", sentence: "the radio is gone: the hub has tried everything it can", effect: "samples lost from then until it is back, unless the wearables record", next: "switch the hub off and on at its plug; if the radio stays away, replace the adapter")
    case .storeUnwritable: ReasonText(area: "store", sentence: "the store cannot be written", effect: "samples unaffected in the store; none are taken until it can be written", next: "check owner, permissions and mount of store.path, then start hearthd again")
    case .storeForeign: ReasonText(area: "store", sentence: "the files at store.path are not a Hearth store", effect: "samples unaffected; nothing there was touched", next: "set store.path to an empty folder or to a Hearth store")
    case .storeNewer: ReasonText(area: "store", sentence: "the store was written by a newer Hearth", effect: "samples unaffected; nothing there was touched", next: "install the newer Hearth again, or set store.path to another folder")
    case .storeInUse: ReasonText(area: "store", sentence: "another process has the store open", effect: "samples unaffected; the other process keeps writing", next: "stop the other hearthd, or ask it: hearth status")
    case .storeChunkCorrupt: ReasonText(area: "store", sentence: "a piece of the store fails its checksum", effect: "samples of that piece lost; all others unaffected", next: "hearth export what is needed and replace the card soon")
    case .storeFull: ReasonText(area: "store", sentence: "the file system of the store is full", effect: "new samples wait in memory; lost from the time memory is full until there is space", next: "free space on the card, or lower store.size and restart")
    case .storeInputOutput: ReasonText(area: "store", sentence: "reading or writing the card gave an error", effect: "new samples wait in memory; lost from the time memory is full until writing works", next: "look at journalctl -k; hearth export what is needed and replace the card")
    case .storeAbsent: ReasonText(area: "store", sentence: "there is no store at that path", effect: "samples unaffected; there are none here to read", next: "check store.path: hearth config show --origin")
    case .secretsKeyMissing: ReasonText(area: "store", sentence: "the key file of the store's secrets is missing", effect: "samples in the store unaffected; wearables that have such secrets are not read until it is back", next: "put the key file back from the backup and restart the hub; without one: hearth explain H4010")
    case .secretsKeyWrong: ReasonText(area: "store", sentence: "the key file does not fit the store's secrets", effect: "samples in the store unaffected; wearables that have such secrets are not read until it is back", next: "put the key file that belongs to this store back and restart the hub; hearth explain H4011")
    case .storeNotCopied: ReasonText(area: "store", sentence: "the store is of an earlier format and could not be copied before it is converted", effect: "samples unaffected; the store is as it was, and this version does not start with it", next: "make room for a copy of data.mdb, then: sudo systemctl restart hearthd")
    case .storeMiscounted: ReasonText(area: "store", sentence: "counts in the store's own pages were wrong and were made anew", effect: "samples unaffected; nothing was deleted for the wrong counts", next: "replace the card soon, or look at the memory: a bit changed by itself; hearth store verify")
    case .storeDamaged: ReasonText(area: "store", sentence: "the store's own pages contradict each other", effect: "samples on the card unaffected; nothing more is written, so new ones are lost once memory is full", next: "restart the hub, which takes what can be read into a new file; then replace the card")
    case .storeInMemory: ReasonText(area: "store", sentence: "the store lies in memory: it is empty after the next power cut or restart", effect: "samples of this run are lost with the power; nothing is erased on wearables until that is mended", next: "put store.path on the card, or switch off the overlay (raspi-config), then restart the hub")
    case .storeUnproven: ReasonText(area: "store", sentence: "whether the store's samples reach a disk cannot be known where it lies", effect: "samples may be lost with the power; nothing is erased on wearables until that is mended", next: "put store.path on a file system of this machine that waits for its disk, then restart the hub")
    case .storeOpenToAll: ReasonText(area: "store", sentence: "the store lies on a file system without owners: every user may read it and its keys", effect: "samples unaffected, but every user may read them; a power cut may damage such a file system", next: "put store.path on ext4 or another file system with owners, then restart the hub")
    case .storeUnreadable: ReasonText(area: "store", sentence: "this user may not read the store", effect: "samples unaffected: nothing is wrong with the store, and hearthd goes on writing it", next: "read it as root; where hearthd runs, leave --store out: it answers whoever is in its groups")
    case .storeRescued: ReasonText(area: "store", sentence: "the store's file was damaged, and the hub goes on with what could be read of it", effect: "most samples unaffected; those on damaged pages are missing", next: "hearth events shows what is missing; hearth export what is needed and replace the card soon")
    case .storeTableFull: ReasonText(area: "store", sentence: "a list in the store has as many entries as it may", effect: "samples unaffected; the new entry was not kept", next: "remove entries of that list which nobody needs")
    case .storeEvicting: ReasonText(area: "store", sentence: "samples that were never exported are being evicted", effect: "the oldest samples are lost as new ones come; hearth store shows from when to when", next: "hearth export --cursor NAME; or raise the ring's quota or keep, or store.size, and restart hearthd")
    case .storeRefusing: ReasonText(area: "store", sentence: "a ring is at its bound and takes nothing more from its wearable", effect: "samples unaffected here; new ones are delayed on the wearable until there is room", next: "hearth export --cursor NAME, then hearth store purge; or raise the ring's quota, restart hearthd")
    case .purgeCountDiffers: ReasonText(area: "store", sentence: "a purge was asked for with another count than it would delete", effect: "samples unaffected; nothing was deleted", next: "hearth store purge with the same filters says the count; repeat it with --yes-lose")
    case .storeBatchTooLarge: ReasonText(area: "store", sentence: "more was to be stored at once than one batch may hold", effect: "samples unaffected here; they stay on the wearable", next: "tell the makers of Hearth which wearable it is")
    case .storePurged: ReasonText(area: "store", sentence: "somebody deleted samples", effect: "the samples that were named are lost", next: "nothing")
    case .stagedElsewhere: ReasonText(area: "store", sentence: "bytes of a file do not follow those that are kept of it", effect: "samples unaffected; the file stays on the wearable", next: "nothing; the file is fetched on from what is kept")
    case .stagedGivenUp: ReasonText(area: "store", sentence: "a half-fetched file was given up to make room", effect: "samples unaffected; the file is still on the wearable and is fetched again", next: "hearth export --cursor NAME, then hearth store purge; or raise store.size, restart hearthd")
    case .custodyInvalid: ReasonText(area: "store", sentence: "a wearable names what it holds in a way that cannot be kept", effect: "samples unaffected; what has that name stays on the wearable", next: "tell the makers of Hearth which wearable it is")
    case .storeBudgetExceeded: ReasonText(area: "store", sentence: "more was written to the card today than its budget", effect: "samples unaffected; the card wears out sooner", next: "raise store.commit.every and .bytes, restart hearthd; hearth store shows what is written")
    case .storeBack: ReasonText(area: "store", sentence: "the store takes writes again", effect: "samples delayed until then; lost are only those that it counts as dropped", next: "hearth store shows what was dropped")
    case .erasureCountDiffers: ReasonText(area: "store", sentence: "an erasure was asked for with another count than it would delete", effect: "samples unaffected; nothing was deleted", next: "hearth wearer erase with the same person says the count; repeat it with --yes-lose")
    case .wearerErased: ReasonText(area: "store", sentence: "all that was kept of a person was deleted", effect: "samples of that person are lost; other copies may exist", next: "nothing")
    case .storeUnread: ReasonText(area: "store", sentence: "samples wait for a reader for longer than store.export_within", effect: "samples unaffected; the oldest go when the store is full", next: "hearth uplink says whether the broker is there; without an uplink, hearth export --cursor NAME")
    case .storeTimesCorrected: ReasonText(area: "store", sentence: "a time server told how far the hub's clock was off, and times from before it are corrected", effect: "samples unaffected; those from before are read with their true time, marked as corrected", next: "nothing; a clock module would make times sure from the start")
    case .storeFailing: ReasonText(area: "store", sentence: "the card is failing or read-only; new samples are in memory only", effect: "lost from the last commit on if power fails now, and from the time memory is full", next: "hearth export at once; hearth doctor says how to mount it again; then replace the card")
    case .backupDamaged: ReasonText(area: "backup", sentence: "a backup is damaged, or is none", effect: "samples unaffected; nothing was restored", next: "use another copy of the file, or an older backup")
    case .backupPassphraseWrong: ReasonText(area: "backup", sentence: "the passphrase does not open the backup, or its beginning was changed", effect: "samples unaffected; nothing was restored", next: "try the passphrase again; if it is right, use another copy of the file")
    case .backupFileUnusable: ReasonText(area: "backup", sentence: "a backup cannot be written or read", effect: "samples unaffected; backups that were there stay", next: "check the path, its permissions and its free room; --force writes over a file that is there")
    case .restoreRefused: ReasonText(area: "backup", sentence: "this hub is not fresh: it knows wearables already", effect: "samples unaffected; nothing was restored", next: "restore on a fresh hub, or stop this one and move the folder of its store away first")
    case .backupInterrupted: ReasonText(area: "backup", sentence: "a backup was ended before it was whole", effect: "samples unaffected; the file was not written", next: "hearth backup FILE once more; with --samples at a quiet hour")
    case .backupOverdue: ReasonText(area: "backup", sentence: "the newest backup is older than twice the time between two", effect: "samples unaffected; if the card dies, what was set up since then is lost", next: "sudo hearth backup --scheduled, and see what it says")
    case .backupFailed: ReasonText(area: "backup", sentence: "the scheduled backup failed", effect: "samples unaffected; if the card dies, what was set up since the last one is lost", next: "sudo hearth backup --scheduled, and see what it says")
    case .backupNotConfigured: ReasonText(area: "backup", sentence: "no backup is scheduled", effect: "samples unaffected; nothing was written", next: "set backup.to and backup.passphrase_file in the configuration, then hearth config check")
    case .restored: ReasonText(area: "backup", sentence: "this hub was restored from a backup", effect: "samples that the backup had not are lost, but for those that wearables still hold", next: "nothing; make sure that the old hub is off")
    case .clockUntrusted: ReasonText(area: "clock", sentence: "the hub's clock is not set by any time source", effect: "samples unaffected; their times are stored with evidence to correct them", next: "give the hub a network with NTP, or a clock module: timedatectl shows the state")
    case .clockStepped: ReasonText(area: "clock", sentence: "the hub's clock was set to another time", effect: "samples unaffected; times before and after the step do not join", next: "nothing if it is rare; else see why the clock is wrong after boot: timedatectl")
    case .socketInUse: ReasonText(area: "control", sentence: "another hearthd answers on the control socket", effect: "samples unaffected; the other hearthd keeps running", next: "hearth status asks it; stop it first if this one should take its place")
    case .socketUnavailable: ReasonText(area: "control", sentence: "the control socket cannot be made", effect: "samples unaffected; nothing was started", next: "check the folder of control.socket and its permissions")
    case .controlMalformed: ReasonText(area: "control", sentence: "a client sent something that is not a Varlink call; it was disconnected", effect: "samples unaffected", next: "use the hearth of the same version as hearthd")
    case .controlUnknownMethod: ReasonText(area: "control", sentence: "a client asked for something this hearthd does not offer", effect: "samples unaffected", next: "use the hearth of the same version as hearthd")
    case .controlBadParameter: ReasonText(area: "control", sentence: "a client's question has a parameter that is missing or does not fit", effect: "samples unaffected; nothing was changed", next: "correct the parameter named; hearth COMMAND --help shows what fits")
    case .controlTooManyClients: ReasonText(area: "control", sentence: "all places at the control socket that this client may have are taken", effect: "samples unaffected", next: "end some hearth live or scripts that keep connections open, then ask again; root has places")
    case .controlClientTooSlow: ReasonText(area: "control", sentence: "a client left its answers unread for too long and was disconnected", effect: "samples unaffected; only what that client would have seen is missing there", next: "ask again; hearth export gives everything that was stored")
    case .daemonDown: ReasonText(area: "control", sentence: "hearthd is not running, or not at this socket", effect: "samples lost from its stop until its start, unless the wearables record", next: "systemctl status hearthd; hearth store still reads what is kept")
    case .controlNotAllowed: ReasonText(area: "control", sentence: "that is not for this user", effect: "samples unaffected; nothing was changed", next: "run the command with sudo; for all but keys, join the group hearth and log in again")
    case .timeNotUnderstood: ReasonText(area: "control", sentence: "a time was given in a form that is not taken", effect: "samples unaffected; nothing was changed", next: "say it as today, yesterday, 14:30, 2026-11-22, '2026-11-22 10:00', 2h, or 2026-11-22T10:00:00+01:00")
    case .agreementMissing: ReasonText(area: "control", sentence: "nobody agreed to what would be lost", effect: "samples unaffected; nothing was changed", next: "read what would be lost, and repeat the command with the option it names")
    case .controlRoleMissing: ReasonText(area: "control", sentence: "this user is not in the group that this is for", effect: "samples unaffected; nothing was changed", next: "join the group that is named, log in again; hearth explain H6020 says what each group may")
    case .orderGiven: ReasonText(area: "control", sentence: "somebody gave the hub an order", effect: "samples unaffected, unless the order says otherwise", next: "nothing")
    case .terminalMissing: ReasonText(area: "control", sentence: "a full-screen view needs a terminal that can redraw a screen", effect: "samples unaffected; nothing was changed", next: "print one screen with hearth watch --once")
    case .fleetUnreachable: ReasonText(area: "control", sentence: "a hub of the list did not answer over SSH", effect: "samples unaffected; what that hub says is missing from the table", next: "try ssh with the name that is shown; its own words stand beside it")
    case .fleetAnswerUnreadable: ReasonText(area: "control", sentence: "a hub of the list answered something that is no document of Hearth", effect: "samples unaffected; what that hub says is missing from the table", next: "run the same command on that hub alone, and update it if it is older than this one")
    case .fleetNotForMany: ReasonText(area: "control", sentence: "this command is for one hub at a time", effect: "samples unaffected; nothing was asked of any hub", next: "log in to the hub with ssh and run it there")
    case .lightsChipMissing: ReasonText(area: "lights", sentence: "no GPIO chip of the board is there", effect: "samples unaffected; the lights stay dark", next: "gpiodetect lists chips; set lights.board to one that fits, or to none, then restart hearthd")
    case .lightsLineMissing: ReasonText(area: "lights", sentence: "the GPIO chip has no line of that name", effect: "samples unaffected; the lights stay dark", next: "gpioinfo lists the lines; correct the board file, then restart hearthd")
    case .lightsLineBusy: ReasonText(area: "lights", sentence: "a GPIO line of the lights is in use or cannot be driven", effect: "samples unaffected; the lights stay dark", next: "gpioinfo shows who holds it; end that program or overlay, then restart hearthd")
    case .lightsBoardUnknown: ReasonText(area: "lights", sentence: "there is no such board, or its file lists no lamps", effect: "samples unaffected; the lights stay dark", next: "set lights.board to a file in board/, without .yaml, or to none, then restart hearthd")
    case .startedAfterStop: ReasonText(area: "hub", sentence: "the hub was started; the run before was stopped in order", effect: "samples lost while it did not run, unless the wearables record", next: "nothing")
    case .startedAfterKill: ReasonText(area: "hub", sentence: "the hub was started; the run before ended without a stop", effect: "samples lost from its last commit until the start, unless the wearables record", next: "see why it ended: hearth log -n 200")
    case .startedAfterPowerCut: ReasonText(area: "hub", sentence: "the machine was started anew; the hub's run before ended without a stop", effect: "samples lost from its last commit until the start, unless the wearables record", next: "if nobody cut the power, look at supply and cable; hearth store verify checks the store")
    case .startedFirst: ReasonText(area: "hub", sentence: "the hub was started, and the store knows of no run before", effect: "samples unaffected", next: "nothing")
    case .startedAgain: ReasonText(area: "hub", sentence: "the hub was started several times within an hour", effect: "samples lost while it did not run, unless the wearables record", next: "see why it ended: hearth log -n 200")
    case .logUnavailable: ReasonText(area: "hub", sentence: "the log of the hub cannot be read here", effect: "samples unaffected", next: "sudo hearth log; without systemd: hearth log --file FILE, with what hearthd wrote to stderr")
    case .metricsUnwritable: ReasonText(area: "hub", sentence: "the file for the collector of metrics cannot be written", effect: "samples unaffected; the collector gets nothing new", next: "set metrics.file to /run/hearth/metrics.prom, then: sudo systemctl reload hearthd")
    case .updateReturned: ReasonText(area: "hub", sentence: "an update did not serve, and the version before is installed again", effect: "samples unaffected; what was measured during the two minutes of the trial may be delayed", next: "hearth update status says why; seen to: sudo hearth update dismiss")
    case .updateStuck: ReasonText(area: "hub", sentence: "an update does not serve, and the version before could not be installed again", effect: "live samples are lost until the hub serves; wearables keep what they recorded", next: "sudo hearth update apply FILE with a version that served, or a newer one")
    case .updateNotDone: ReasonText(area: "hub", sentence: "the update was not done", effect: "samples unaffected; the installed version goes on", next: "hearth update status, and what apt or dpkg said above")
    case .updateNotKept: ReasonText(area: "hub", sentence: "there is no earlier package to go back to", effect: "samples unaffected; the installed version goes on", next: "sudo hearth update apply FILE with the version that is wanted")
    case .uplinkBrokerUnreachable: ReasonText(area: "uplink", sentence: "the message broker cannot be reached", effect: "samples unaffected; they wait in the store", next: "hearth uplink shows address and cause; see that the broker runs and the network is there")
    case .uplinkBrokerRefuses: ReasonText(area: "uplink", sentence: "the message broker refuses this hub", effect: "samples unaffected; they wait in the store", next: "compare user, password, client name and topics in uplink.yaml with those of the broker")
    case .uplinkCertificate: ReasonText(area: "uplink", sentence: "the secure connection to the broker fails", effect: "samples unaffected; they wait in the store", next: "hearth uplink names the cause; not valid yet: hearth clock; else a new file, read at each try")
    case .uplinkSessionTaken: ReasonText(area: "uplink", sentence: "another client uses the name of this hub at the broker", effect: "samples unaffected; they wait in the store, or are sent twice and stored once", next: "give each hub its own name with hub.name, then restart hearthd and hearth-uplink")
    case .uplinkUnacknowledged: ReasonText(area: "uplink", sentence: "the broker takes messages and does not acknowledge them", effect: "samples unaffected; they wait in the store", next: "look at disk and log of the broker; hearth uplink shows the last acknowledgement")
    case .uplinkHubSilent: ReasonText(area: "uplink", sentence: "hearth-uplink cannot ask the daemon", effect: "samples unaffected; they wait in the store", next: "sudo systemctl status hearthd hearth-uplink shows whether both run")
    case .uplinkLosses: ReasonText(area: "uplink", sentence: "the store gave up rows that the broker never had", effect: "samples lost from the oldest on, as the quotas of the store say, until rows are acknowledged again", next: "hearth store shows what was evicted; mend the uplink, or raise store.size")
    case .uplinkOrderRefused: ReasonText(area: "uplink", sentence: "an order to send again was refused", effect: "samples unaffected; nothing is sent again", next: "hearth uplink shows what is under way; repeat the order with a time that is in the past")
    case .uplinkDown: ReasonText(area: "uplink", sentence: "hearth-uplink does not run", effect: "samples unaffected; they wait in the store", next: "sudo systemctl enable --now hearth-uplink, after its settings are in uplink.yaml")
    case .uplinkNoReader: ReasonText(area: "uplink", sentence: "the broker takes rows that no client reads", effect: "samples unaffected; they wait in the store", next: "start hearth-sink, or look whether the broker's access list lets it read hearth/1/+/+/rows")
    case .uplinkRowTooLong: ReasonText(area: "uplink", sentence: "rows are longer than the packets that the broker takes", effect: "samples unaffected in the store; these rows are not sent, and hearth-sink gaps names them", next: "let the broker take longer packets, then hearth uplink resend --from with a time before these rows")
    case .sinkBroker: ReasonText(area: "sink", sentence: "the sink cannot consume from the broker", effect: "samples delayed; they stay with the broker and the hubs", next: "journalctl -u hearth-sink has the cause; see that the broker runs and knows this user")
    case .sinkDatabase: ReasonText(area: "sink", sentence: "the sink cannot write to the database", effect: "samples delayed; they stay with the broker and the hubs", next: "journalctl -u hearth-sink has the words of the database; see its disk, user and schema")
    case .sinkBatchRefused: ReasonText(area: "sink", sentence: "a batch could not be read and was put aside", effect: "samples delayed; the batch lies in the table quarantine and hubs can send again", next: "look at hearth.quarantine; update the sink, then hearth-sink again")
    case .sinkGap: ReasonText(area: "sink", sentence: "rows of a ring are missing that its hub sent", effect: "samples delayed until they are sent again, if the hub still has them", next: "on the hub that is named, run hearth uplink resend --from with a time a day before the gap")
    case .sinkStoreTwice: ReasonText(area: "sink", sentence: "two hubs send rows of one store at the same time", effect: "samples delayed; the batches lie in the table quarantine and hubs can send again", next: "see which hub's card was copied, or let the new hub have the store: hearth-sink adopt")
    }
  }

  /// Two to five sentences: what the hub saw, what usually causes it, what to check and in which order. One line, to be wrapped.
  public var explanation: String {
    switch self {
    case .configUnreadable: "The file named could not be opened or read. Usually the path is wrong or the user hearth may not read it; ls -l on the file and on each folder above it shows which. hearthd never starts on a guess: without its configuration it leaves with exit status 2."
    case .configSyntax: "The YAML reader stopped at the line and column named. Tabs for indentation, a missing space after a colon and an unclosed quote are the usual causes, and the mistake may be on the line before. Correct it and run hearth config check until it says that all is well."
    case .configUnknownKey: "Every key is checked against the list that Hearth knows, so that a misspelt key cannot silently do nothing. The message names file, line and column, and the nearest known key where there is one. config/hearth.yaml has every key with its default."
    case .configBadValue: "The value cannot be read as what its key needs, or lies outside its limits. Units belong to the value: 45s, 15m, 1500MB, 4KB. Words such as yes and on are text, not switches. The message says which kind of value is expected."
    case .configReloadRefused: "hearthd was asked to reload and the new files do not pass, so it keeps the configuration it had; HUB shows code 4 until a reload passes. hearth config check reads the same files and names the line. Note that a restart now would not come up: the files on disk are the wrong ones."
    case .setupFileUnreadable: "hearth setup was given a file of answers that it could not open, or one of more than 64 KiB. At boot that file is hearth-setup.yaml on the boot partition, which Raspberry Pi OS mounts at /boot/firmware. A whole configuration is another thing: that is hearth.yaml."
    case .setupFileInvalid: "The file of answers is read strictly: a key that is not one of the six, or a value that its key does not take, refuses all of it. What stands in it is never repeated, as a password may have got there; the line and column are. After a boot the file is called hearth-setup.failed.yaml, so that it is not tried again: correct it, call it hearth-setup.yaml, and start the machine again."
    case .setupUnasked: "hearth setup asks its questions at a terminal, and there is none, or --no-input forbids asking. A script takes --defaults, which leaves what somebody configured as it is, or --file with answers. --dry-run shows what either would write."
    case .setupOverridden: "Files of the folder hearth.d are read after hearth.yaml and win. hearth setup writes hearth.yaml alone, so an answer about a key that such a file has would have no effect. Nothing was written, as half of the answers would be worse than none."
    case .setupRefused: "Before anything is written the changed configuration is checked as hearth config check does it, together with the files beside it. It did not pass, or another key would have changed with it. Usually a board of lights is named that is not there, or the file is laid out in a way that cannot be edited line by line."
    case .setupNotWritten: "The new configuration is written beside the old one and then takes its name, so the old one is whole whatever happened. Usually hearth setup was not run as root; else the card is full, or its file system was set to read-only after an error, which hearth doctor tells."
    case .setupUserUnknown: "Who may ask the hub is in a group of this machine, which is by default hearth. The user named is not in /etc/passwd, the group is not in /etc/group, or the tool that joins the two failed. At a first boot the user may not have been made yet: leave who_may_ask out, and add the user later."
    case .setupFileLeft: "What was wished for is done, but hearth-setup.yaml still stands on the boot partition under its own name, or its result could not be written beside it. The hub remembers that this very file is done and does not take it again. A boot partition that is mounted read-only is the usual cause."
    case .setupNotTaken: "systemctl could not make hearthd read the configuration that was written. The daemon may have been started by hand, or it failed for a reason of its own, which the journal has. The configuration itself was checked before it was written."
    case .setupDeclined: "The input ended, an answer did not fit ten times, or the last question was not answered with yes. hearth setup writes after that last question only, so that nothing has changed."
    case .attMalformed: "The bytes came over a sound link (the radio checks them) but do not form a message of the Attribute Protocol. That is the wearable's software, not interference. The message is dropped and counted; hearth device NAME shows the count."
    case .attTimeout: "The Bluetooth specification gives a device 30 s to answer a request; after that the link may not be used any more, and the hub closes it. Weak reception rarely causes this, because a weak link is lost before. A wearable that does it again and again hangs: take it off, let it switch itself off, or take its battery out."
    case .attProtocol: "Answers to requests that were never made mean that hub and wearable disagree on where they are in their conversation. The hub closes the link and starts afresh, which settles it unless the wearable's firmware is at fault. hearth device NAME shows model and firmware, which its maker will ask for."
    case .gattDiscoveryBounded: "A wearable tells the hub which services and characteristics it has, in rising order of handles. This one repeated itself, went backwards or listed more than any real device does, so the hub stopped listening. The wearable is broken or hostile; it is tried again later, and it cannot hold up anybody else."
    case .gattValueMalformed: "Measurements begin with flags that say which fields follow; here the fields did not fit. The value was dropped rather than guessed, and counted. Single cases come from firmware bugs at the start of a measurement; a steady stream of them means that the driver and this model do not agree."
    case .gattMissing: "The wearable connected, but lacks something that every device of its kind has, for example the Heart Rate Measurement. It may be another model under the same name, or in a mode for updates. hearth device NAME shows maker, model and firmware as far as they could be read."
    case .notificationFlood: "Each kind of wearable has a highest rate at which it can have something to say, and none needs other link parameters more than some times a minute; this one passed that several times over. The hub closes such a link, because everybody's data goes through the same radio and the same card. A restart of the wearable usually ends it; one that goes on is faulty or not what it claims to be."
    case .attRefused: "The wearable understood the request and said no; the log line has its error number. Numbers 0x05, 0x08, 0x0C and 0x0F mean that it wants to be paired first, 0x02 and 0x03 that it does not offer this, 0x80 and above are its own. The hub goes on with what it was not refused."
    case .procedureTimeout: "Every step with a wearable has a bound, so that one of them cannot keep the others waiting. Slow answers usually mean weak reception: hearth devices shows the RSSI, and below -85 dBm nothing works well. Metal lockers and a body between hub and wearable cost 20 dB and more."
    case .slotsFull: "A Bluetooth controller holds only so many links at once, about seven on a Raspberry Pi, and all of them are in use. Whoever waits longest takes the slot of one that had its time, and that one waits in turn; the event says from when until when it had none. What a wearable only streams is lost meanwhile, what it records comes with its next visit. Spread the wearables over two hubs, or add a USB adapter with more links and name it in radio.adapter."
    case .notHeard: "To connect, the hub has to hear one more advertisement of the wearable, and none came in time. Chest straps advertise only while they touch wet skin and stop after a minute or so without it. A wearable that is connected to a phone does not advertise at all, and so is invisible to the hub."
    case .linkProfileRefused: "A connection profile says how often the radio of a wearable wakes up. This one refused a profile, or took it and went on as before, usually because the numbers in its firmware break a rule of Bluetooth and its own radio will not have them. The hub remembers it for this firmware and uses the next quicker profile, which costs battery and no data. hearth link NAME shows what was asked, what is in effect and what the wearable says."
    case .linkLost: "The radio heard nothing from the wearable for the supervision time, some seconds. People who walk out of range, a flat battery and Wi-Fi on 2.4 GHz from the same board are the usual causes, in that order. The hub connects again as soon as it hears the wearable."
    case .peerClosed: "The wearable ended the link in good order. Straps do so when they are taken off, and some do when a phone asks for them. If it happens every few minutes while worn, look at its battery: hearth device NAME."
    case .failedToEstablish: "The wearable was heard and called, but did not follow to the data channels. That is ordinary at the edge of reception, about one try in ten; the next try mostly works. If most tries end so, the antenna is covered or 2.4 GHz is crowded: move the hub away from metal and from Wi-Fi access points."
    case .linkAborted: "The link ended on the hub's side. Usually it was in the way of something else: it did not become of use in time, somebody else had waited longer for its slot, or its wearable was asked to be forgotten. It may also be that the adapter was switched off or reset; then hearth radio shows which step was tried and when, and has a code of its own."
    case .linkFound: "The link to a wearable had ended without the hub's will and is there again. The event says from when until when it was gone. A wearable that only streams measured nothing for the hub in between; one that records keeps it for its next visit. Losses that follow each other within an hour are counted in H2110."
    case .linkUnsteady: "A wearable whose link is lost and found many times an hour leaves one event an hour: how often, from the first loss to the last return, and how long it was gone altogether. The usual causes are distance, a body or metal in the way, and a battery that runs low. hearth device NAME shows battery and counters."
    case .visitBusy: "The wearable answers and says that it cannot serve now: it writes its own memory, talks to a phone, or a training is running. The hub leaves it alone for a minute, or for as long as it asked, and comes again. If it stays busy for hours, look for a phone that holds it."
    case .visitRefused: "A request that every visit of this family needs was answered with an error. Firmware that differs, a missing pairing or a wearable in a special mode are the usual causes. hearth visits shows the request and the error, hearth device NAME the firmware. Nothing is removed on the wearable, and the hub tries again after some time."
    case .visitBroken: "An answer had the wrong length, the wrong order or nonsense in it. The hub ends the link, which makes both sides forget where they were, and goes on after reconnecting at the last byte that is safe. Once in a while this is interference that slipped through; again and again it is the wearable's firmware."
    case .visitSilent: "The link was up and the wearable did not answer in the time its protocol allows. It hangs, or its battery is nearly empty. The hub ends the link, waits a little longer each time, and goes on where it stopped. If it stays, restart the wearable: what it recorded is not touched by that."
    case .itemDefective: "A file or record was fetched twice and is not sound: it ends too soon, its check sum is wrong, or its version is unknown. Usually the wearable lost power while it wrote. The bytes are in the store as they are, for whoever can read more out of them, and the hub never removes them on the wearable. hearth custody NAME says which item and what is wrong. This stays with the wearable, and with each of its visits, as long as it holds such an item."
    case .eraseIneffective: "The hub asked the wearable to remove what is safely stored, the wearable said yes, and a look afterwards found everything still there. Some firmware can do this only once after each start. The hub does not ask again for what was kept before the wearable was restarted or has other firmware, and for nothing at all after eight such answers in a row; one that does not tell when it was started is asked again after a day. Nothing is lost, but its memory fills: restart it before it is full."
    case .visitUnsupported: "The wearable holds something that this version of Hearth cannot fetch or read: a kind of file, a version, or something larger than 8 MiB. It stays on the wearable, and everything else is fetched as usual. hearth custody NAME and hearth visits say what it is."
    case .notLinked: "What was asked needs the wearable itself, and it is not heard: it is out of reach, switched off, or linked with somebody else. One that is heard need not be linked, for then the hub makes a visit in which it asks."
    case .recordingNotArmed: "At the end of each visit the hub reads back what a wearable records and what would begin by itself, and something is missing that was ordered or was running when the visit began. It tried to begin it again and says why that failed: a full memory, a charger, or settings that the firmware does not have. It tries again at each visit, ten minutes from now at the latest."
    case .settingNotTaken: "What was ordered (a feature switched off, a setting of its own such as where it is worn, a switch of its radio, the physical data of its wearer) was written to the wearable, and it says something else when it is read back. Often its firmware has no such setting. Or what the wearable keeps already cannot be read: then nothing is written over it, until somebody has set it up anew with its maker's program. The hub tries again at each visit."
    case .itemLocked: "A recording is encrypted, and the hub has no key for this wearable or another one than it was recorded with. Its bytes are in the store as they are and it is never removed on the wearable. It is fetched again and read as soon as the hub has another key, which hearth settings NAME set secret asks for; who started the recording knows it. hearth custody NAME says which it is. This stays with the wearable, and with each of its visits, as long as it holds such a recording."
    case .requestUnsupported: "Somebody asked a wearable for something that it or its kind does not have, or that it said it would not do: a series that it does not stream, a rate that it does not offer, an action that is none of its own. Nothing was changed by that. The particulars say what it has instead."
    case .secretUseless: "A secret was ordered for a wearable that keeps nothing, or whose model, as its maker describes it, has no way to encrypt. With a secret the hub has nothing recorded in clear, so that such a model would have recorded nothing at all: the order was refused, and nothing has changed. Of a wearable that was not heard yet nobody knows its model; there the secret is kept, and H2128 says later that nothing is recorded, and why."
    case .streamNotBegun: "A live stream was ordered of a wearable whose driver can begin it, and three times in a row it did not begin, or its status shows it and no value comes. The hub tries again after a pause that doubles, up to ten minutes, and after each visit. A stream that waits for something that passes, such as a session that is being recorded, is no trouble and has no code."
    case .requestNotDone: "An action or a question did not come about: the wearable was busy with something else, its link was lost, or its turn did not come in time. The hub visits it again as ever, but does not keep what was asked. What is kept says so in its answer: orders, settings, and recordings that the wearable does not begin now."
    case .driverMissing: "The registry says which driver has this wearable, and this build has none of that name: usually the hub went back to an older version. It is neither visited nor asked, and everything that it gave stays in the store. With the newer version it goes on where it was."
    case .requestUntimely: "Some steps are possible from some states alone: an activity that is recorded has to be stopped before another one or a stream can begin, and one that is paused goes on or is stopped. What is not possible is not written to the wearable, because its firmware does not survive all of it. The message says what it does now and what ends that."
    case .wearableMissing: "The hub remembers when each enrolled wearable was there last, also over its own restarts, and nobody has heard this one for longer than lane.absent_after (25 hours; one hour on a ward), or than was chosen for it alone. It is out of reach, its battery is empty, or it is connected to a phone and does not advertise. It is missing no longer as soon as it is heard. A wearable that left for good is forgotten with: hearth device NAME forget."
    case .wearableBack: "A wearable that was missing (H2140) is heard again. The event says since when it had not been heard. What it recorded meanwhile comes with its next visit, which is soon."
    case .batteryLow: "The last reading was at or below battery.low, 20 % if nobody says otherwise. It is information: nothing is wrong yet, no lamp shows it and no exit code says so. It is over with a reading five points above that; one that is older than a day counts for nothing, as most wearables were charged since. hearth device NAME shows the reading and its age."
    case .syncRunning: "A wearable has one channel for what it is asked, so one sync of it runs at a time. It may wait for its turn, or go on in another visit where its link was lost, or in another hub where this one was stopped: it is over when each kind of data is through, or when nothing came of it for ten minutes. hearth sync NAME --last shows it, and waits for nothing."
    case .monitoringNotTaken: "How a wearable measures by itself (whether, how often) was ordered and written to it, and it says something else when it is read back, refuses to be written, or has nothing of the kind. What it does instead is shown. The hub tries again at each visit."
    case .measurementSkipped: "The hub was to measure vital signs by itself (hearth settings NAME set measure), and the wearable was away, not on the body, or busy, or the measurement ended with an error. The event says which. It is not made up for: the next one is due at its own time, which hearth settings NAME shows."
    case .shareReached: "No wearable may fill the store alone: each has a share of bytes a day (store.share, a tenth of store.size). What comes beyond it is counted (over_share in hearth device NAME) and not kept; what it keeps itself is fetched the day after. What others measured stays. Only raw streams at their highest rates come near it: look whether it is the one that somebody wears, and forget it if not."
    case .recordUnreadable: "A record has no possible date, or a count that does not fit. The hub passes over it, stores the others of the same transfer, and keeps the bytes of all of it (series raw). With no possible date the record would come the same way for ever, so the wearable may forget it. With a count that does not fit the wearable keeps all of it."
    case .clockMovedElsewhere: "Some bands cannot be asked for their time, so the hub sets it with each visit and works out what it must have shown. Records that this does not explain were made while another program, such as an app on a phone, had set the clock, or after it had lost the time. The hub works out from them by how much it was off, stores their values at estimated times, and marks those, and others of the same hours, as not sure."
    case .valuesAhead: "A value is dated more than two minutes after the moment in which it was fetched, and no other value says that the clock was ahead. It is not stored as a value; its bytes are. The wearable is not told to forget what it has of that kind, so nothing is lost: when the time has come, the value is stored."
    case .measurementEmpty: "The wearable was told to measure and did, and found no value: bands say 0 where they are not worn, or where the arm moved. Nothing is stored of it. Tighten it, keep still, and order it again."
    case .valueOdd: "A value that cannot be, or that the wearable itself calls no measurement, is left out; one with reserved flags, or with bytes behind its last field, is taken. The log has each reason once for a wearable since the hub started; hearth device NAME shows how often it came, and when last. Many of them are ordinary: an oximeter without a finger, a scale on which somebody still moves. Some models send a layout of their own by the numbers of a standard service: if values are missing or wrong, the project needs to know the model."
    case .linkTaken: "The hub makes one connection attempt for each wearable at a time, and one link. A try of a stranger, a pairing and a visit share that attempt; this one could not, because the radio still had a link or an attempt to the same address. It is tried again after a second or two, when that one is over."
    case .authenticationFailed: "Pairing or encryption ended with a refusal. Many wearables bond with one partner only and refuse all others until that bond is deleted there: look for a phone or an older hub first. Nothing on the wearable is erased by this. Repeated tries by the hub would not help, so it waits for a person."
    case .keyMissing: "Hub and wearable once agreed on a key, and what answers at its address has none, or another one. The wearable was reset, bonded with somebody else, or its memory failed; or it is another device. Nothing of it is stored, as a wearable with a key is believed only encrypted; the hub tries the key again at every link. Recordings may still be on it, and a factory reset would erase them: end its bond with the other partner and restart it first. If the code stays: hearth enroll open and hearth enroll accept NAME; it is paired anew, or goes on without encryption where it allows that."
    case .pairingRefused: "The hub pairs only with wearables that somebody enrols at that moment, so that nobody can slip a stranger in under a known address. A wearable that was reset later asks again and is refused. If you know why it asks: hearth enroll open, hold it near, hearth enroll accept NAME. It keeps its name, its data, its orders and its wearers, and only its keys are made anew. For a hub in a place that you trust, enroll.pairing may be always."
    case .pairingUnknown: "A pairing that needs a person waits 30 s, as long as the wearable itself does. This one was answered already, is over, or never was. Start it anew at the wearable, then look at hearth pair at once."
    case .bondMade: "Wearable and hub paired, and the new key is in the store and in the radio. Where a key had been lost (H2207) links are encrypted again from the next one on. Nothing needs to be done."
    case .keyNotGiven: "Pairing encrypts one link; the key that encrypts the next one is kept only if both sides bond. This wearable was paired and gave none, or none that may be kept, so it would refuse the hub at each later link and after each restart. The hub counts that as a failed pairing, ends the link and tries again after twenty minutes, then less often. Some wearables bond only in their pairing mode, or only while no other bond is in their memory."
    case .noSuchBond: "Bonds are listed with the wearable they belong to and its address. Neither matches: the wearable may never have been paired, or its bond was removed."
    case .bondFileDamaged: "A file of bonds begins with a mark, the parameters of its lock and a salt, and everything behind is sealed. This file has another beginning, asks for more memory than any hub would, is cut short, or holds what no hub writes. Nothing of it was taken over."
    case .bondPassphraseWrong: "The key that opens the file is made from the passphrase, and it does not fit. A wrong passphrase and a file that was changed behind its beginning look the same: cryptography cannot tell them apart. Nothing of the file was taken over."
    case .bondPassphraseMissing: "Whoever has the keys of a bond can pretend to be the hub. So they leave it only in a file that is sealed with a passphrase, which is asked for twice at a terminal, or read from a file with --passphrase-file. An empty passphrase is none."
    case .bondFileUnreadable: "The named file could not be opened, is too large to be a file of bonds, or is there already and would be written over. The detail says which."
    case .batteryCritical: "The last reading was at or below battery.critical, 10 % if nobody says otherwise, and the wearable is here. What it records is safe where it is, but some lose their clock with the charge, and a strap says nothing any more. LINK blinks 3 until a reading is five points above that. A reading older than a day, or of a wearable that left, counts for nothing. hearth device NAME shows it and its age."
    case .boundElsewhere: "Bands of this kind serve one user at a time. This one says that it belongs to somebody else: a phone bound it, or another hub did. The hub asks again at each visit, and takes nothing by force. Where nobody knows the other user, a reset in the band's own menu ends the binding; it erases what the band still holds."
    case .bindingNotConfirmed: "When a band is bound for the first time it may ask on its display whether that is right. Somebody pressed cancel, or nobody answered in time. The hub asks again at each visit."
    case .bindingBatteryLow: "The band itself refuses to be bound below a charge of its own choice. Nothing else is wrong: the hub asks again at each visit, and binds it when it accepts."
    case .bindingNeedsReset: "The band says that it must be reset before it accepts anybody. That erases what it holds, so the hub leaves it to a person. Bands do so after they were used by one user and unbound by force."
    case .bindingRefused: "The band answered that binding or logging in failed, without a reason that this program knows. The hub tries again at each visit."
    case .bindingLeft: "Forgetting a band ends its binding at the band itself, which needs a link. There was none, so only the hub forgot it. A phone would be refused by the band until it is reset; this hub can enrol it again without that."
    case .impostorSuspected: "An address can be copied by anybody. What answered there differs from what this hub knows of its wearable: another serial number, model, name or database. Nothing of it is stored, its link is ended, and the hub tries again, so that the true one is served when it is back. A wearable that was reset, renamed or replaced can look like this too: accepting it anew in an enrolment window (hearth enroll open, hearth enroll accept NAME) makes it known again, with its name and its data."
    case .identityClaimed: "A device with a changing address says in pairing which address is its own, and nothing proves it. This one gave the address of a wearable that is enrolled here, or that was heard beside it. Its keys were taken out of the radio at once, so neither its bond nor its values can be mistaken for the other's. A wearable that was reset gives its old address with a new key: forget it first, then accept it."
    case .enrolWindowClosed: "Wearables join only while a window is open, so that a visitor's strap is not taken by accident. hearth enroll open opens one for two minutes; LINK blinks slowly meanwhile. Where enroll.mode is closed (H2311), the configuration has to be changed first."
    case .enrolTooFar: "In a window only a wearable that is heard at least as loud as enroll.near_rssi may be accepted, which is how the hub knows the one in your hand from the others in the hall. Hold it within a hand's width of the hub's antenna; hearth enroll list shows its RSSI. Some straps are too quiet for the default of -55 dBm: lower it to -65 for them."
    case .enrolNotHeard: "Letters are given to candidates as they are heard while the window is open, and are forgotten when it closes. Straps sleep until their electrodes are wet, and a wearable connected to a phone cannot be heard. Wake it, then look at hearth enroll list."
    case .enrolNameTaken: "Names are how people speak about wearables, so each is given once. hearth devices lists them, also those of wearables that have not been seen for months."
    case .enrolNameInvalid: "Names appear in commands, file names and log lines, so they are kept plain. Letters, digits, '-', '_' and '.' are allowed, at most 32 of them. What a wearable calls itself is cleaned before it is proposed."
    case .registryFull: "The list of wearables has an upper bound, so that its memory and start-up time stay known. In mode all who joined by itself and never brought a value makes room for somebody new; H2306 is shown when there is nobody of that kind left. Forget what nobody uses any more, and set enroll.mode to window where passers-by are taken."
    case .noSuchWearable: "The name or address is not in the registry of this hub. Names are compared as written by people, addresses as AA:BB:CC:DD:EE:FF. A wearable that was only heard and never enrolled has no name here: hearth enroll list."
    case .enrolNotRecognised: "The hub hears the wearable, but none of its drivers knows the services it advertises. It never connects to what it does not recognise. A heart-rate strap must advertise the Heart Rate service, 0x180D; some do so only in their open mode, set in the maker's app."
    case .driverChanged: "The wearable was enrolled under the driver of a standard service, because its own driver was not known then or because it had not said yet what it is. Over a link it gave the name and showed the services of a family that the hub knows. From its next link on that family's driver has it. Its name, its data, its orders and its wearers stay as they are."
    case .enrolmentEvicted: "With enroll.mode all what behaves like a wearable may join, and the list has an end. Who joined by itself and brought no value since gives its place to somebody new, the oldest first; who ever brought one, or was accepted by a person, never does. It may join again when it is heard again. In a place with many strangers enroll.mode window is the better choice."
    case .enrolForbidden: "With enroll.mode closed nobody joins, whatever is held close. Windows exist with enroll.mode: window (the default of a gym) and with all. Change it with sudo hearth setup, or in hearth.yaml; then sudo systemctl reload hearthd, and hearth enroll open."
    case .noSuchWearer: "Samples are assigned to wearers that were entered before, by name or by number. A wearer who was retired keeps what was assigned until then, and gets nothing from later times. Enter the person again if they are back."
    case .wearerNameInvalid: "A wearer's name is shown in tables and written into exports, so it is one line of 1 to 64 bytes without control characters, and does not begin or end with a space. Letters of all scripts are allowed; most of them take two or three bytes."
    case .wearerNameTaken: "Two present wearers with one name would be mistaken for each other, so each name is given once, whatever the case of its letters. The names of retired wearers may be given again."
    case .wearerStillWears: "Erasing deletes a number of samples that somebody has agreed to lose. While a wearable is on the person it goes on to measure, and the number would be another one a second later. Say that nobody wears it any more with hearth wearer unassign NAME, then erase."
    case .noSuchAssignment: "An assignment is named by its wearable and by the moment from which it holds. None of this wearable begins at the time that was given. A time without a zone is in the zone of the hub, and is met to the second. The list of hearth wearer history has every begin as it has to be written."
    case .assignmentTaken: "Two assignments of one wearable cannot begin at the same moment: nobody could say which of them holds. Give the one that is there another wearer, or delete one of the two."
    case .enrolAddressChanges: "Some wearables advertise under a private address that is replaced within minutes: what is enrolled under it is away for ever after that. Where the address is resolvable the hub pairs at enrolment, and from then on knows the wearable by its identity key. An address that no key resolves, a family that is never paired, or a pairing without such a key is refused. In mode all a person has to accept such a wearable in a window."
    case .restRateBeyond: "The hub watches live heart rates where somebody set limits (hearth alerts NAME). This one stayed beyond one for 15 minutes of values that follow each other, while nothing told of exercise. It is told again only after 60 seconds within the limit, and shown until somebody acknowledges it; LINK is lit with a pause meanwhile. Nobody is called by it: it is no medical alarm."
    case .exerciseRateBeyond: "The hub watches live heart rates where somebody set limits (hearth alerts NAME). This one stayed beyond the one for exercise for 10 seconds without a gap. What counts as exercise is ordered there, or told by steps, wheels and sessions of who wears it. It is told again only after 60 seconds within the limit, and shown until somebody acknowledges it. Nobody is called by it: it is no medical alarm."
    case .oxygenBeyond: "The saturation that an oximeter sends stayed below the limit that somebody set for 15 minutes; values that the sensor itself doubts do not count. A loose finger and cold hands are the usual causes. It is told again only after 60 seconds within the limit, and shown until somebody acknowledges it. The hub's watch replaces no monitor: it is no medical alarm."
    case .temperatureBeyond: "The temperature that a thermometer sends stayed beyond the limit that somebody set for 15 minutes, in values that lie at most ten minutes apart; values that the thermometer itself doubts do not count. It is told again only after 60 seconds within the limit, and shown until somebody acknowledges it. Nobody is called by it: it is no medical alarm."
    case .phasesLeftOut: "Visits that the hub makes by itself bring all that a wearable keeps, or the phases that were chosen: lane.phases for all wearables, hearth settings NAME set phases for one. What is left out is no loss of the hub: a coverage shows it as by_order, and hearth settings NAME shows which phases these are. A person may fetch them at any time with hearth sync NAME PHASE. The event says from when until when it was so."
    case .collectionPaused: "A person paused the wearable (hearth device NAME pause): the hub makes no link to it, visits it not and keeps nothing that it advertises, unless somebody asks for it, such as with hearth sync NAME or hearth measure NAME. It stays enrolled, with its bond and its orders, is never missing, and a coverage shows that time as by_order. It ends at its time, if one was given, or with hearth device NAME resume."
    case .adapterMissing: "The kernel lists no Bluetooth adapter with Low Energy. On a Raspberry Pi look for dtoverlay=disable-bt in config.txt and for the firmware package; btmgmt info lists what the kernel sees. The hub keeps looking and starts by itself when an adapter appears; LINK shows code 4 until then."
    case .adapterPoweredOff: "Something switched the adapter off while the hub used it: bluetoothd, a desktop's Bluetooth menu or btmgmt. The hub switches it on again and takes its links up. If it goes off at regular times, power management is at work: look at journalctl around those times."
    case .adapterBlocked: "rfkill is the kernel's switch for all radios; rfkill list shows who is blocked. A soft block is lifted by rfkill unblock bluetooth, and lasts over a restart unless it is saved again. A hard block is a switch on the device. With radio.unblock_rfkill set to true the hub lifts soft blocks itself at start."
    case .adapterRemoved: "The adapter left the system: a USB stick was pulled or lost its power, or the driver of the onboard one was unloaded. The hub waits and sets it up anew when it returns, under whatever number. A stick that leaves by itself under load usually lacks current: use a powered USB hub or another supply."
    case .controllerSilent: "Commands to the controller are not answered, or no advertisement has come for a time in which some always do. The hub works through its recovery, from restarting the scan to resetting the adapter, and HUB shows code 2 meanwhile. Under-voltage is the first suspect on a Raspberry Pi: vcgencmd get_throttled should print 0x0. The kernel's own view is in journalctl -k."
    case .kernelWithoutBluetooth: "The kernel refused to open a Bluetooth socket, so it was built without Bluetooth or its module is not loaded. modprobe bluetooth tells which. Everything else of the hub runs: what is stored can be read and exported."
    case .capabilityMissing: "The kernel lets only privileged processes control an adapter. The systemd unit gives hearthd what it needs, CAP_NET_ADMIN, and CAP_NET_RAW to look closer; started by hand it needs root. In a container the capability must come from the host itself, a user namespace is not enough."
    case .bluetoothdClash: "Hearth talks to the kernel directly and needs no bluetoothd. One that runs beside it may switch the adapter off, stop the scan, connect to wearables itself and answer pairing questions with no. If another program on this machine needs it, give that one an adapter of its own; otherwise disable it."
    case .adapterNotChosen: "There are adapters, but none fits radio.adapter. auto takes a USB adapter before the onboard one; usb and uart take only that kind; an address takes exactly one. Numbers such as hci0 are not accepted, because they change when an adapter is plugged in again."
    case .managementRefused: "The kernel answered a command with an error; the log line has the command and the status. Busy and not-powered pass by themselves while the adapter is being set up. Not-supported means an old controller or kernel; the hub then does without, where it can."
    case .adapterAddressUnprogrammed: "Each adapter must have an address, which comes from its firmware or the boot loader; this one shows none or the maker's placeholder. On a Raspberry Pi the firmware package sets it at boot: reinstall bluez-firmware and look at journalctl -k. The hub serves with it all the same; two hubs with the same placeholder in one place disturb each other."
    case .busResetRefused: "One rung of the recovery takes the adapter off its bus and puts it on again: a reset of the USB port, or the driver of the onboard adapter's serial line unbound and bound. That needs root, which hearthd is not. The helper hearth-radio-reset does it when hearthd asks; without it the recovery goes on with the next rung."
    case .radioTakenOver: "An upgrade of the system or a person started bluetoothd, or another program stopped the scan or switched the adapter off. The hub set it up again by itself, beside that program or after it, and tells from when until when it did not serve. Masking bluetooth.service keeps bluetoothd from doing it again."
    case .radioAddressDiffers: "A bonded wearable knows a hub by the address of its adapter. The backup that this hub was restored from was made by an adapter with another address, and this adapter could not take that over: not every controller lets its address be changed. An adapter that is moved from the old hub has it; a USB adapter can be."
    case .radioBack: "The adapter was away, switched off, or did not answer, and serves again. The event says from when until when. In between nobody was heard and no link held. If it happens often, look at the power supply first: hearth radio shows which resets were needed."
    case .radioTried: "A controller that heard something before and falls silent is woken with the rungs of a ladder, the gentlest first: its scan anew, power off and on, HCI reset, down and up, its port or UART, hearthd, and where that is configured the machine. All but the first end its links. Each is an event when it was not tried for an hour; those that follow are counted by the hour."
    case .attemptsFull: "The kernel takes twelve connection attempts at a time, and the hub waits for four wearables at most. More are under way only while attempts that were given up do not end, as with a controller that does not answer; that has a code of its own (H3105)."
    case .radioExhausted: "Every step of the recovery was tried, up to a reset of the adapter, and it still does not answer. Onboard controllers can hang so deep that only loss of power helps: unplug the hub for ten seconds. If that does not help, or helps for a day, plug in a USB adapter; with radio.adapter at auto it is taken at once."
    case .storeUnwritable: "The folder or its files refuse to be written: wrong owner, a read-only mount, or a parent folder that does not exist. hearthd runs as the user hearth under systemd, so files made by root in a trial are a common cause; nothing was changed. Where a mount becomes read-only while the hub runs, as after an error of its disk, nothing is erased on wearables until it takes writes again. ext4 takes none after an error before it was unmounted, and that needs the hub stopped: mount -o remount,rw is refused, or succeeds and changes nothing. hearth doctor has the commands; a store on the root file system needs a restart of the machine."
    case .storeForeign: "There are files at store.path that Hearth did not write, or that belong to another program. It never opens, repairs or deletes them. Look whether the path is right; if the files are of no use, move them away by hand."
    case .storeNewer: "The store carries a format number that is higher than this version knows, so a newer Hearth has written it. Reading it with old rules could destroy it, so it is left alone. An older Hearth never goes back over a newer store; export with the newer one if you must go back."
    case .storeInUse: "Only one process may write a store, and another one holds its lock. Usually a second hearthd was started by hand beside the service: systemctl status hearthd shows the first. The lock ends with its process, so nothing has to be deleted."
    case .storeChunkCorrupt: "Samples are kept in pieces with a checksum each, and one does not match: the card returned other bytes than were written. The hub leaves the piece out and goes on. One case may be a power cut at a bad moment on a poor card; more than one means that the card wears out."
    case .storeFull: "The store keeps within store.size, but its file system has no room left for even that, so something else fills the card: logs, updates, other data. df -h and du show what. Samples wait in memory meanwhile, and are lost when that bound is reached or power fails."
    case .storeInputOutput: "The kernel reported an error while the card was read or written. journalctl -k shows the device and usually says whether it is the card or its power. Export what you need before anything else; a restart may be what the card does not survive."
    case .storeAbsent: "The path holds no store: hearthd has never run with it, or it is another path than the daemon uses. hearth config show --origin prints the path and which file set it. Reading commands never make a store."
    case .secretsKeyMissing: "Bond keys and recording secrets are encrypted in the store under a key that stands in a file of its own, which only the daemon and root can read. The store has secrets and that file is not there, or could not be made. Wearables with secrets are not visited, and none is overwritten, here or there. Put the file back from the backup and restart the hub. Without one take the bonds away (hearth bond remove) and forget wearables with a recording secret: the next start makes a new key, and they can be paired anew or their bonds imported."
    case .secretsKeyWrong: "The store's secrets are encrypted under another key than the one in the key file, or that file is a link, has another length, belongs to somebody else or can be read by others: hearth events tells which. This happens when a store or a key file was copied alone. Wearables with secrets are not visited, and none is overwritten. Put the file that belongs to the store in place, owned by the daemon's user with mode 0600, and restart the hub."
    case .storeNotCopied: "A newer store format is written only after the store was copied as it is, into the folder before-conversion beside it, so that the version before can go on with it. There was no room for the copy, or the card refused it. Nothing was changed: the version before opens this store, and after an update hearth-update goes back to it."
    case .storeMiscounted: "The store's file counts its own pages, and the room that is left follows from these counts. Some were not what the pages themselves add up to: a bit changed on the card or in memory, without the card saying so. They were counted anew before anything was written, and nothing was deleted for the wrong ones. The hub shows this until its next start, and hearth events has the figures. A card that changes one bit changes others: replace it soon."
    case .storeDamaged: "Some pages of the store's file contradict each other: one leads beyond the end, is in use twice, or is free and in use. Writing on would destroy samples, so nothing more is written and nothing was deleted. A start of hearthd takes what can be read into a new file and sets the damaged one aside (H4019); this code remains if nothing could be read, or if the damage was found while the hub ran. While the hub is stopped, hearth export and hearth store verify read the tables that are whole, and name the others."
    case .storeInMemory: "The folder of the store is on a file system in memory (tmpfs, ramfs, zram), or on an overlay that writes to one, as raspi-config's read-only root does. Nothing is left of it after the power was off. A wearable whose recording was erased would have lost it, so the hub erases nothing, for no order, and says so until it is started on another place. STORE shows code 4. Give the store a partition that stays writable, or switch off the overlay."
    case .storeUnproven: "A receipt says that samples are on a disk. The hub cannot know that of a network or FUSE file system, of one mounted without barriers (nobarrier, barrier=0), of an overlay with volatile, or of one whose upper layer it does not find. So it stores as ever and erases nothing on wearables. STORE shows code 4. Put store.path on a local file system mounted with its defaults."
    case .storeOpenToAll: "FAT, exFAT and NTFS keep no owners and modes: the key file of the store's secrets can be read by every user, and so can samples. They have no journal either, so that a power cut at a bad moment may leave files damaged. The hub stores and erases as ever. Put store.path on ext4."
    case .storeUnreadable: "The store belongs to the user that hearthd runs as, and beside that only root may read its files: they hold what people measured. With --store they are read past the daemon, so the daemon's groups count for nothing there. Without --store the daemon answers whoever is in one of its groups (roles.operate), and says who has read what."
    case .storeRescued: "At its start the hub checks all pages of the store's file, and some contradicted each other: the card returned other bytes than were written. Everything that could still be read was taken into a new file, and damaged records of wearables, people, assignments and bonds were restored from their copy. Missing chunks are marked, so that every export says what is missing. The damaged file stays in the store's folder, unchanged, as data.mdb.damaged-TIME, and the hub never deletes it. It still holds what is erased later: delete it when nothing of it is needed any more."
    case .storeTableFull: "Lists of wearers, assignments, bonds, export cursors and of what is remembered of one wearable, its orders among that, have upper bounds, so that what they take of memory and card stays known. The message says which list it is and how many entries it has. What is in it stays as it is; only the new entry was refused."
    case .storeEvicting: "The store and its rings have bounds and give up the oldest samples for new ones, those first that some reader has confirmed; in the last day samples went that none had. STORE shows code 2. Export regularly with hearth export --cursor NAME, once a day is plenty for most halls, or set higher bounds: store.rings and store.size."
    case .storeRefusing: "The configuration says of this series that what is full shall not give up samples (evict: refuse), so the hub stops fetching it and leaves it in the wearable's memory. Nothing is erased there either. It goes on by itself when there is room: export what is here and purge it, or raise the quota. A wearable's memory is small, and what it does when that is full is its own affair."
    case .purgeCountDiffers: "A purge deletes samples for good, so whoever asks for one has to say how many it will cost. The number given is not what the filters find now: more may have come, some may have been evicted, or the filters differ. Let hearth store purge show the count again."
    case .storeBatchTooLarge: "Fetched samples become durable in batches of a few megabytes, so that memory and the longest wait for the card stay known. A driver cuts larger files into several. One that did not has a fault; what it fetched stays on the wearable."
    case .storePurged: "hearth store purge deletes samples for good, after it has said how many and somebody has repeated the number. This entry in the list of events says when that was and how many went."
    case .stagedElsewhere: "What is fetched of a file is kept until all of it is there, so that a lost link costs nothing. Bytes came that do not continue what is kept: some was given up to make room or is damaged, or the file has changed. The visit ends and the next one goes on from what is kept."
    case .stagedGivenUp: "Files that are half fetched are kept in the store, and count in its size. When room is short they go before samples that nobody has exported, because they are still on their wearable: nothing is erased there before all of it is durable. It costs a second fetch."
    case .custodyInvalid: "The hub keeps a record of each file on a wearable under the name that its driver gives it: at most 120 printable characters. One that is longer or has other characters is not kept, and so its file is neither fetched nor erased."
    case .storeBudgetExceeded: "Cards wear out by writing, so the hub counts what it makes the card write in a day and compares it with its budget. Nothing is lost by passing it. Longer intervals between commits write less, at the price of more samples in memory when power fails: store.commit.every and store.commit.bytes."
    case .storeBack: "Commits failed for a time and succeed again. What waited in memory is durable now. Only what did not fit into memory meanwhile is lost, and hearth store counts it as dropped. If it happens again, the card is wearing out: hearth store shows how much was written to it."
    case .erasureCountDiffers: "Erasing deletes samples for good, so whoever asks for it has to say how many it will cost. The number given is not what is there now: more may have been fetched, or some may have been evicted. Let hearth wearer erase show the count again."
    case .wearerErased: "hearth wearer erase deletes a person's name, body, assignments and samples from the store. This entry in the list of events says when it was finished and how much went; the person is a number in it. Exports, what wearables still hold, copies of the card and the card's own free pages are not in its reach."
    case .storeUnread: "The configuration says how long samples may wait before a reader (hearth-uplink, or hearth export with a cursor) has confirmed them, and they have waited longer. The time counts from the last confirmation. STORE shows it until one comes. Without store.export_within the hub says nothing: one in a cupboard may have no network for months."
    case .storeTimesCorrected: "A Raspberry Pi without a clock module starts with the time of its last stop, and is behind until a time server answers. Live samples of that time were stored as unsure, with the time since the machine started beside them. Now that the distance to true time is known, exports, lists and days give them their true time and say corrected in place of unsure. What wearables keep with their own clocks is not touched."
    case .storeFailing: "Commits fail again and again: the card is dying, or the kernel has made it read-only to save what is there. Samples are taken into memory up to a bound, and none of them survives a power cut. Export at once, leave the hub powered until that is done, then replace the card. A file system that the kernel made read-only takes writes again when it was unmounted, checked and mounted: hearth doctor has the commands."
    case .backupDamaged: "A backup begins with a mark, a version and a salt; everything behind is sealed piece by piece, and the last piece says that it is the last. This file is cut short, was changed, is of a later version, or is something else. Nothing of it was taken over: a restored store takes its place with one step, when all of it was read."
    case .backupPassphraseWrong: "The key that opens the file is made from the passphrase, and it does not fit the first piece. A wrong passphrase and a file that was changed in its first 64 KB look the same: cryptography cannot tell them apart. A passphrase that is forgotten cannot be recovered."
    case .backupFileUnusable: "The system did not let the file be read or written; the detail has its own words. A backup is written under another name, synced, and then renamed: a power cut leaves the file that was there before, or the new one."
    case .restoreRefused: "Restoring makes a store of a backup, and one that has wearables is never written over. A hub whose store is empty of wearables is fresh. Who wants to replace a hub's store stops hearthd, moves the folder away, and restores."
    case .backupInterrupted: "A backup is the store as it was at one moment. While it lasts, pages that are given free cannot be used again, so it ends by itself when the reader is silent for 30 s, when it takes longer than 15 minutes, when the store is in trouble, and when another backup begins. The store itself is not changed by it."
    case .backupOverdue: "The configuration wants a backup every backup.every, and the newest that was made is older than twice that time. hearth-backup.timer starts it; systemctl status hearth-backup says what became of it. A backup by hand counts too."
    case .backupFailed: "The program that makes the scheduled backup told the hub that it could not; the detail says why. Backups that were made before are kept until a new one is whole."
    case .backupNotConfigured: "hearth backup --scheduled does what the section backup of the configuration says, and there is none. A backup by hand needs no configuration: hearth backup FILE."
    case .restored: "The store was made of a backup. Names, wearers, orders, notes, bonds and what is known of each recording are as they were then. Without samples in the backup, recordings count as fetched only where an export had confirmed them: everything else that wearables still hold is fetched, and nothing of it is erased before."
    case .clockUntrusted: "A Raspberry Pi has no clock that runs without power, and no time source has set this one since it started; HUB shows code 3. Samples are stored all the same, marked as unsure in exports, with the reading of a second clock that never jumps, so that their times can be corrected once the right time is known. Give the hub NTP over its network, or fit a clock module."
    case .clockStepped: "The wall clock jumped by more than a time source steers it, forwards or back. That is usual once after a start without network. Samples keep both the old and the new reading, and the order of samples is not affected."
    case .socketInUse: "A living hearthd answered on the socket, so a second one would take away its clients and its radio. It may be the service: systemctl status hearthd. For a second hub on one machine give it its own configuration: control.socket, store.path and radio.adapter must differ."
    case .socketUnavailable: "hearthd could not make its UNIX socket. The folder is missing or may not be written, or the path is longer than 107 bytes, which is the kernel's limit. Under systemd the folder /run/hearth is made by the unit; by hand choose another path with control.socket."
    case .controlMalformed: "The control socket speaks Varlink: one JSON object and a zero byte. Something else came, or a message longer than the bound. Other clients and the wearables are not affected."
    case .controlUnknownMethod: "The method or interface is not offered. hearth and hearthd of different versions are the usual cause after an update without restart: systemctl restart hearthd. The service describes itself through org.varlink.service.GetInterfaceDescription."
    case .controlBadParameter: "The question was understood, but a parameter is missing, unknown, of another kind or out of its range. The answer names it. Nothing was done, not even in part."
    case .controlTooManyClients: "Of 16 places who may only read has 9, and all but root 13; one user has 6 of them, and 4 of the 10 for answers that go on, as of hearth live. So the groups hearth and hearth-admin, and above them root, find a place whoever reads. A client that said nothing for a minute gives its place to who comes. ss -xp shows who is connected to the socket."
    case .controlClientTooSlow: "Answers wait for their reader for 30 s without one more byte read, and of live values 256 KiB may wait; then the client is disconnected, so that it keeps no place. hearth live over a slow SSH session does that, or one that was stopped with Ctrl-Z. Nothing is lost in the store."
    case .daemonDown: "Nobody answers on the control socket. Either hearthd does not run, systemctl status hearthd says why, or it uses another socket than this command: compare control.socket and HEARTH_SOCKET. Meanwhile hearth store and hearth export read the store by themselves, without changing it."
    case .controlNotAllowed: "Either the mode of the socket's file keeps this user out: where there is no group hearth-admin, only root, the user hearth and the group hearth may talk to the daemon. usermod -aG hearth NAME adds a technician. Or it was about keys, which leave the hub for root and the daemon's user, and through a running daemon for members of hearth-admin: the file that they are sealed under is closed to the group. sudo opens both."
    case .timeNotUnderstood: "Times are in the zone of the hub, which hearth clock names, and every command takes the same forms: today and yesterday; 14:30 of today; 2026-11-22, which is that whole local day, so that an --until includes it; 2026-11-22 10:00; 90s, 15m, 2h, 3d and 1w ago, with or without a minus; and RFC 3339, whose offset says a zone of its own. A time that clocks show twice in autumn is the first of both, and one that they leave out in spring is the moment at which they do."
    case .agreementMissing: "Some commands give up what cannot be had back: the keys of a wearable, items that it holds and no visit has fetched yet, live values while links are down. They say what it is and ask at a terminal. Where nobody can be asked, in a script, under --json or --no-input, the command does nothing unless --yes says that this was meant; where unfetched data would be lost, --yes-lose N with the exact number of items. Fetch first with hearth visit now NAME --wait where that is possible."
    case .controlRoleMissing: "Three groups may use the control socket: group hearth-read reads (status, wearables, samples, exports), group hearth operates (visits, enrolment, links, orders, wearers, assignments), group hearth-admin administers (forgetting, keys, secrets, purging, erasing, resetting the radio). Each may what those before it may; root and the daemon's own user may everything. The configuration (access) may name other groups. The answer says which group was missing: sudo usermod -aG GROUP USER, then log in again, because a session keeps the groups that it began with."
    case .orderGiven: "Each call that changed something is kept with who made it: the user of the machine as the kernel names it, the wearable if it was about one, and what was ordered. Equal orders of one user within a minute are kept once. Wearers are named by number alone. hearth events lists them."
    case .terminalMissing: "hearth watch draws over the whole screen and reads single keys, so standard input and output must be a terminal, and TERM must not be dumb. In a pipe, in a script or over ssh without -t there is none. hearth watch --once prints the same screen as plain text and ends; ssh -t HUB hearth watch gives ssh a terminal."
    case .fleetUnreachable: "hearth --hub runs ssh once for each hub and waits for all of them side by side. ssh's own words are printed: a name that does not resolve, a host key that changed, a key that is not accepted, or no answer within the time limit. Names, users and ports of hubs belong into ~/.ssh/config. The other hubs' answers stand, and the exit code is the worst of all."
    case .fleetAnswerUnreadable: "ssh came through, but what came back is not what this command prints with --json. Usually Hearth is not installed there, is too old to know the command, or a login script prints a greeting. Run ssh with that hub and hearth version to see which. Nothing of the answer is shown as if it were sound."
    case .fleetNotForMany: "Over several hubs at once only commands that ask are taken, such as status, devices, visits, events, store and doctor. What changes a hub, asks questions, streams or fills a screen is done on that hub. This was refused before any hub was asked."
    case .lightsChipMissing: "The board file names the label of the GPIO chip, and this machine has no chip with it, or the user hearth may not open it. gpiodetect lists labels: pinctrl-bcm2835 on a Raspberry Pi 3 and Zero 2 W, pinctrl-bcm2711 on a 4, pinctrl-rp1 on a 5. If gpiodetect works only as root, the user needs the group gpio. All else of the hub runs without lights."
    case .lightsLineMissing: "The chip is there, but has no line of the name in the board file. gpioinfo prints the names; they come from the device tree and differ between kernels for some pins. Names such as GPIO17 are the same on all models since 2024."
    case .lightsLineBusy: "Another program or a kernel driver holds the line, or the kernel refuses to drive it. gpioinfo shows the consumer's name. Overlays for fans, displays and buttons in config.txt are the usual holders; the lights take the lines when hearthd starts and never while it runs."
    case .lightsBoardUnknown: "lights.board is the name of a file without .yaml in the board folder, a path to one, none, or terminal. The file must name at least one chip label and one lamp. hearth-hat-1 fits any Raspberry Pi with a 40-pin header."
    case .startedAfterStop: "The hub had been stopped in order: by systemctl, by the button, by an update or by a shutdown of the machine. All that was measured until then is durable. The event says from when until when it did not run; wearables that only stream were not heard in between."
    case .startedAfterKill: "The mark of the run before has no end, and the machine was not restarted meanwhile: the process was killed, or it crashed. What was not committed, of the last 15 seconds as configured, is lost. The event's span begins with the last moment of which the store knows that the hub ran."
    case .startedAfterPowerCut: "The mark of the run before has no end, and the machine has been started anew since then: power was cut, or the machine hung or restarted without stopping its services. The store survives that by design. The event's span begins with the last moment of which the store knows that the hub ran."
    case .startedFirst: "The store is new, or was written by a version that kept no mark of its runs. How the run before ended is not known, if there was one. The next start will say it."
    case .startedAgain: "From the fifth start within an hour on, starts are counted and told in one event, so that a hub that cannot stay up does not fill the table. The span goes from the end of the run before the first of them to the last start. The log says why the runs ended."
    case .logUnavailable: "hearth log asks journalctl for what hearthd wrote. Either there is no journalctl, or it may not be asked by this user, or hearthd does not run under systemd. Where hearthd was started by hand its lines are on its standard error: keep them in a file (hearthd 2>hub.log) and read that with hearth log --file hub.log."
    case .metricsUnwritable: "metrics.file names a file that hearthd writes anew every 15 seconds for a collector, and it may not or cannot. Its folder has to be there, and its unit has to let it write in it: that holds for /run/hearth, and for what a line ReadWritePaths= names (sudo systemctl edit hearthd). hearth config check looks at both. The hub goes on trying, says so once, and tells in the log when the file is written again."
    case .updateReturned: "After each update the hub must serve within two minutes, for half a minute without a break: radio ready if it was before, store taking what comes. This one did not, so the package that was kept was installed again. HUB is calm until somebody has seen to it. apt does not take that version again, but a later one (/etc/apt/preferences.d/hearth-went-back); sudo hearth update apply --again tries it once more."
    case .updateStuck: "The update did not serve, and there was no package to go back to, or dpkg could not install it: journalctl -u hearth-update-watch has its words. hearthd is tried again by systemd as always. A package of any version can be installed with sudo hearth update apply FILE; the store is kept by all of them."
    case .updateNotDone: "apt or dpkg did not install the package, or nothing newer is to be had. What they said stands above. Nothing was taken away: the version that was installed goes on, and dpkg finishes at the next start of the machine what was broken off."
    case .updateNotKept: "Each upgrade keeps the package that it replaces, one of them. There is none after the first installation, and after a way back. A package file of an earlier version, or a repository that has it, serves as well."
    case .uplinkBrokerUnreachable: "hearth-uplink tries again by itself, at first after a second and at last every minute. Nothing is lost meanwhile: the store keeps what its quotas allow, and hearth uplink says how many rows wait and since when. The lights do not tell it unless uplink.yaml says so, because many hubs have no network most of the time."
    case .uplinkBrokerRefuses: "The broker answered and said no: a wrong password, a user that may not publish to these topics, or a client name that it does not take. Its code stands in the detail, and the topic if it is of one. A broker that takes only packets too small for one row refuses as well. hearth-uplink goes on trying every minute, so nothing needs a restart when the broker's side is mended."
    case .uplinkCertificate: "The certificate of the broker or the hub's own is expired, not yet valid, for another name, or signed by nobody that uplink.yaml trusts. A hub whose clock is wrong sees good certificates as bad: hearth clock tells. Files are read again at each try, so a new certificate needs no restart."
    case .uplinkSessionTaken: "The broker ended the session because a client with the same name connected. Mostly two hubs have the same hub.name, or a card was copied. Until it is mended both take the session from each other; hearth-uplink then waits longer from time to time. Rows carry the identity of their store, so the two are never mixed up."
    case .uplinkUnacknowledged: "Batches were sent and no acknowledgement came within two minutes, though the link stands. Usually the broker's disk is full or its cluster has no majority. The link is begun anew and the same rows are sent again. What was acknowledged before stays confirmed."
    case .uplinkHubSilent: "hearth-uplink asks hearthd over its socket like anybody, and got no answer or a refusal. Either hearthd does not run, or the user hearth-uplink is not in the group that may export. It asks again every few seconds and goes on where the daemon's cursor stands."
    case .uplinkLosses: "The uplink was away for longer than the store's quotas hold. The oldest rows went to make room for new ones; how many and of which time stands in the detail and in the hub's retained status. What is still there is sent. The sink lists the same stretch in its gap report."
    case .uplinkOrderRefused: "hearth uplink resend sends everything from a time on once more. It was refused because the time lies ahead, or because the order before is still being carried out. Sending again costs the link's data volume and nothing else: a sink stores each row once."
    case .uplinkDown: "hearth uplink asks the program beside the daemon, and its socket is not there or does not answer. It is not started on a hub that has no broker configured. journalctl -u hearth-uplink has its last words. The hub itself needs none of it."
    case .uplinkNoReader: "The broker answered that no client subscribes to the rows of this hub (reason 0x10 of MQTT 5), so it dropped them. They do not count as delivered: hearth-uplink sends them again, at first after five seconds and at last each minute. A sink that is away keeps its subscription at the broker for as long as broker.session in sink.yaml says. Brokers of MQTT 3.1.1 cannot answer so; what they lose is in the report of hearth-sink gaps. With history.form: both the detail says it when rows as JSON go on all the same; with history.form: json there are no batches that somebody would have to read."
    case .uplinkRowTooLong: "The broker says how long a packet may be, and one row alone is longer: a long waveform, or names that are. The rows behind it go on. What was left out is not told as gone, so a sink finds it missing. It is sent when the broker takes packets of 16 KiB (max_packet_size of Mosquitto) and somebody orders it, and this ends then. A broker that takes less than 1 KiB has no room for rows at all: they wait (H9002)."
    case .sinkBroker: "The broker did not answer, refused the sink, or the secure connection failed. The sink tries again, at first after a second and at last every half minute. Batches that were not committed were not acknowledged, so the broker hands them out again."
    case .sinkDatabase: "PostgreSQL did not answer or refused a statement. Nothing is acknowledged to the broker before the commit, so nothing is missing when the database is back. A schema that is older than the program is brought up to date by hearth-sink schema --apply."
    case .sinkBatchRefused: "The bytes are no batch of a version that this sink knows, or contradict themselves. They are stored whole with topic and cause, and then acknowledged, so that one bad message does not stop all others. Usually hubs are newer than the sink."
    case .sinkGap: "Each row carries its ordinal, so the sink sees what a broker took and lost. The report names hub, wearable, series, ordinals and times of each gap. Gaps that the hub itself told of, because rows were evicted, purged or damaged there, are counted apart. Recordings do not come in the order of time, so a day before the gap is early enough and the time of the gap itself is not."
    case .sinkStoreTwice: "Each store has a number of its own, and a copied card has the number of the other one. The batches of the hub that came second are put aside with their bytes, and the cause names both hubs, because one strap would else have the pulse of two people. A hub whose card was copied notices it by its machine and takes a new number before its uplink sends anything. A hub that was renamed says the same machine as before and has its store at once. Any other hub has it when the first one left or died as long ago as database.takeover says, and the log tells an operator, or by hearth-sink adopt."
    }
  }

  /// The exit status of `hearth` for a refusal with this code: 1 answered, but something needs attention; 2 usage; 3 daemon not
  /// running; 4 not allowed; 5 no such thing; 6 busy, try later; 7 refused because data would be lost.
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

  /// Worth knowing, without a need for action now: it changes no exit status and no LED.
  public var isInformation: Bool {
    switch self {
    case .batteryLow: true
    default: false
    }
  }
}
