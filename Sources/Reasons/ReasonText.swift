// What the reasons say to people: the one place where a code becomes sentences. Longer than most files here because
// each code has its whole message in one piece.

/// What a reason says to people. Printed as
///
///     CODE area: sentence
///           effect
///           next: next
///
/// with the particulars of the case (`HearthError.detail`) in place of the sentence where there are any. No text names
/// a host, a person or a wearable, and every `next` is something that can be done with what the hub has.
public struct ReasonText: Sendable, Hashable {
  /// The part of the hub: `config`, `wire`, `link`, `bond`, `enrol`, `alert`, `radio`, `store`, `backup`, `clock`,
  /// `control`, `lights`, `hub`.
  public let area: String
  /// What happened, in one sentence.
  public let sentence: String
  /// What it means for samples: unaffected, delayed until, or lost from and to.
  public let effect: String
  /// What to do next, one step.
  public let next: String

  public init(area: String, sentence: String, effect: String, next: String) {
    self.area = area
    self.sentence = sentence
    self.effect = effect
    self.next = next
  }
}

extension Reason {
  /// The part of the hub a code belongs to, by its first two digits.
  public var area: String {
    // In the block of what needs a person, and nothing about keys.
    if self == .batteryCritical { return "link" }
    // What people ordered, in the block of alerts, and no alert.
    if (2460..<2480).contains(rawValue) { return "order" }
    return switch rawValue / 100 {
    case 10: "config"
    case 20: "wire"
    case 21: "link"
    case 22: "bond"
    case 23: "enrol"
    case 24: "alert"
    case 31: "radio"
    case 40, 41: "store"
    case 42: "backup"
    case 50: "clock"
    case 60: "control"
    case 70: "lights"
    case 80: "hub"
    case 90: "uplink"
    case 91: "sink"
    default: "hub"
    }
  }

  public var text: ReasonText {
    let (sentence, effect, next) = says
    return ReasonText(area: area, sentence: sentence, effect: effect, next: next)
  }

  private var says: (sentence: String, effect: String, next: String) {
    switch self {
    case .configUnreadable:
      (
        "a configuration file cannot be read",
        "samples unaffected; nothing was started or changed",
        "check the path and its permissions, then hearth config check"
      )
    case .configSyntax:
      (
        "a configuration file is not valid YAML",
        "samples unaffected; nothing was started or changed",
        "correct the line and column named, then hearth config check"
      )
    case .configUnknownKey:
      (
        "the configuration has a key that Hearth does not know",
        "samples unaffected; nothing was started or changed",
        "correct the spelling or remove the key, then hearth config check"
      )
    case .configBadValue:
      (
        "a configuration value does not fit its key",
        "samples unaffected; nothing was started or changed",
        "write a value of the kind named, then hearth config check"
      )
    case .configReloadRefused:
      (
        "the changed configuration was refused; the last good one is in force",
        "samples unaffected",
        "hearth config check names the line; correct it, then sudo systemctl reload hearthd"
      )
    case .setupFileUnreadable:
      (
        "a set-up file cannot be read, or is too large for one",
        "samples unaffected; nothing was changed",
        "check its path and its size; it holds six short answers: man hearth-setup.yaml"
      )
    case .setupFileInvalid:
      (
        "a set-up file has something in it that does not fit",
        "samples unaffected; nothing was changed",
        "correct the line named and give it its old name; man hearth-setup.yaml shows one"
      )
    case .setupUnasked:
      (
        "there is no terminal to ask at",
        "samples unaffected; nothing was changed",
        "sudo hearth setup --defaults asks nothing, and sudo hearth setup --file FILE takes answers"
      )
    case .setupOverridden:
      (
        "a file that is read later says otherwise, so that the answer would do nothing",
        "samples unaffected; nothing was changed",
        "take the key out of the file named, or change it there, then sudo hearth setup"
      )
    case .setupRefused:
      (
        "the configuration that the answers make would be refused",
        "samples unaffected; nothing was changed",
        "hearth config check shows the file as it is; set the key named there by hand"
      )
    case .setupNotWritten:
      (
        "the configuration cannot be written",
        "samples unaffected; nothing was changed",
        "as root: sudo hearth setup; as root already: is the card full or read-only (hearth doctor)"
      )
    case .setupUserUnknown:
      (
        "somebody who is to ask the hub is no user of this machine",
        "samples unaffected; nothing was changed",
        "sudo adduser NAME makes the user, sudo systemd-sysusers the groups; then once more"
      )
    case .setupFileLeft:
      (
        "this hub is set up, and the set-up file could not be set aside",
        "samples unaffected; the file is not taken a second time as long as it stays the same",
        "remove the file by hand; the boot partition may be read-only or full"
      )
    case .setupNotTaken:
      (
        "the configuration is written, and the hub did not take it yet",
        "samples unaffected; the hub goes on as it was, or is down",
        "sudo systemctl restart hearthd, then hearth log -n 50"
      )
    case .setupDeclined:
      (
        "the questions were not answered to the end",
        "samples unaffected; nothing was changed",
        "sudo hearth setup once more; the answers that hold already stand in brackets"
      )

    case .attMalformed:
      (
        "a wearable sent bytes that are not an ATT message",
        "samples in that message lost; all others unaffected",
        "nothing if it is rare; else update the wearable's firmware"
      )
    case .attTimeout:
      (
        "a wearable did not answer an ATT request within 30 s; its link was closed",
        "samples lost from the closing until the link is back, unless the wearable records",
        "nothing; the hub connects again. If it repeats, restart the wearable"
      )
    case .attProtocol:
      (
        "a wearable answered a question the hub did not ask; its link was closed",
        "samples lost from the closing until the link is back, unless the wearable records",
        "nothing; the hub connects again. If it repeats, update the wearable's firmware"
      )
    case .gattDiscoveryBounded:
      (
        "a wearable's list of services did not end within the hub's bound",
        "no samples from this wearable until its list is sound; all others unaffected",
        "restart the wearable; if it repeats, report its model and firmware"
      )
    case .gattValueMalformed:
      (
        "a wearable sent a value whose length does not fit its flags",
        "samples in that value lost; all others unaffected",
        "nothing if it is rare; else update the wearable's firmware"
      )
    case .valueOdd:
      (
        "a wearable told something that was left out, or that was taken although it was odd",
        "what was left out is lost, where the reason says so; everything else is kept",
        "hearth device NAME lists the reasons; if values are missing, report its model and firmware"
      )
    case .gattMissing:
      (
        "a wearable lacks a service or characteristic that its kind must have",
        "no samples of the missing kind; others unaffected",
        "check that it is the model it says it is: hearth device NAME"
      )
    case .notificationFlood:
      (
        "a wearable sent data faster than its kind ever does; its link was closed",
        "samples lost from the closing until the link is back; other wearables unaffected",
        "restart the wearable; if it repeats, take it out of use"
      )
    case .attRefused:
      (
        "a wearable refused a request",
        "samples of what was asked for are delayed until it agrees; others unaffected",
        "hearth device NAME shows what was asked; restart the wearable if it stays"
      )
    case .procedureTimeout:
      (
        "a step with a wearable took longer than its bound and was given up",
        "samples delayed until the next try; lost for that time if the wearable does not record",
        "nothing; the hub tries again. If it repeats, move the wearable nearer"
      )

    case .slotsFull:
      (
        "every link the radio can hold is in use",
        "samples of waiting wearables delayed until a slot is free; lost meanwhile if they do not record",
        "hearth devices shows who waits; enrol fewer on this hub or add a hub"
      )
    case .notHeard:
      (
        "a wearable was not heard while the hub tried to connect",
        "samples delayed until it is heard; lost meanwhile if the wearable does not record",
        "check that it is worn and near; many straps sleep when dry"
      )
    case .wearableMissing:
      (
        "a wearable was away for longer than it should be",
        "samples delayed until it is back if it records; lost meanwhile if it only streams",
        "look for it; may it be away: hearth device NAME absent-after never"
      )
    case .linkFound:
      (
        "a link that was lost is back",
        "samples lost while it was gone, unless the wearable records",
        "nothing"
      )
    case .linkUnsteady:
      (
        "a link is lost and found again and again",
        "samples lost while it was gone, unless the wearable records",
        "bring wearable and hub nearer to each other; hearth devices shows how well it is heard"
      )
    case .wearableBack:
      (
        "a wearable that was missing is back",
        "samples delayed until its next visit if it records; lost meanwhile if it only streams",
        "nothing"
      )
    case .recordUnreadable:
      (
        "a record that a wearable keeps cannot be read",
        "samples unaffected but its own: its bytes are stored; all other records are stored as values",
        "hearth custody NAME shows which; look for a newer version of Hearth if it comes again"
      )
    case .clockMovedElsewhere:
      (
        "a wearable's clock was not as this hub had set it",
        "samples unaffected; those of meanwhile have estimated times, marked as not sure",
        "charge it if its battery was empty; else remove it from the phone that sets its clock"
      )
    case .valuesAhead:
      (
        "values of a wearable are dated ahead of now",
        "these samples are delayed: they stay on the wearable; all others are stored",
        "nothing: they are fetched again with each visit; hearth sync NAME --last shows how many"
      )
    case .batteryLow:
      (
        "a wearable's battery is low",
        "samples unaffected; lost from when it is empty, until it is charged",
        "charge it at the next opportunity; hearth devices --by battery shows who is next"
      )
    case .syncRunning:
      (
        "a wearable is being synced, and a second sync of it was ordered",
        "samples unaffected: the sync that runs goes on",
        "wait for its end; hearth sync NAME --last shows how far it is"
      )
    case .batteryCritical:
      (
        "a wearable's battery is nearly empty",
        "samples unaffected so far; no samples from when it is empty, until it is charged",
        "charge it now; the hub takes the code back when a reading shows it charged"
      )
    case .linkLost:
      (
        "a wearable's link fell silent and was lost",
        "samples lost from then until the link is back, unless the wearable records",
        "nothing; the hub connects again when it is heard"
      )
    case .peerClosed:
      (
        "a wearable closed its link",
        "samples lost from then until the link is back, unless the wearable records",
        "nothing; usual when a strap is taken off. Else look for a phone that takes it"
      )
    case .failedToEstablish:
      (
        "a link was begun but a wearable did not follow",
        "samples delayed until the next try; lost meanwhile if the wearable does not record",
        "nothing; the hub tries again. If it repeats, move the wearable nearer"
      )
    case .linkAborted:
      (
        "the hub itself ended a link or gave up making it",
        "samples lost from then until the link is back, unless the wearable records",
        "nothing; the hub links again in its turn. If it repeats: hearth radio"
      )

    case .linkTaken:
      (
        "a link was wanted to a wearable that another attempt or link of this hub has",
        "samples unaffected: they come over the link that there is",
        "nothing; the hub tries again. If it repeats: hearth radio"
      )

    case .linkProfileRefused:
      (
        "a wearable does not take a connection profile",
        "samples unaffected; the link stays on another profile",
        "nothing, or hearth link NAME set idle --central: the hub then sets the link by itself"
      )
    case .visitBusy:
      (
        "a wearable is busy with something else",
        "samples unaffected; what it recorded is fetched later",
        "nothing; the hub comes again by itself"
      )
    case .visitRefused:
      (
        "a wearable refused what a visit needs",
        "samples delayed: what it recorded is still on it",
        "hearth visits shows what was refused; hearth device NAME shows model and firmware"
      )
    case .visitBroken:
      (
        "a wearable broke its own protocol in a visit",
        "samples unaffected; fetching goes on where it stopped",
        "nothing, unless it stays: then restart the wearable"
      )
    case .visitSilent:
      (
        "a wearable did not answer in a visit",
        "samples delayed: they are still on it, and fetching goes on where it stopped",
        "nothing, unless it stays: then restart the wearable"
      )
    case .itemDefective:
      (
        "something a wearable holds is not what it should be",
        "samples unaffected: its bytes are kept as they are, nothing is removed on the wearable",
        "hearth custody NAME shows which, and what is wrong with it"
      )
    case .eraseIneffective:
      (
        "a wearable acknowledged a removal and did nothing",
        "samples unaffected; they are in the store and still on the wearable",
        "restart the wearable when its memory gets full; the hub tries again after that, or the day after"
      )
    case .visitUnsupported:
      (
        "a wearable has something this version does not know",
        "samples delayed: it stays on the wearable",
        "hearth custody NAME shows what; look for a newer version of Hearth"
      )
    case .itemLocked:
      (
        "something a wearable holds is encrypted with a key that is not known here",
        "samples delayed: its bytes are kept as they are, and it stays on the wearable",
        "give the hub its key: hearth settings NAME set secret; hearth custody NAME shows which"
      )
    case .requestUnsupported:
      (
        "a wearable cannot do what was asked of it",
        "samples unaffected",
        "hearth action NAME lists what it can do; hearth settings NAME --orders, hearth monitor NAME: orders"
      )
    case .requestNotDone:
      (
        "what somebody asked of a wearable was not done",
        "samples unaffected",
        "ask again later: it was not kept"
      )
    case .driverMissing:
      (
        "a wearable is enrolled whose driver this version does not have",
        "samples delayed: what it recorded is still on it",
        "install the version of Hearth that enrolled it, or: hearth device NAME forget"
      )
    case .requestUntimely:
      (
        "a wearable does not do that in the state it is in",
        "samples unaffected; nothing was asked of it",
        "do first what the message names, if it names something, then ask again"
      )
    case .secretUseless:
      (
        "a wearable cannot encrypt what it keeps",
        "samples unaffected: the secret was not taken, and it records as before",
        "leave it without a secret, or use a model that encrypts"
      )
    case .streamNotBegun:
      (
        "a wearable does not stream what was ordered",
        "no samples of those series until it does; all else is unaffected",
        "hearth settings NAME says why; restart the wearable if it goes on"
      )
    case .notLinked:
      (
        "a wearable has no link at the moment",
        "samples unaffected",
        "bring it near, then hearth visit now NAME"
      )
    case .recordingNotArmed:
      (
        "a wearable does not record what it was told to",
        "no samples of that kind until it does; all else is unaffected",
        "hearth recordings NAME; free its memory or take it off its charger"
      )
    case .settingNotTaken:
      (
        "a wearable does not take a setting that was ordered",
        "samples unaffected; what it computes from its wearer's body may be wrong",
        "hearth settings NAME shows what it says; take an order back: hearth settings NAME set SETTING none"
      )
    case .collectionPaused:
      (
        "nothing is collected of a wearable, by order",
        "what it records stays on it, as long as it has room; what it only streams is lost",
        "hearth device NAME resume"
      )
    case .phasesLeftOut:
      (
        "some kinds of data of a wearable are not taken, by order",
        "samples delayed: what the wearable keeps of them stays on it, as long as it has room",
        "hearth sync NAME PHASE takes them once; hearth settings NAME set phases all takes them from now on"
      )
    case .measurementSkipped:
      (
        "a measurement that was due by itself was not made",
        "no vital signs of that time; samples unaffected",
        "hearth settings NAME shows why and when the next one is due; at once: hearth measure NAME"
      )
    case .measurementEmpty:
      (
        "a measurement by order ended without a value",
        "no value of that time; samples unaffected",
        "see that it is worn, its sensor on the skin, and measure again: hearth measure NAME SERIES"
      )
    case .shareReached:
      (
        "a wearable brought more in a day than its share of the store",
        "what it sends beyond that is dropped for a day; what it keeps stays on it; others unaffected",
        "hearth device NAME shows what it sends; forget it if nobody wears it; or raise store.share"
      )
    case .monitoringNotTaken:
      (
        "a wearable does not measure by itself as it was ordered",
        "samples unaffected; they come as often as it measures",
        "hearth monitor NAME shows asked, got and said; take the order back: hearth monitor NAME SERIES none"
      )

    case .authenticationFailed:
      (
        "a wearable refused to prove who it is",
        "no samples until it is paired again; what it recorded is still on it",
        "hearth enroll open, then hearth enroll accept NAME; refused again: end its bond with a phone first"
      )
    case .bondMade:
      (
        "a wearable and the hub made a new key",
        "samples unaffected",
        "nothing"
      )
    case .keyNotGiven:
      (
        "a wearable was paired and gave no key that can be kept",
        "no samples that need encryption; what it recorded is still on it",
        "restart it and end its other bonds; hearth enroll open, then hearth enroll accept NAME"
      )
    case .keyMissing:
      (
        "a wearable no longer knows the hub's key",
        "no samples until it shows the key again or a person accepts it anew",
        "do not factory-reset it yet; hearth explain H2207"
      )

    case .boundElsewhere:
      (
        "a band belongs to another user",
        "no samples; what it recorded stays on it until its memory overwrites it",
        "unbind it on the other phone or hub, or reset it in its own menu"
      )
    case .bindingNotConfirmed:
      (
        "a band was not bound: nobody confirmed on it, or somebody pressed cancel",
        "no samples; what it recorded stays on it",
        "be ready to confirm on its display, then hearth visit now NAME"
      )
    case .bindingBatteryLow:
      (
        "a band's battery is too low for it to be bound",
        "no samples until it is charged",
        "charge it; the hub binds it at its next visit"
      )
    case .bindingNeedsReset:
      (
        "a band has to be reset before it can be bound",
        "no samples; a reset erases what it recorded",
        "reset it in its own menu; the hub binds it at its next visit"
      )
    case .bindingRefused:
      (
        "a band refused to be bound and does not say why",
        "no samples; what it recorded stays on it",
        "reset it in its own menu, then hearth visit now NAME"
      )
    case .bindingLeft:
      (
        "a band was forgotten while it could not be reached: it still believes that it belongs to this hub",
        "samples unaffected: what was stored stays",
        "reset it in its own menu before it is given to somebody with a phone"
      )

    case .pairingRefused:
      (
        "a wearable asked to be paired and was refused",
        "samples unaffected where it works without; else they stay on it",
        "hearth enroll open, hold it near, then hearth enroll accept NAME: it is paired anew"
      )
    case .pairingUnknown:
      (
        "no pairing waits for an answer",
        "samples unaffected",
        "hearth pair lists what waits; a request is over after 30 s"
      )
    case .noSuchBond:
      (
        "there is no bond of that name",
        "samples unaffected",
        "hearth bond list"
      )
    case .bondFileDamaged:
      (
        "a file of bonds is damaged, or is none",
        "samples unaffected; no key was taken over",
        "use another copy of the file, or export again on the old hub"
      )
    case .bondPassphraseWrong:
      (
        "the passphrase does not open the file of bonds, or the file was changed",
        "samples unaffected; no key was taken over",
        "try the passphrase again; if it is right, use another copy of the file"
      )
    case .bondPassphraseMissing:
      (
        "keys leave the hub only under a passphrase, and none was given",
        "samples unaffected; nothing was written",
        "run it at a terminal, or give --passphrase-file FILE"
      )
    case .bondFileUnreadable:
      (
        "a file cannot be read or written",
        "samples unaffected; no key was taken over",
        "check its path and permissions; --force writes over a file that is there"
      )

    case .impostorSuspected:
      (
        "something at the address of an enrolled wearable is not that wearable",
        "nothing of it is stored; samples of the true one are lost until it is reached",
        "look for a second device of its kind; if it was reset: hearth enroll open, then accept it"
      )
    case .identityClaimed:
      (
        "a device gave the address of another wearable as its own when it was paired",
        "samples unaffected: its keys are not kept, and its link is ended",
        "look for a second device; if it is the same one, reset: hearth device NAME forget, then accept it"
      )
    case .enrolWindowClosed:
      (
        "nobody can join: the enrolment window is closed",
        "samples unaffected",
        "hearth enroll open, then accept it while the window is open"
      )
    case .enrolForbidden:
      (
        "nobody can join: enrolment is closed by configuration",
        "samples unaffected",
        "set enroll.mode to window in hearth.yaml, reload hearthd, then hearth enroll open"
      )
    case .enrolTooFar:
      (
        "a wearable is too far away to join",
        "samples unaffected; it is not enrolled",
        "hold it within a hand's width of the hub and accept again"
      )
    case .enrolNotHeard:
      (
        "no candidate of that letter or address was heard in this window",
        "samples unaffected; nothing was enrolled",
        "hearth enroll list shows who is heard; wake the wearable and look again"
      )
    case .enrolNameTaken:
      (
        "another wearable has that name",
        "samples unaffected; nothing was enrolled",
        "hearth devices lists names in use: take another, or use the one that is enrolled"
      )
    case .enrolNameInvalid:
      (
        "that name cannot be used for a wearable",
        "samples unaffected; nothing was enrolled",
        "use 1 to 32 letters, digits, '-', '_' and '.'"
      )
    case .registryFull:
      (
        "the hub has as many wearables as it can keep",
        "samples of enrolled wearables unaffected; the new one is not enrolled",
        "hearth device NAME forget, for one that nobody uses any more; or use another hub"
      )
    case .noSuchWearable:
      (
        "no wearable of that name or address is known",
        "samples unaffected",
        "hearth devices lists names and addresses"
      )
    case .enrolNotRecognised:
      (
        "the hub has no driver for that wearable",
        "samples unaffected; it is not enrolled",
        "only recognised kinds can join; hearth enroll list shows them"
      )
    case .driverChanged:
      (
        "a wearable said what it is, and moves to the driver that knows it",
        "samples unaffected; from its next link on it is asked for more than before",
        "nothing; hearth device NAME shows its driver"
      )
    case .enrolmentEvicted:
      (
        "one that joined by itself never brought a value, and made room for another",
        "samples unaffected: it never brought any",
        "hearth enroll open and hearth enroll accept NAME, if it is a wearable of yours"
      )
    case .enrolAddressChanges:
      (
        "a wearable's address changes, and no key tells whose it is",
        "samples unaffected; it is not enrolled",
        "hearth enroll open, make it ready to pair, accept it; or switch its private address off"
      )
    case .noSuchWearer:
      (
        "no present wearer of that name or number is known",
        "samples unaffected",
        "hearth wearer lists names and numbers; a retired wearer gets nothing new"
      )
    case .wearerNameInvalid:
      (
        "that name cannot be used for a wearer",
        "samples unaffected; nothing was changed",
        "use 1 to 64 bytes of plain text on one line"
      )
    case .wearerNameTaken:
      (
        "another wearer has that name",
        "samples unaffected; nothing was changed",
        "add what tells the two apart, such as a bed or a year of birth"
      )

    case .restRateBeyond:
      (
        "a heart rate was beyond its limit for 15 minutes outside exercise",
        "samples unaffected; this is no medical alarm",
        "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge"
      )
    case .exerciseRateBeyond:
      (
        "a heart rate was beyond its limit for 10 seconds in exercise",
        "samples unaffected; this is no medical alarm",
        "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge"
      )
    case .oxygenBeyond:
      (
        "an oxygen saturation was below its limit for 15 minutes outside exercise",
        "samples unaffected; this is no medical alarm",
        "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge"
      )
    case .temperatureBeyond:
      (
        "a body temperature was beyond its limit for 15 minutes outside exercise",
        "samples unaffected; this is no medical alarm",
        "hearth alerts NAME shows it; seen to: hearth alerts NAME acknowledge"
      )

    case .adapterMissing:
      (
        "this machine has no Bluetooth adapter that can be used",
        "samples lost from now until there is one, unless the wearables record",
        "plug in a USB adapter, or enable the onboard one and restart the machine"
      )
    case .adapterPoweredOff:
      (
        "the Bluetooth adapter was switched off by another program",
        "samples lost from then until it is on again, unless the wearables record",
        "nothing; the hub switches it on. If it repeats, find the program that switches it off"
      )
    case .adapterBlocked:
      (
        "the Bluetooth adapter is blocked by rfkill",
        "samples lost from then until it is unblocked, unless the wearables record",
        "sudo rfkill unblock bluetooth; a hardware switch must be moved by hand"
      )
    case .adapterRemoved:
      (
        "the Bluetooth adapter was removed while the hub was running",
        "samples lost from then until it is back, unless the wearables record",
        "plug it in again; the hub takes it up by itself"
      )
    case .controllerSilent:
      (
        "the Bluetooth controller does not answer",
        "samples lost from then until it answers, unless the wearables record",
        "nothing; the hub resets it. If it repeats, look at the power supply and journalctl -k"
      )
    case .radioTakenOver:
      (
        "another program took the Bluetooth adapter, and the hub has it again",
        "samples lost from its start until the hub served again, unless the wearables record",
        "sudo systemctl mask bluetooth, unless something else needs it"
      )
    case .radioAddressDiffers:
      (
        "the adapter has another address than the one that bonds were made with",
        "samples of bonded wearables are delayed: they do not know this hub and keep them",
        "use the old hub's adapter, or pair each bonded wearable anew: hearth enroll open"
      )
    case .radioBack:
      (
        "the radio hears again",
        "samples lost while it was down, unless the wearables record",
        "nothing if it is rare; else hearth radio shows what was done"
      )
    case .radioTried:
      (
        "the hub did something to revive the radio",
        "samples lost while the radio was down, unless the wearables record",
        "nothing if H3120 follows; else hearth radio shows what was done, and what is tried next"
      )
    case .attemptsFull:
      (
        "a link was wanted while the radio had as many connection attempts as it takes",
        "samples delayed until an attempt ends; lost meanwhile if the wearable does not record",
        "nothing; the hub tries again. If it repeats: hearth radio"
      )
    case .kernelWithoutBluetooth:
      (
        "this kernel has no Bluetooth",
        "samples lost from now until it has, unless the wearables record",
        "load the bluetooth module or boot a kernel that has it; the hub finds it within 5 minutes"
      )
    case .capabilityMissing:
      (
        "hearthd may not control the Bluetooth adapter",
        "samples lost from now until it may, unless the wearables record",
        "start it by its systemd unit, or give it CAP_NET_ADMIN"
      )
    case .bluetoothdClash:
      (
        "bluetoothd is running and may change the adapter beneath the hub",
        "samples unaffected so far; links may drop whenever it acts",
        "sudo systemctl disable --now bluetooth, unless something else needs it"
      )
    case .adapterNotChosen:
      (
        "no adapter fits the rule radio.adapter",
        "samples lost from now until one fits, unless the wearables record",
        "hearth status lists the adapters; set radio.adapter to auto or to one of them, restart hearthd"
      )
    case .managementRefused:
      (
        "the kernel refused a command to the Bluetooth adapter",
        "samples unaffected if links stay up; otherwise lost until they are back",
        "nothing; the hub tries again. If it repeats, look at journalctl -u hearthd"
      )
    case .adapterAddressUnprogrammed:
      (
        "the Bluetooth adapter has no address of its own",
        "samples unaffected; another hub with the same address nearby would disturb this one",
        "update the adapter's firmware package and restart, or use another adapter"
      )
    case .busResetRefused:
      (
        "the hub may not reset the Bluetooth adapter's USB port or UART",
        "samples lost until the adapter answers by itself, unless the wearables record",
        "install the helper hearth-radio-reset (board/README.md), or plug the adapter out and in"
      )
    case .radioExhausted:
      (
        "the radio is gone: the hub has tried everything it can",
        "samples lost from then until it is back, unless the wearables record",
        "switch the hub off and on at its plug; if the radio stays away, replace the adapter"
      )

    case .storeUnwritable:
      (
        "the store cannot be written",
        "samples unaffected in the store; none are taken until it can be written",
        "check owner, permissions and mount of store.path, then start hearthd again"
      )
    case .storeUnreadable:
      (
        "this user may not read the store",
        "samples unaffected: nothing is wrong with the store, and hearthd goes on writing it",
        "read it as root; where hearthd runs, leave --store out: it answers whoever is in its groups"
      )
    case .storeForeign:
      (
        "the files at store.path are not a Hearth store",
        "samples unaffected; nothing there was touched",
        "set store.path to an empty folder or to a Hearth store"
      )
    case .storeNewer:
      (
        "the store was written by a newer Hearth",
        "samples unaffected; nothing there was touched",
        "install the newer Hearth again, or set store.path to another folder"
      )
    case .storeInUse:
      (
        "another process has the store open",
        "samples unaffected; the other process keeps writing",
        "stop the other hearthd, or ask it: hearth status"
      )
    case .storeChunkCorrupt:
      (
        "a piece of the store fails its checksum",
        "samples of that piece lost; all others unaffected",
        "hearth export what is needed and replace the card soon"
      )
    case .storeFull:
      (
        "the file system of the store is full",
        "new samples wait in memory; lost from the time memory is full until there is space",
        "free space on the card, or lower store.size and restart"
      )
    case .storeInputOutput:
      (
        "reading or writing the card gave an error",
        "new samples wait in memory; lost from the time memory is full until writing works",
        "look at journalctl -k; hearth export what is needed and replace the card"
      )
    case .storeAbsent:
      (
        "there is no store at that path",
        "samples unaffected; there are none here to read",
        "check store.path: hearth config show --origin"
      )
    case .secretsKeyMissing:
      (
        "the key file of the store's secrets is missing",
        "samples in the store unaffected; wearables that have such secrets are not read until it is back",
        "put the key file back from the backup and restart the hub; without one: hearth explain H4010"
      )
    case .secretsKeyWrong:
      (
        "the key file does not fit the store's secrets",
        "samples in the store unaffected; wearables that have such secrets are not read until it is back",
        "put the key file that belongs to this store back and restart the hub; hearth explain H4011"
      )
    case .storeNotCopied:
      (
        "the store is of an earlier format and could not be copied before it is converted",
        "samples unaffected; the store is as it was, and this version does not start with it",
        "make room for a copy of data.mdb, then: sudo systemctl restart hearthd"
      )
    case .storeMiscounted:
      (
        "counts in the store's own pages were wrong and were made anew",
        "samples unaffected; nothing was deleted for the wrong counts",
        "replace the card soon, or look at the memory: a bit changed by itself; hearth store verify"
      )
    case .storeDamaged:
      (
        "the store's own pages contradict each other",
        "samples on the card unaffected; nothing more is written, so new ones are lost once memory is full",
        "stop the hub, hearth export what can be read, then restore the last backup on a new card"
      )
    case .storeInMemory:
      (
        "the store lies in memory: it is empty after the next power cut or restart",
        "samples of this run are lost with the power; nothing is erased on wearables until that is mended",
        "put store.path on the card, or switch off the overlay (raspi-config), then restart the hub"
      )
    case .storeUnproven:
      (
        "whether the store's samples reach a disk cannot be known where it lies",
        "samples may be lost with the power; nothing is erased on wearables until that is mended",
        "put store.path on a file system of this machine that waits for its disk, then restart the hub"
      )
    case .storeOpenToAll:
      (
        "the store lies on a file system without owners: every user may read it and its keys",
        "samples unaffected, but every user may read them; a power cut may damage such a file system",
        "put store.path on ext4 or another file system with owners, then restart the hub"
      )
    case .storeTableFull:
      (
        "a list in the store has as many entries as it may",
        "samples unaffected; the new entry was not kept",
        "remove entries of that list which nobody needs"
      )
    case .storeEvicting:
      (
        "samples that were never exported are being evicted",
        "the oldest samples are lost as new ones come; hearth store shows from when to when",
        "hearth export --cursor NAME; or raise the ring's quota or keep, or store.size, and restart hearthd"
      )
    case .storeRefusing:
      (
        "a ring is at its bound and takes nothing more from its wearable",
        "samples unaffected here; new ones are delayed on the wearable until there is room",
        "hearth export --cursor NAME, then hearth store purge; or raise the ring's quota, restart hearthd"
      )
    case .purgeCountDiffers:
      (
        "a purge was asked for with another count than it would delete",
        "samples unaffected; nothing was deleted",
        "hearth store purge with the same filters says the count; repeat it with --yes-lose"
      )
    case .storeBatchTooLarge:
      (
        "more was to be stored at once than one batch may hold",
        "samples unaffected here; they stay on the wearable",
        "tell the makers of Hearth which wearable it is"
      )
    case .storeBack:
      (
        "the store takes writes again",
        "samples delayed until then; lost are only those that it counts as dropped",
        "hearth store shows what was dropped"
      )
    case .storePurged:
      (
        "somebody deleted samples",
        "the samples that were named are lost",
        "nothing"
      )
    case .stagedElsewhere:
      (
        "bytes of a file do not follow those that are kept of it",
        "samples unaffected; the file stays on the wearable",
        "nothing; the file is fetched on from what is kept"
      )
    case .stagedGivenUp:
      (
        "a half-fetched file was given up to make room",
        "samples unaffected; the file is still on the wearable and is fetched again",
        "hearth export --cursor NAME, then hearth store purge; or raise store.size, restart hearthd"
      )
    case .custodyInvalid:
      (
        "a wearable names what it holds in a way that cannot be kept",
        "samples unaffected; what has that name stays on the wearable",
        "tell the makers of Hearth which wearable it is"
      )
    case .storeBudgetExceeded:
      (
        "more was written to the card today than its budget",
        "samples unaffected; the card wears out sooner",
        "raise store.commit.every and .bytes, restart hearthd; hearth store shows what is written"
      )
    case .storeTimesCorrected:
      (
        "a time server told how far the hub's clock was off, and times from before it are corrected",
        "samples unaffected; those from before are read with their true time, marked as corrected",
        "nothing; a clock module would make times sure from the start"
      )
    case .storeFailing:
      (
        "the card is failing or read-only; new samples are in memory only",
        "lost from the last commit on if power fails now, and from the time memory is full",
        "hearth export at once; hearth doctor says how to mount it again; then replace the card"
      )

    case .backupDamaged:
      (
        "a backup is damaged, or is none",
        "samples unaffected; nothing was restored",
        "use another copy of the file, or an older backup"
      )
    case .backupPassphraseWrong:
      (
        "the passphrase does not open the backup, or its beginning was changed",
        "samples unaffected; nothing was restored",
        "try the passphrase again; if it is right, use another copy of the file"
      )
    case .backupFileUnusable:
      (
        "a backup cannot be written or read",
        "samples unaffected; backups that were there stay",
        "check the path, its permissions and its free room; --force writes over a file that is there"
      )
    case .restoreRefused:
      (
        "this hub is not fresh: it knows wearables already",
        "samples unaffected; nothing was restored",
        "restore on a fresh hub, or stop this one and move the folder of its store away first"
      )
    case .backupInterrupted:
      (
        "a backup was ended before it was whole",
        "samples unaffected; the file was not written",
        "hearth backup FILE once more; with --samples at a quiet hour"
      )
    case .backupOverdue:
      (
        "the newest backup is older than twice the time between two",
        "samples unaffected; if the card dies, what was set up since then is lost",
        "sudo hearth backup --scheduled, and see what it says"
      )
    case .backupFailed:
      (
        "the scheduled backup failed",
        "samples unaffected; if the card dies, what was set up since the last one is lost",
        "sudo hearth backup --scheduled, and see what it says"
      )
    case .backupNotConfigured:
      (
        "no backup is scheduled",
        "samples unaffected; nothing was written",
        "set backup.to and backup.passphrase_file in the configuration, then hearth config check"
      )
    case .restored:
      (
        "this hub was restored from a backup",
        "samples that the backup had not are lost, but for those that wearables still hold",
        "nothing; make sure that the old hub is off"
      )
    case .clockUntrusted:
      (
        "the hub's clock is not set by any time source",
        "samples unaffected; their times are stored with evidence to correct them",
        "give the hub a network with NTP, or a clock module: timedatectl shows the state"
      )
    case .clockStepped:
      (
        "the hub's clock was set to another time",
        "samples unaffected; times before and after the step do not join",
        "nothing if it is rare; else see why the clock is wrong after boot: timedatectl"
      )

    case .socketInUse:
      (
        "another hearthd answers on the control socket",
        "samples unaffected; the other hearthd keeps running",
        "hearth status asks it; stop it first if this one should take its place"
      )
    case .socketUnavailable:
      (
        "the control socket cannot be made",
        "samples unaffected; nothing was started",
        "check the folder of control.socket and its permissions"
      )
    case .controlMalformed:
      (
        "a client sent something that is not a Varlink call; it was disconnected",
        "samples unaffected",
        "use the hearth of the same version as hearthd"
      )
    case .controlUnknownMethod:
      (
        "a client asked for something this hearthd does not offer",
        "samples unaffected",
        "use the hearth of the same version as hearthd"
      )
    case .controlBadParameter:
      (
        "a client's question has a parameter that is missing or does not fit",
        "samples unaffected; nothing was changed",
        "correct the parameter named; hearth COMMAND --help shows what fits"
      )
    case .controlTooManyClients:
      (
        "all places at the control socket that this client may have are taken",
        "samples unaffected",
        "end some hearth live or scripts that keep connections open, then ask again; root has places"
      )
    case .controlClientTooSlow:
      (
        "a client left its answers unread for too long and was disconnected",
        "samples unaffected; only what that client would have seen is missing there",
        "ask again; hearth export gives everything that was stored"
      )
    case .daemonDown:
      (
        "hearthd is not running, or not at this socket",
        "samples lost from its stop until its start, unless the wearables record",
        "systemctl status hearthd; hearth store still reads what is kept"
      )

    case .controlNotAllowed:
      (
        "that is not for this user",
        "samples unaffected; nothing was changed",
        "run the command with sudo; for all but keys, join the group hearth and log in again"
      )
    case .noSuchAssignment:
      (
        "the wearable has no assignment that begins then",
        "samples unaffected; nothing was changed",
        "hearth wearer history with the wearable's name lists when each begins"
      )
    case .assignmentTaken:
      (
        "another assignment of the wearable begins at that time",
        "samples unaffected; nothing was changed",
        "hearth wearer correct the other one, or choose another time"
      )
    case .wearerStillWears:
      (
        "a person who wears something now cannot be erased",
        "samples unaffected; nothing was deleted",
        "hearth wearer unassign with each wearable that is named, then ask again"
      )
    case .wearerErased:
      (
        "all that was kept of a person was deleted",
        "samples of that person are lost; other copies may exist",
        "nothing"
      )
    case .storeUnread:
      (
        "samples wait for a reader for longer than store.export_within",
        "samples unaffected; the oldest go when the store is full",
        "hearth uplink says whether the broker is there; without an uplink, hearth export --cursor NAME"
      )
    case .erasureCountDiffers:
      (
        "an erasure was asked for with another count than it would delete",
        "samples unaffected; nothing was deleted",
        "hearth wearer erase with the same person says the count; repeat it with --yes-lose"
      )
    case .controlRoleMissing:
      (
        "this user is not in the group that this is for",
        "samples unaffected; nothing was changed",
        "join the group that is named, log in again; hearth explain H6020 says what each group may"
      )
    case .orderGiven:
      (
        "somebody gave the hub an order",
        "samples unaffected, unless the order says otherwise",
        "nothing"
      )
    case .timeNotUnderstood:
      (
        "a time was given in a form that is not taken",
        "samples unaffected; nothing was changed",
        "say it as today, yesterday, 14:30, 2026-11-22, '2026-11-22 10:00', 2h, or 2026-11-22T10:00:00+01:00"
      )
    case .agreementMissing:
      (
        "nobody agreed to what would be lost",
        "samples unaffected; nothing was changed",
        "read what would be lost, and repeat the command with the option it names"
      )
    case .terminalMissing:
      (
        "a full-screen view needs a terminal that can redraw a screen",
        "samples unaffected; nothing was changed",
        "print one screen with hearth watch --once"
      )
    case .fleetUnreachable:
      (
        "a hub of the list did not answer over SSH",
        "samples unaffected; what that hub says is missing from the table",
        "try ssh with the name that is shown; its own words stand beside it"
      )
    case .fleetAnswerUnreadable:
      (
        "a hub of the list answered something that is no document of Hearth",
        "samples unaffected; what that hub says is missing from the table",
        "run the same command on that hub alone, and update it if it is older than this one"
      )
    case .fleetNotForMany:
      (
        "this command is for one hub at a time",
        "samples unaffected; nothing was asked of any hub",
        "log in to the hub with ssh and run it there"
      )
    case .lightsChipMissing:
      (
        "no GPIO chip of the board is there",
        "samples unaffected; the lights stay dark",
        "gpiodetect lists chips; set lights.board to one that fits, or to none, then restart hearthd"
      )
    case .lightsLineMissing:
      (
        "the GPIO chip has no line of that name",
        "samples unaffected; the lights stay dark",
        "gpioinfo lists the lines; correct the board file, then restart hearthd"
      )
    case .lightsLineBusy:
      (
        "a GPIO line of the lights is in use or cannot be driven",
        "samples unaffected; the lights stay dark",
        "gpioinfo shows who holds it; end that program or overlay, then restart hearthd"
      )
    case .lightsBoardUnknown:
      (
        "there is no such board, or its file lists no lamps",
        "samples unaffected; the lights stay dark",
        "set lights.board to a file in board/, without .yaml, or to none, then restart hearthd"
      )
    case .startedAfterStop:
      (
        "the hub was started; the run before was stopped in order",
        "samples lost while it did not run, unless the wearables record",
        "nothing"
      )
    case .startedAfterKill:
      (
        "the hub was started; the run before ended without a stop",
        "samples lost from its last commit until the start, unless the wearables record",
        "see why it ended: hearth log -n 200"
      )
    case .startedAfterPowerCut:
      (
        "the machine was started anew; the hub's run before ended without a stop",
        "samples lost from its last commit until the start, unless the wearables record",
        "if nobody cut the power, look at supply and cable; hearth store verify checks the store"
      )
    case .startedFirst:
      (
        "the hub was started, and the store knows of no run before",
        "samples unaffected",
        "nothing"
      )
    case .startedAgain:
      (
        "the hub was started several times within an hour",
        "samples lost while it did not run, unless the wearables record",
        "see why it ended: hearth log -n 200"
      )
    case .logUnavailable:
      (
        "the log of the hub cannot be read here",
        "samples unaffected",
        "sudo hearth log; without systemd: hearth log --file FILE, with what hearthd wrote to stderr"
      )
    case .metricsUnwritable:
      (
        "the file for the collector of metrics cannot be written",
        "samples unaffected; the collector gets nothing new",
        "set metrics.file to /run/hearth/metrics.prom, then: sudo systemctl reload hearthd"
      )
    case .updateReturned:
      (
        "an update did not serve, and the version before is installed again",
        "samples unaffected; what was measured during the two minutes of the trial may be delayed",
        "hearth update status says why; seen to: sudo hearth update dismiss"
      )
    case .updateStuck:
      (
        "an update does not serve, and the version before could not be installed again",
        "live samples are lost until the hub serves; wearables keep what they recorded",
        "sudo hearth update apply FILE with a version that served, or a newer one"
      )
    case .updateNotDone:
      (
        "the update was not done",
        "samples unaffected; the installed version goes on",
        "hearth update status, and what apt or dpkg said above"
      )
    case .updateNotKept:
      (
        "there is no earlier package to go back to",
        "samples unaffected; the installed version goes on",
        "sudo hearth update apply FILE with the version that is wanted"
      )
    case .uplinkBrokerUnreachable:
      (
        "the message broker cannot be reached",
        "samples unaffected; they wait in the store",
        "hearth uplink shows address and cause; see that the broker runs and the network is there"
      )
    case .uplinkBrokerRefuses:
      (
        "the message broker refuses this hub",
        "samples unaffected; they wait in the store",
        "compare user, password and client name in uplink.yaml with those of the broker"
      )
    case .uplinkCertificate:
      (
        "the secure connection to the broker fails",
        "samples unaffected; they wait in the store",
        "hearth uplink names the file and the cause; replace the certificate, it is read at each try"
      )
    case .uplinkSessionTaken:
      (
        "another client uses the name of this hub at the broker",
        "samples unaffected; they wait in the store, or are sent twice and stored once",
        "give each hub its own name with hub.name, then restart hearthd and hearth-uplink"
      )
    case .uplinkUnacknowledged:
      (
        "the broker takes messages and does not acknowledge them",
        "samples unaffected; they wait in the store",
        "look at disk and log of the broker; hearth uplink shows the last acknowledgement"
      )
    case .uplinkHubSilent:
      (
        "hearth-uplink cannot ask the daemon",
        "samples unaffected; they wait in the store",
        "sudo systemctl status hearthd hearth-uplink shows whether both run"
      )
    case .uplinkLosses:
      (
        "the store gave up rows that the broker never had",
        "samples lost from the oldest on, as the quotas of the store say, until rows are acknowledged again",
        "hearth store shows what was evicted; mend the uplink, or raise store.limit"
      )
    case .uplinkOrderRefused:
      (
        "an order to send again was refused",
        "samples unaffected; nothing is sent again",
        "hearth uplink shows what is under way; repeat the order with a time that is in the past"
      )
    case .uplinkDown:
      (
        "hearth-uplink does not run",
        "samples unaffected; they wait in the store",
        "sudo systemctl enable --now hearth-uplink, after its settings are in uplink.yaml"
      )
    case .sinkBroker:
      (
        "the sink cannot consume from the broker",
        "samples delayed; they stay with the broker and the hubs",
        "journalctl -u hearth-sink has the cause; see that the broker runs and knows this user"
      )
    case .sinkDatabase:
      (
        "the sink cannot write to the database",
        "samples delayed; they stay with the broker and the hubs",
        "journalctl -u hearth-sink has the words of the database; see its disk, user and schema"
      )
    case .sinkBatchRefused:
      (
        "a batch could not be read and was put aside",
        "samples delayed; the batch lies in the table quarantine and hubs can send again",
        "look at hearth.quarantine; update the sink, then hearth uplink resend on that hub"
      )
    case .sinkGap:
      (
        "rows of a ring are missing that its hub sent",
        "samples delayed until they are sent again, if the hub still has them",
        "on the hub that is named, run hearth uplink resend --from with a time a day before the gap"
      )
    }
  }
}
