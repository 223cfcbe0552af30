// Texts about a link's end, for use after a wearable's name.

package import Bluetooth

extension LinkError {
  /// Event as text after a wearable's name.
  package var clause: String {
    switch self {
    case .notHeard: "was not heard in time"
    case .slotsFull: "found no free slot on the adapter"
    case .linkLost: "fell silent"
    case .peerClosed: "hung up"
    case .adapterGone: "lost its adapter"
    case .authenticationFailed: "refused or failed pairing"
    case .keyMissing: "no longer knows the hub's key"
    case .keyNotGiven: "was paired and gave no key to keep"
    case .identityClaimed: "gave another wearable's address as its own"
    case .failedToEstablish: "did not answer the connection"
    case .aborted: "was given up by the hub"
    case .flooded: "floods"
    case .timedOut: "did not connect in time"
    case .taken: "has a link or an attempt already"
    case .attemptsFull: "found no free attempt at the radio"
    case .bondedSlotsFull: "found no free slot on the adapter that it is bonded to"
    case .bondedElsewhere: "is bonded to an adapter that is not here"
    case .system(let errno): "could not be connected (errno \(errno))"
    }
  }
}

extension GATTError {
  /// The link's error; nil for another cause.
  package var link: LinkError? {
    if case .closed(let link) = self { return link }
    return nil
  }
}
