// Conversion of text notes in stores before format 4 to states. Runs once, when a hub first starts with such a store;
// no other code reads these notes.

public import StateCodec
public import Wearable

extension BotzDriver: FormerNotesDriver {
  /// Converts the notes of this driver, and removes them from `notes`.
  public func takeOver(_ notes: inout [String: String], into states: inout RememberedStates) {
    if notes.removeValue(forKey: "streams") != nil, states[BotzActiveStreamsFlag.self] == nil {
      _ = try? states.keep(BotzActiveStreamsFlag())
    }
    // Boot of the hub, and the insole's clock less the hub's monotonic clock, µs: `1-2 1795255200000000`.
    let words = notes.removeValue(forKey: "clock")?.split(separator: " ") ?? []
    if words.count == 2, let offset = Int64(words[1]), states[InsoleEra.self] == nil {
      _ = try? states.keep(InsoleEra(boot: String(words[0]), offset: offset))
    }
  }
}
