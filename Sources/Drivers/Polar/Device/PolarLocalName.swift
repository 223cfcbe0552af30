// The local name of an advertiser: whether it is Polar's, its model, and its device id.

import Bluetooth
import GATTServices
public import Wearable

extension Polar {
  /// A name of the form `Polar <model words> <device id>`.
  public struct LocalName: Sendable, Hashable {
    /// The name as advertised, except that an id of seven digits is completed.
    public let name: String
    /// The model as advertised: `H10`, `Vantage M3`.
    public let model: String
    /// The last word as advertised; an id of seven digits is completed. Only `deviceID` is checked.
    public let idText: String

    /// The id; nil if the last word is not a valid id.
    public var deviceID: DeviceID? { DeviceID(idText) }
    /// Key of the model in the tables: `h10`, `vantage m3`.
    public var modelKey: String { model.lowercased() }

    /// nil for names without the prefix, and for names of fewer than three words between single blanks. Blanks around
    /// the name are ignored.
    public init?(_ text: String, prefix: String = Polar.namePrefix) {
      guard let model = Self.model(of: text, prefix: prefix) else { return nil }
      let last = text.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
      let whole = last.utf8.count == 7 ? DeviceID.completed(last) : ""
      self.model = model
      if whole.isEmpty {
        name = text
        idText = String(last)
      } else {
        name = prefix + " " + model + " " + whole
        idText = whole
      }
    }

    /// The words between the prefix and the last word; nil if the name is not Polar's.
    public static func model(of text: String, prefix: String = Polar.namePrefix) -> String? {
      let trimmed = trimmed(text[...])
      guard trimmed.hasPrefix(prefix), trimmed.count(where: { $0 == " " }) > 1 else { return nil }
      let rest = trimmed.dropFirst(prefix.count)
      guard let last = rest.lastIndex(of: " ") else { return "" }
      let model = rest[..<last]
      return String(model.first == " " ? model.dropFirst() : model)
    }

    private static func trimmed(_ text: Substring) -> Substring {
      var rest = text.drop { $0 == " " }
      while rest.last == " " { rest.removeLast() }
      return rest
    }
  }

  /// A Polar wearable, recognised by its advertisement.
  public struct Advertiser: Sendable, Hashable {
    /// Model as advertised.
    public let model: String
    /// Model as the tables of models spell it.
    public let modelKey: String
    /// Device id at the end of the local name.
    public let deviceID: DeviceID
    /// Whether the advertisement lists 16-bit services. Polar's list them only while they accept connections.
    public let isConnectable: Bool

    /// Models that are programs on phones.
    private static let notWearables: Set<String> = ["mobile"]

    /// nil unless the name is Polar's with a valid id, and the advertisement has one of three things. Every Polar
    /// wearable advertises the Heart Rate service, the file transfer service or Polar's manufacturer data.
    public init?(_ scanResult: ScanResult, prefix: String = Polar.namePrefix) {
      let services = scanResult.services
      guard
        services.contains(StandardGATT.heartRateService) || services.contains(PSFTP.service)
          || scanResult.manufacturerData.contains(where: { $0.company == Polar.company }),
        let text = scanResult.name, let name = LocalName(text, prefix: prefix), let id = name.deviceID,
        !Self.notWearables.contains(name.modelKey)
      else { return nil }
      model = name.model
      modelKey = name.modelKey
      deviceID = id
      isConnectable = services.contains { $0.short != nil }
    }
  }
}
