// Drivers whose sessions remembered things before the store had records for them.

public import StateCodec

/// A driver that reads what its sessions remembered as text until format 3 of the store.
public protocol FormerNotesDriver: WearableDriver {
  /// Takes out of `notes` what it knows, and makes states of it. Asked once of each wearable.
  func takeOver(_ notes: inout [String: String], into states: inout RememberedStates)
}

extension WearableDriver {
  /// What reads notes of format 3; nil: there were none.
  public var formerNotes: (any FormerNotesDriver)? { self as? any FormerNotesDriver }
}
