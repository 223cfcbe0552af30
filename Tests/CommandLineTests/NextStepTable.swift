// A test for each code that raises it, and whether that test follows the next step until the code is gone.

import Reasons

enum NextStepWalk {
  /// By a test of this name: the code is raised, its next step is done as it says, and the code is gone.
  case walked(String)
  /// A test of this name raises it; why its next step is not done there.
  case raised(String, String)
  /// Why no test raises it by this name.
  case notHere(String)
}

private let hands = "the next step is done with hands: an adapter, a card, a plug, the kernel of the machine"
private let choice = "the next step is a person's choice of room, path or version"
private let itself =
  "the next step is to let the hub go on by itself; the link or visit that follows is tested by seeds"

private let over = "it says that something is over, and that nothing is to be done"

/// Exhaustive: a new code has no place to hide.
func nextStepWalk(of reason: Reason) -> NextStepWalk {
  switch reason {
  case .configUnreadable:
    .walked("H1001 to H1004: a wrong file starts no hub; corrected at the named place")
  case .configSyntax:
    .walked("H1001 to H1004: a wrong file starts no hub; corrected at the named place")
  case .configUnknownKey:
    .walked("H1001 to H1004: a wrong file starts no hub; corrected at the named place")
  case .configBadValue:
    .walked("H1001 to H1004: a wrong file starts no hub; corrected at the named place")
  case .configReloadRefused:
    .walked("a reload with a broken file keeps the old configuration and says so; a good one")
  case .setupFileUnreadable, .setupFileInvalid:
    .walked("H1010 and H1011: a set-up file that does not fit is refused with its line")
  case .setupUnasked:
    .walked("H1012: without a terminal it says what to give instead, and that is taken")
  case .setupOverridden, .setupRefused:
    .walked("H1013 and H1014: an answer without effect, or a refused one, changes nothing; corrected")
  case .setupNotWritten:
    .walked("H1015: a configuration that cannot be written is reported before any question; once it can")
  case .setupUserUnknown:
    .walked("H1016: a missing user or group changes nothing; a user that usermod refuses takes all back")
  case .setupFileLeft:
    .walked("H1017: what cannot be set aside is applied once all the same, and gone when it")
  case .setupNotTaken:
    .raised("H1018: with systemd the hub reloads, or restarts for what a reload", "the next step is systemd's to do")
  case .setupDeclined:
    .walked("H1019: without a yes, at the end of the input and after ten wrong answers")
  case .attMalformed:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .attTimeout:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .attProtocol:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .gattDiscoveryBounded:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .gattValueMalformed:
    .walked("H2005: values that do not fit are counted, and the link goes on; with other")
  case .valueOdd:
    .raised("what is left out, or odd, is reported with its reason, and in the log once", over)
  case .gattMissing:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .notificationFlood:
    .walked("H2008: one that floods is hung up on; when it no longer does, its values come")
  case .attRefused:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .procedureTimeout:
    .walked("what its firmware sends is reported by its code; when that is mended")
  case .slotsFull:
    .walked("H2101: a wearable that waits for a slot that others hold has it when one of those is")
  case .notHeard:
    .walked("H2102 and H2106: one that cannot be linked is brought near, and is visited")
  case .linkProfileRefused:
    .walked("idle by the hub alone: the characteristic is left alone, the link gets legal")
  case .linkLost:
    .walked("H2104, H2105 and H2108: a link that ended is made again by the hub")
  case .peerClosed:
    .walked("H2104, H2105 and H2108: a link that ended is made again by the hub")
  case .failedToEstablish:
    .walked("H2102 and H2106: one that cannot be linked is brought near, and is visited")
  case .linkAborted:
    .walked("H2104, H2105 and H2108: a link that ended is made again by the hub")
  case .linkTaken, .attemptsFull:
    .walked("H2163 and H3122: a link that the radio could not begin is made by the hub's next try")
  case .visitBusy:
    .walked("H2120: one that is busy is left alone and come back to, and its visit is done")
  case .visitRefused:
    .walked("H2121: what was refused is reported by its visit; when it agrees, the next one fetches it")
  case .visitBroken:
    .walked("H2122 and H2123: nonsense and silence end the link; the next visit goes on")
  case .visitSilent:
    .walked("H2122 and H2123: nonsense and silence end the link; the next visit goes on")
  case .itemDefective:
    .walked("what cannot be decoded is shown for as long as the wearable has it, and not longer")
  case .eraseIneffective:
    .walked("H2125: what is not removed is in the store; the hub tries again the day after")
  case .visitUnsupported:
    .walked("H2126: custody says what this version does not know; a newer version of Hearth")
  case .notLinked:
    .walked("H2127: one without a link is brought near and visited, and does what it is")
  case .recordingNotArmed:
    .walked("a recording that is refused on the charger is kept, shown until it runs")
  case .settingNotTaken:
    .walked("a band keeps its place on the body and how it detects trainings")
  case .monitoringNotTaken:
    .walked("H2145: one that measures otherwise than it was ordered is shown as it does, until")
  case .collectionPaused:
    .walked("H2461: a paused wearable is left alone until it is resumed, keeps what it is, and is never missing")
  case .phasesLeftOut:
    .walked("H2460: phases that are left out by order stay on the wearable until a person asks for")
  case .measurementSkipped:
    .walked("H2146: what cannot be measured is left out with the reason, as an event")
  case .impostorSuspected:
    .walked("H2250: one that was replaced is accepted again by a person, under its name")
  case .measurementEmpty:
    .walked("H2153: one that ends without a value says so, and the next one brings some")
  case .recordUnreadable:
    .raised("H2150: a record that cannot be read keeps no other from the store", choice)
  case .clockMovedElsewhere:
    .raised("H2151: a telephone that set the clock ahead costs no value, and its hours are not sure", choice)
  case .valuesAhead:
    .raised("H2152: a single value of tomorrow is refused, and the band keeps it", itself)
  case .shareReached:
    .raised("bytes beyond the share are dropped until the day is over, and that is said once a day", itself)
  case .enrolmentEvicted:
    .raised("one that joined by itself without data makes room for a new one, the oldest first", itself)
  case .secretsKeyMissing:
    .walked("H4010: without the key file a store with secrets opens without them, and has th")
  case .secretsKeyWrong:
    .walked("H4011: a key file that is another's, a link, too short, too long, open to other")
  case .radioTakenOver:
    .raised("another program that takes the adapter is an event when the hub has it again", choice)
  case .itemLocked:
    .walked("without the key a recording is kept and never removed")
  case .requestUnsupported:
    .walked("H2131: what it cannot do is refused; of the actions and orders that it lists")
  case .secretUseless:
    .walked("H2132: one without encryption is left without a secret; a model that encrypts takes it")
  case .streamNotBegun:
    .walked("that are shown and do not come are reported with their code, tried less and less often")
  case .requestNotDone:
    .walked("H2137: what had no turn was not kept; asked again later, it is done")
  case .driverMissing:
    .walked("a wearable of a missing driver says so by a code of its own, and can be forgotten")
  case .requestUntimely:
    .walked("an action that the state does not allow says what ends that state, and is done after it")
  case .wearableMissing:
    .walked("one is missing when it was away for longer than it should be, and no longer when it is heard")
  case .batteryLow:
    .walked("state, code, list, LED and document say the same of a reading")
  case .syncRunning:
    .walked("H2143: a second sync is refused while one runs; when that is over, it is taken")
  case .authenticationFailed:
    .walked("H2206: one that refused, because it was bonded elsewhere, is enrolled again")
  case .keyMissing:
    .walked("H2207: a wearable that lost the hub's key is enrolled again")
  case .pairingRefused:
    .walked("H2208: a wearable that wants to be paired is enrolled again")
  case .keyNotGiven:
    .walked("H2211: a pairing that gave no key is invalid; accepted again and bonding, it is served")
  case .identityClaimed:
    .walked("H2251: keys under the address of another wearable are refused; forgotten first, it is accepted")
  case .enrolAddressChanges:
    .walked("H2327: an address that changes is enrolled by its key, or refused")
  case .pairingUnknown:
    .walked("H2209: no request waits, and the list says so; when one does, it is listed")
  case .noSuchBond:
    .walked("a bond is removed by name; a missing one is reported")
  case .bondFileDamaged:
    .walked("bonds are listed and exported without a daemon, imported by another hub")
  case .bondPassphraseWrong:
    .walked("bonds are listed and exported without a daemon, imported by another hub")
  case .bondPassphraseMissing:
    .walked("bonds are listed and exported without a daemon, imported by another hub")
  case .bondFileUnreadable:
    .walked("bonds are listed and exported without a daemon, imported by another hub")
  case .boundElsewhere, .bindingNotConfirmed, .bindingBatteryLow, .bindingNeedsReset, .bindingRefused:
    .walked("H2240 to H2244: a band that does not accept the hub says why, its next step is done")
  case .bindingLeft:
    .raised("H2245: one that cannot be had is forgotten all the same, and that is said", hands)
  case .batteryCritical:
    .walked("state, code, list, LED and document say the same of a reading")
  case .enrolWindowClosed:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolForbidden:
    .raised("if configuration closes enrolment, opening a window says so and what to change", hands)
  case .enrolTooFar:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNotHeard:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNameTaken:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNameInvalid:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .registryFull:
    .walked("the 513th wearable is refused with H2306 until one is forgotten")
  case .noSuchWearable:
    .walked("H2307, H6005 and H6010: a name that is listed, a parameter that fits and every")
  case .enrolNotRecognised:
    .walked("H2308: an unknown wearable is not accepted; the list shows which are known")
  case .driverChanged:
    .raised("an H10 that was enrolled as any strap goes on over its link and moves", itself)
  case .noSuchWearer:
    .walked("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and")
  case .wearerNameInvalid:
    .walked("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and")
  case .noSuchAssignment, .assignmentTaken:
    .walked("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and")
  case .wearerNameTaken:
    .walked("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and")
  case .restRateBeyond:
    .walked("state, list, LED, event and document say the same of an alert until it is acknowledged")
  case .exerciseRateBeyond:
    .raised("in exercise ten seconds are enough", "the next step is the one of H2401, which is walked")
  case .oxygenBeyond, .temperatureBeyond:
    .raised(
      "a saturation and a temperature are watched as a heart rate at rest is",
      "the next step is the one of H2401, which is walked")
  case .adapterMissing:
    .walked("waits for an adapter that is missing, and takes it when it comes")
  case .adapterPoweredOff:
    .walked("powers the adapter on again two seconds after another program powered it off")
  case .adapterBlocked:
    .walked("waits for a radio switch, or lifts it if it may")
  case .adapterRemoved:
    .walked("survives removal and return under another number, and a fresh ledger with it")
  case .controllerSilent:
    .walked("climbs every rung with a controller that was heard and fell silent")
  case .kernelWithoutBluetooth:
    .walked("goes on without Bluetooth in the kernel, and finds it slowly when it comes")
  case .capabilityMissing:
    .walked("H3107: started by its unit, which gives it the capability, it serves")
  case .bluetoothdClash:
    .walked("initialises again within five seconds when another program removes the monitor")
  case .adapterNotChosen:
    .walked("H3109: with radio.adapter set to auto, or to an adapter that is listed")
  case .managementRefused:
    .walked("backs off to five minutes with an adapter that refuses power")
  case .adapterAddressUnprogrammed:
    .walked("H3112: an adapter without an address of its own serves, and with another")
  case .busResetRefused:
    .walked("H3113: plugged out and in, or reset by the helper, the adapter serves and the")
  case .radioExhausted:
    .walked("climbs every rung with a controller that was heard and fell silent")
  case .storeUnwritable:
    .walked("H4001, H4002, H4009 and H6002: a path of the store or the socket is put right")
  case .storeForeign:
    .walked("H4001, H4002, H4009 and H6002: a path of the store or the socket is put right")
  case .storeNewer:
    .walked("a store of a later format is refused with H4004, and its data is not touched")
  case .storeInUse:
    .walked("H4005, H6001 and H6008: the holder of store and socket is asked; stopped, it makes room")
  case .storeChunkCorrupt:
    .raised("a check says that all is sound, or what is not", choice)
  case .storeFull:
    .walked("a disk that is full at open is refused with H4007")
  case .storeInputOutput:
    .raised("an export that fails is refused with its code, and the next call begin", choice)
  case .storeAbsent:
    .walked("H4001, H4002, H4009 and H6002: a path of the store or the socket is put right")
  case .storeTableFull:
    .walked("more wearers, assignments and bonds than the format allows are refused with H4020")
  case .storeEvicting:
    .walked("H4101: with a reader that exports each hour only exported samples go")
  case .storeRefusing:
    .walked("H4102: a full ring leaves data on the wearable until its quota is raised")
  case .purgeCountDiffers:
    .walked("a purge with another count than it would delete is refused; with the right one")
  case .storeBatchTooLarge:
    .raised("a batch above its limits is refused with H4105 and stays as it was", choice)
  case .storePurged:
    .raised("a purge without a person says what would be lost and deletes no sample", over)
  case .stagedElsewhere:
    .walked("bytes at another offset than what is kept are refused with H4107 without any change")
  case .stagedGivenUp:
    .raised("the store says how full and how old it is, and what it lost", choice)
  case .custodyInvalid:
    .raised("what is longer than its limit is cut, and an invalid id is refused with H4109", choice)
  case .storeBudgetExceeded:
    .walked("H4110: with longer intervals between commits a day's writing is within its")
  case .storeFailing:
    .walked("if one write failed, the environment is opened again")
  case .clockUntrusted:
    .walked("H5001: a clock that cannot be right is shown until a time source has set it")
  case .clockStepped:
    .raised("events come the newest last, each with time, code and wearable; what c", itself)
  case .socketInUse:
    .walked("H4005, H6001 and H6008: the holder of store and socket is asked; stopped, it makes room")
  case .socketUnavailable:
    .walked("H4001, H4002, H4009 and H6002: a path of the store or the socket is put right")
  case .controlMalformed:
    .walked("H6003 and H6004: what is no call and what no hub offers are refused; the client")
  case .controlUnknownMethod:
    .walked("H6003 and H6004: what is no call and what no hub offers are refused; the client")
  case .controlBadParameter:
    .walked("H2307, H6005 and H6010: a name that is listed, a parameter that fits and every")
  case .controlTooManyClients:
    .walked("a seventeenth client is refused, and gets a place when one is free")
  case .controlClientTooSlow:
    .walked("a client that does not read its live values is disconnected and may ask again")
  case .daemonDown:
    .walked("H4005, H6001 and H6008: the holder of store and socket is asked; stopped, it makes room")
  case .controlNotAllowed:
    .walked("without a group of administrators every admitted user may do everything but keys")
  case .timeNotUnderstood:
    .walked("H2307, H6005 and H6010: a name that is listed, a parameter that fits and every")
  case .agreementMissing:
    .walked("a purge without a person says what would be lost and deletes no sample")
  case .lightsChipMissing:
    .walked("H7001 and H7004: a hub without its lights serves and says so; set to none")
  case .lightsLineMissing:
    .walked("a missing chip, a missing line and a line in use are distinguished")
  case .lightsLineBusy:
    .walked("a missing chip, a missing line and a line in use are distinguished")
  case .lightsBoardUnknown:
    .walked("H7001 and H7004: a hub without its lights serves and says so; set to none")
  case .linkFound:
    .raised("a strap that leaves and returns leaves two events: when its link was lost, and", over)
  case .linkUnsteady:
    .walked("a strap at the edge of range leaves three events an hour at most, and they")
  case .wearableBack:
    .raised("one that is missing, and is back, is reported once each, with its begin", over)
  case .bondMade:
    .raised("a key that is lost, and a new one, are reported", over)
  case .wearerStillWears:
    .walked("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and")
  case .radioBack:
    .raised("a radio that was down is reported once for all, with its span", over)
  case .radioTried:
    .raised("rungs are durable events, also the one with which hearthd ends; a radio that", over)
  case .storeBack:
    .raised("trouble of the store is reported when it is over, with how long it took and what was dropped", over)
  case .erasureCountDiffers:
    .walked("a plan says what is erased and what stays elsewhere; only its exact count erases")
  case .wearerErased:
    .raised("a plan says what is erased and what stays elsewhere; only its exact count erases", over)
  case .storeUnread:
    .walked("H4114: samples that wait too long are said until a reader has confirmed them")
  case .controlRoleMissing:
    .walked("a refusal names the group that is missing and the command that mends it")
  case .orderGiven:
    .raised("an operator operates and does not administer; actions are recorded with their user", over)
  case .terminalMissing:
    .walked("without a terminal that can redraw, it names --once, which prints the same for")
  case .fleetUnreachable, .fleetAnswerUnreadable:
    .notHere("Tests/Fleet/run.py raises it with real servers of SSH, and mends what it names")
  case .fleetNotForMany:
    .notHere("Tests/Fleet/run.py raises it, and runs the command on the one hub")
  case .uplinkBrokerUnreachable, .uplinkBrokerRefuses, .uplinkCertificate, .uplinkSessionTaken, .uplinkUnacknowledged,
    .uplinkHubSilent, .uplinkLosses, .uplinkOrderRefused, .uplinkDown, .uplinkNoReader, .uplinkRowTooLong:
    .notHere("Tests/Uplink/run.py raises it with a real broker and a served hub")
  case .sinkBroker, .sinkDatabase, .sinkBatchRefused, .sinkGap, .sinkStoreTwice:
    .notHere("Tests/Sink/run.py raises it with a real broker and a real database")
  case .startedAfterStop:
    .raised("a hub says of each start how the run before ended, and since when it was silent", over)
  case .startedAfterKill:
    .raised("a hub says of each start how the run before ended, and since when it was silent", choice)
  case .startedAfterPowerCut:
    .raised("a machine that was started again without a stop is distinguished from a process that was", hands)
  case .startedFirst:
    .raised("a hub says of each start how the run before ended, and since when it was silent", over)
  case .startedAgain:
    .raised("a hub that crashes every half minute for a day leaves some events an hour", choice)
  case .backupDamaged:
    .walked("H4201 to H4204: a hub is backed up while it serves, and a spare becomes it")
  case .backupPassphraseWrong:
    .walked("H4201 to H4204: a hub is backed up while it serves, and a spare becomes it")
  case .backupFileUnusable:
    .walked("H4201 to H4204: a hub is backed up while it serves, and a spare becomes it")
  case .restoreRefused:
    .raised("H4204: a store that knows a wearable is not restored over, and stays as it is; an", choice)
  case .backupInterrupted:
    .walked("H4205: a backup ends when its reader stops, and when another begins; the next one is whole")
  case .backupOverdue:
    .walked("H4206: a backup that is too old is said until one is made, a failed one until it")
  case .backupFailed:
    .walked("H4206 to H4208: a scheduled backup is made when due, old ones go")
  case .backupNotConfigured:
    .walked("H4206 to H4208: a scheduled backup is made when due, old ones go")
  case .restored:
    .raised("H4201 to H4204: a hub is backed up while it serves, and a spare becomes it", over)
  case .radioAddressDiffers:
    .raised("H3115: an adapter takes the address that bonds were made with, and one that cannot", hands)
  case .logUnavailable:
    .walked("a machine without a journal is said to have none, with a next step that works")
  case .storeNotCopied:
    .raised("H4012: a store that cannot be copied is not converted, and stays as it is", choice)
  case .storeMiscounted:
    .raised("a flipped bit of a count of pages deletes no sample: it is counted again", hands)
  case .storeDamaged:
    .raised(
      "H4014: a table with a node beyond the end of its page is left out by a reader, and named; the others are read",
      hands)
  case .storeRescued:
    .raised("H4019: whichever page of a store is damaged, it is served, and the damaged file is set aside", hands)
  case .salvageRefused:
    .walked("H4021, H4116: lost samples come back on the command line, from the right file only")
  case .storeSalvaged:
    .walked("H4021, H4116: lost samples come back on the command line, from the right file only")
  case .storeInMemory:
    .raised(
      "H4015: while the store lies in memory no wearable is erased", hands)
  case .storeUnproven:
    .raised("H4016: a store that another machine answers for, or that does not wait, stops erasing", hands)
  case .storeOpenToAll:
    .raised("H4017: a store on a file system without owners is reported, and erasing goes on", hands)
  case .storeUnreadable:
    .raised("a store that this user may not read is not called broken", hands)
  case .storeTimesCorrected:
    .raised("H4115: rows from before the time server are read with their true time, and marked", over)
  case .updateReturned:
    .raised("H8060 and H8061: an update that went back, or could not, is a trouble", choice)
  case .updateStuck:
    .raised("H8060 and H8061: an update that went back, or could not, is a trouble", choice)
  case .updateNotDone:
    .raised("H8062 and H8063: only a package of the hub is installed, and a return needs a kept version", hands)
  case .updateNotKept:
    .raised("H8062 and H8063: only a package of the hub is installed, and a return needs a kept version", hands)
  case .metricsUnwritable:
    .walked("H8050: a missing folder is reported once; with another path, and after a reload")
  }
}
