// Drivers with sessions that stored text notes before the store had records for states.

public import StateCodec

/// Driver that reads the text notes of its sessions in stores up to format 3.
public protocol FormerNotesDriver: WearableDriver {
  /// Removes the notes that it knows from `notes`, and makes states of them. Called once for each wearable.
  func takeOver(_ notes: inout [String: String], into states: inout RememberedStates)
}

extension WearableDriver {
  /// The facet for notes of format 3; nil if the driver never had any.
  public var formerNotes: (any FormerNotesDriver)? { self as? any FormerNotesDriver }
}
