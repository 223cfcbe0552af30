// Form of a fact about a wearable in its record.

package import Wearable

extension WearableFact {
  /// Key in the registry, and the value.
  package var registryEntry: (key: String, value: String) {
    switch self {
    case .manufacturer(let text): ("manufacturer", text)
    case .model(let text): ("model", text)
    case .serialNumber(let text): ("serial", text)
    case .firmware(let text): ("firmware", text)
    case .hardware(let text): ("hardware", text)
    case .software(let text): ("software", text)
    case .bodyLocation(let text): ("body_location", text)
    case .systemID(let text): ("system_id", text)
    case .productID(let text): ("pnp_id", text)
    case .charging(let text): ("charging", text)
    case .notServed(let text): ("not_served", text)
    }
  }
}
