// Where each code is raised, and whether its next step is done there and the code seen to be gone.

import Reasons

enum NextStepWalk {
  /// By a test of this name: the code is raised, its next step is done as it says, and the code is gone.
  case walked(String)
  /// A test of this name raises it; why its next step is not done there.
  case raised(String, String)
  /// Why no test raises it by this name.
  case notHere(String)
}

private let file = "the next step is an edit of a file, after which the same reader reads it"
private let wearable = "the next step is done at the wearable, whose firmware or place no test changes"
private let hands = "the next step is done with hands: an adapter, a card, a plug, the kernel of the machine"
private let choice = "the next step is a person's choice of room, path or version"
private let time = "a time source is not the hub's to make"
private let again = "the next step repeats the command with what the refusal names"
private let itself =
  "the next step is to let the hub go on by itself; the link or visit that follows is tested by seeds"

private let over = "it says that something is over, and that nothing is to be done"

/// Exhaustive: a new code has no place to hide.
func nextStepWalk(of reason: Reason) -> NextStepWalk {
  switch reason {
  case .configUnreadable:
    .raised("a file that is no YAML, and one that is not there, are one error each", file)
  case .configSyntax:
    .raised("a file that is no YAML, and one that is not there, are one error each", file)
  case .configUnknownKey:
    .raised("what is wrong is refused with its place", file)
  case .configBadValue:
    .raised("what is wrong is refused with its place", file)
  case .configReloadRefused:
    .walked("a reload with a broken file keeps the old configuration and says so; a good one")
  case .attMalformed:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .attTimeout:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .attProtocol:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .gattDiscoveryBounded:
    .notHere("tested as its layer's own error, which names no code; " + wearable)
  case .gattValueMalformed:
    .raised("a value that its decoder refuses is counted, and logged with its code", itself)
  case .gattMissing:
    .notHere("tested as its layer's own error, which names no code; " + wearable)
  case .notificationFlood:
    .raised("every GATT error has one line for the log", wearable)
  case .attRefused:
    .notHere("tested as its layer's own error, which names no code; " + wearable)
  case .procedureTimeout:
    .raised("a wearable that is slow to tell its database is waited for so long, an", itself)
  case .slotsFull:
    .raised("a full adapter makes the lane rest and troubles nobody; what a person", wearable)
  case .notHeard:
    .raised("each error has its policy", wearable)
  case .linkProfileRefused:
    .raised("a link shows requested, effective and reported side by side, with why,", itself)
  case .linkLost:
    .raised("an owner that comes late still hears, once, that the link had ended", itself)
  case .peerClosed:
    .raised("an owner that closes in the middle of a value or of the end itself hea", itself)
  case .failedToEstablish:
    .raised("the table shows memory, the last visit and what each is doing; a star", itself)
  case .linkAborted:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .visitBusy:
    .raised("the end of a visit is told in a line; a script learns it from the exit", itself)
  case .visitRefused:
    .raised("says what was refused, and removes nothing", wearable)
  case .visitBroken:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .visitSilent:
    .notHere("tested as its layer's own error, which names no code; " + itself)
  case .itemDefective:
    .walked("what cannot be decoded is told for as long as the wearable has it, and not longer")
  case .eraseIneffective:
    .raised("one that acknowledges removals and keeps everything is asked eight tim", wearable)
  case .visitUnsupported:
    .raised("a kind of data that cannot be had does not keep the others from being", wearable)
  case .notLinked:
    .raised("a wearable that is not heard is not waited for, and one whose visit fa", wearable)
  case .recordingNotArmed:
    .walked("a recording that is refused on the charger is kept, told of until it runs")
  case .settingNotTaken:
    .raised("what cannot be read is not written over, and is said", wearable)
  case .itemLocked:
    .walked("without the key a recording is kept and never removed")
  case .requestUnsupported:
    .raised("orders are changed one by one, what is not named stays, and no answer", wearable)
  case .secretUseless:
    .raised("a wearable that encrypts nothing gets no secret, and one without a sec", wearable)
  case .streamNotBegun:
    .raised("that are shown and do not come are told with their code, tried less an", wearable)
  case .requestNotDone:
    .raised("the end of a visit is told in a line; a script learns it from the exit", wearable)
  case .driverMissing:
    .walked("a wearable whose driver this build does not have says so by a code of its own")
  case .requestUntimely:
    .walked("an action that the state does not allow says what ends that state, and is done after it")
  case .wearableMissing:
    .walked("one is missing when it was away for longer than it should be, and no longer when it is heard")
  case .batteryLow:
    .walked("state, code, list, lamp and document say the same of a reading")
  case .authenticationFailed:
    .walked("H2206: one that refused, because it was bonded elsewhere, is enrolled again")
  case .keyMissing:
    .walked("H2207: a wearable that lost the hub's key is enrolled again")
  case .pairingRefused:
    .walked("H2208: a wearable that wants to be paired is enrolled again")
  case .pairingUnknown:
    .raised("the end of a visit is told in a line; a script learns it from the exit", again)
  case .noSuchBond:
    .raised("a bond is removed by name; one that is not there is told", again)
  case .bondFileDamaged:
    .raised("bonds are listed and exported without a daemon, imported by another hu", again)
  case .bondPassphraseWrong:
    .raised("bonds are listed and exported without a daemon, imported by another hu", again)
  case .bondPassphraseMissing:
    .raised("a wrong passphrase and every changed byte behind the beginning do not", again)
  case .bondFileUnreadable:
    .raised("bonds are listed and exported without a daemon, imported by another hu", again)
  case .batteryCritical:
    .walked("state, code, list, lamp and document say the same of a reading")
  case .enrolWindowClosed:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolTooFar:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNotHeard:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNameTaken:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .enrolNameInvalid:
    .walked("H2301, H2303, H2302 and H2304: open, wake it, hold it near")
  case .registryFull:
    .raised("the 513th wearable is refused with H2306, and asking at the same time", again)
  case .noSuchWearable:
    .raised("watching a wearable that nobody visits ends at once with its last visi", again)
  case .enrolNotRecognised:
    .raised("what no driver knows is heard, and not accepted: that is said", again)
  case .driverChanged:
    .raised("an H10 that was enrolled as any strap goes on over its link and moves", itself)
  case .noSuchWearer:
    .raised("of a body only what is given changes; an assignment has its time, or n", again)
  case .wearerNameInvalid:
    .raised("names of present wearers are unique and plain; a retired one gives its", again)
  case .noSuchAssignment, .assignmentTaken:
    .raised("another wearer, nobody, a second begin, and what is refused; a chang", again)
  case .wearerNameTaken:
    .raised("names of present wearers are unique and plain; a retired one gives its", again)
  case .adapterMissing:
    .raised("waits for an adapter that is missing, and takes it when it comes", hands)
  case .adapterPoweredOff:
    .raised("powers the adapter on again two seconds after somebody else powered it", itself)
  case .adapterBlocked:
    .raised("trouble is named with its code and the next step", hands)
  case .adapterRemoved:
    .raised("nobody is missing while the radio hears nothing, nor right after that", hands)
  case .controllerSilent:
    .walked("climbs every rung with a controller that was heard and fell silent")
  case .kernelWithoutBluetooth:
    .walked("goes on without Bluetooth in the kernel, and finds it slowly when it comes")
  case .capabilityMissing:
    .raised("names the missing capability", hands)
  case .bluetoothdClash:
    .raised("initialises again within five seconds when another program removes the", hands)
  case .adapterNotChosen:
    .raised("does not serve with another adapter than the configured one, and says", hands)
  case .managementRefused:
    .raised("the radio tells its ladder, and is recovered when somebody asks; its r", itself)
  case .adapterAddressUnprogrammed:
    .raised("warns of an address that nobody programmed", hands)
  case .busResetRefused:
    .raised("says where it may not reset the bus, and goes on with the next rung", hands)
  case .radioExhausted:
    .walked("climbs every rung with a controller that was heard and fell silent")
  case .storeUnwritable:
    .raised("a path that cannot be a store is refused with H4001", choice)
  case .storeForeign:
    .raised("a store that is not ours is refused with 1, and not a byte of it chang", choice)
  case .storeNewer:
    .raised("a store of a later format is refused with H4004, and its data is not t", choice)
  case .storeInUse:
    .raised("exit codes are those of the manual", choice)
  case .storeChunkCorrupt:
    .raised("a check says that all is sound, or what is not", choice)
  case .storeFull:
    .walked("a disk that is full at open is refused with H4007")
  case .storeInputOutput:
    .raised("an export that fails is refused with its code, and the next call begin", choice)
  case .storeAbsent:
    .raised("a reader finds no store with H4009, reads one at rest, and stops with", choice)
  case .storeTableFull:
    .raised("as many orders as there may be are kept and read back, and one more is", choice)
  case .storeEvicting:
    .raised("events are given the newest first, with the names of now; those of one", choice)
  case .storeRefusing:
    .raised("the store says how full and how old it is, and what it lost", choice)
  case .purgeCountDiffers:
    .walked("a purge with another count than it would delete is refused; with the right one")
  case .storeBatchTooLarge:
    .raised("a batch above its limits is refused with H4105 and stays as it was", choice)
  case .storePurged:
    .raised("a purge without a person says what would be lost and deletes nothing;", itself)
  case .stagedElsewhere:
    .raised("bytes at another offset than what is kept are refused with H4107 and c", itself)
  case .stagedGivenUp:
    .raised("the store says how full and how old it is, and what it lost", choice)
  case .custodyInvalid:
    .raised("what is longer than its limit is cut, and an id that is none is refuse", choice)
  case .storeBudgetExceeded:
    .raised("the store says how full and how old it is, and what it lost", choice)
  case .storeFailing:
    .walked("where one write failed, the environment is opened anew")
  case .clockUntrusted:
    .notHere("tested as its layer's own error, which names no code; " + time)
  case .clockStepped:
    .raised("events come the newest last, each with time, code and wearable; what c", itself)
  case .socketInUse:
    .raised("a second daemon is refused while the first lives", again)
  case .socketUnavailable:
    .raised("a file that is no socket is left alone", again)
  case .controlMalformed:
    .raised("what is no call gets its reason, then the connection ends", again)
  case .controlUnknownMethod:
    .raised("whatever else comes is a reason", again)
  case .controlBadParameter:
    .raised("an import hands over what it was given; what can be no bond, and too m", again)
  case .controlTooManyClients:
    .walked("a seventeenth client is refused, and gets a place when one is free")
  case .controlClientTooSlow:
    .raised("a client that does not read its live values is disconnected; others ar", again)
  case .daemonDown:
    .raised("without its folder, or with a path too long, there is no socket", again)
  case .controlNotAllowed:
    .raised("neither keys nor an import are for other users of the socket", again)
  case .timeNotUnderstood:
    .raised("anything else is refused with a code, what was said and what is taken", again)
  case .agreementMissing:
    .walked("a purge without a person says what would be lost and deletes nothing")
  case .lightsChipMissing:
    .raised("a missing chip, a missing line and a line in use are told apart", file)
  case .lightsLineMissing:
    .raised("a missing chip, a missing line and a line in use are told apart", file)
  case .lightsLineBusy:
    .raised("a missing chip, a missing line and a line in use are told apart", file)
  case .lightsBoardUnknown:
    .raised("a board without a file is an unknown board", file)
  case .linkFound:
    .raised("a strap that leaves and returns leaves two events: when its link was lost, and", over)
  case .linkUnsteady:
    .raised("a strap at the edge of range leaves three events an hour at most, and they", wearable)
  case .wearableBack:
    .raised("one that is missing, and is back, is told once each, with since when; also", over)
  case .bondMade:
    .raised("a key that is lost, and a new one, are told", over)
  case .wearerStillWears:
    .raised("who wears something now is not erased; a reader that has had some of it", again)
  case .radioBack:
    .raised("a radio that was down is told once for all, with its span, and not once for", over)
  case .radioTried:
    .raised("rungs are durable events, also the one with which hearthd ends; a radio that", over)
  case .storeBack:
    .raised("trouble of the store is told when it is over, with how long it took and", over)
  case .erasureCountDiffers:
    .walked("a plan says what goes and what stays elsewhere; only its exact count erases")
  case .wearerErased:
    .raised("a plan says what goes and what stays elsewhere; only its exact count erases", choice)
  case .controlRoleMissing:
    .raised("a refusal names the group that is missing and the command that mends it", again)
  case .orderGiven:
    .raised("an operator operates and does not administer; what was done is kept with", over)
  case .terminalMissing:
    .walked("without a terminal that can redraw, it names --once, which prints the same for")
  case .startedAfterStop:
    .raised("a hub says of each start how the run before ended, and since when nothing", over)
  case .startedAfterKill:
    .raised("a hub says of each start how the run before ended, and since when nothing", choice)
  case .startedAfterPowerCut:
    .raised("a machine that was started anew without a stop is told from a process that", hands)
  case .startedFirst:
    .raised("a hub says of each start how the run before ended, and since when nothing", over)
  case .startedAgain:
    .raised("a hub that crashes every half minute for a day leaves some events an hour", choice)
  case .logUnavailable:
    .walked("where there is no journal it says so, with a next step that works")
  }
}
