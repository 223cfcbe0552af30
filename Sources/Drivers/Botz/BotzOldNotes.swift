// Notes of stores before format 4, which were text: made states once, when a hub first starts with such a store.
// Nothing else reads them.

public import StateCodec
public import Wearable

extension BotzDriver: FormerNotesDriver {
  public func takeOver(_ notes: inout [String: String], into states: inout RememberedStates) {
    if notes.removeValue(forKey: "streams") != nil, states[BotzStreamsMayRun.self] == nil {
      _ = try? states.keep(BotzStreamsMayRun())
    }
    // The hub's boot, and what the clock shows less its monotonic clock, µs: `1-2 1795255200000000`.
    let words = notes.removeValue(forKey: "clock")?.split(separator: " ") ?? []
    if words.count == 2, let offset = Int64(words[1]), states[InsoleEra.self] == nil {
      _ = try? states.keep(InsoleEra(boot: String(words[0]), offset: offset))
    }
  }
}
