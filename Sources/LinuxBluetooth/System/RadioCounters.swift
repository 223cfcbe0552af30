// Counters of the radio since start, in the order in which they are shown.

import EventLoop

@LoopActor
final class RadioCounters {
  var advertisements: UInt64 = 0
  var advertisementsLimited: UInt64 = 0
  var advertisementsMalformed: UInt64 = 0
  var attempts: UInt64 = 0
  var attemptsFailed: UInt64 = 0
  /// Attempts repeated because the kernel still had the previous link.
  var attemptsBusy: UInt64 = 0
  var linksMade: UInt64 = 0
  var linksEnded: UInt64 = 0
  var linksAbandoned: UInt64 = 0
  var received: UInt64 = 0
  var receivedEmpty: UInt64 = 0
  var receivedOversize: UInt64 = 0
  var sendsDeferred: UInt64 = 0
  var managementMalformed: UInt64 = 0
  var managementUnmatched: UInt64 = 0
  var managementTimeouts: UInt64 = 0
  var initialisations: UInt64 = 0
  var interferences: UInt64 = 0
  var powerLosses: UInt64 = 0
  var controllerSilences: UInt64 = 0
  /// Probes to which the controller did not respond.
  var pulsesMissed: UInt64 = 0
  var scanRestarts: UInt64 = 0
  var parametersAsked: UInt64 = 0
  var parametersGranted: UInt64 = 0
  var parameterUpdates: UInt64 = 0
  var parameterUpdatesRaw: UInt64 = 0
  var parameterUpdatesFailed: UInt64 = 0
  var dataLengthChanges: UInt64 = 0
  var physicalLayerChanges: UInt64 = 0
  var hciMalformed: UInt64 = 0
  var pairingRequests: UInt64 = 0
  var pairingsRefused: UInt64 = 0
  var pairingsFailed: UInt64 = 0
  var keysReceived: UInt64 = 0
  var keysRefused: UInt64 = 0
  var keyLoads: UInt64 = 0

  nonisolated init() {}

  var listed: [(name: String, value: UInt64)] {
    [
      ("advertisements", advertisements), ("advertisements.limited", advertisementsLimited),
      ("advertisements.malformed", advertisementsMalformed),
      ("connect.attempts", attempts), ("connect.failures", attemptsFailed),
      ("connect.busy", attemptsBusy), ("links.made", linksMade),
      ("links.ended", linksEnded), ("links.abandoned", linksAbandoned),
      ("pdus.received", received), ("pdus.empty", receivedEmpty), ("pdus.oversize", receivedOversize),
      ("pdus.deferred", sendsDeferred),
      ("mgmt.malformed", managementMalformed), ("mgmt.unmatched", managementUnmatched),
      ("mgmt.timeouts", managementTimeouts),
      ("adapter.initialised", initialisations), ("adapter.interference", interferences),
      ("adapter.poweredOff", powerLosses),
      ("adapter.silent", controllerSilences),
      ("adapter.unanswered", pulsesMissed), ("scan.restarts", scanRestarts),
      ("links.parametersAsked", parametersAsked),
      ("links.parametersGranted", parametersGranted), ("links.updates", parameterUpdates),
      ("links.updates.raw", parameterUpdatesRaw),
      ("links.updates.failed", parameterUpdatesFailed), ("links.dataLength", dataLengthChanges),
      ("links.layers", physicalLayerChanges),
      ("hci.malformed", hciMalformed), ("pairing.requests", pairingRequests), ("pairing.refused", pairingsRefused),
      ("pairing.failed", pairingsFailed), ("keys.received", keysReceived), ("keys.refused", keysRefused),
      ("keys.loads", keyLoads),
    ]
  }
}
