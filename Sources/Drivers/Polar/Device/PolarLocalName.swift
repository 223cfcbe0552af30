// What the local name of an advertiser says: whether it is Polar's, which model it is, and which one of them.

import Bluetooth
import GATTServices
public import Wearable

extension Polar {
  /// `Polar <model words> <device id>`.
  public struct LocalName: Sendable, Hashable {
    /// As advertised, but for an id of seven digits, which is completed.
    public let name: String
    /// `H10`, `Vantage M3`.
    public let model: String
    /// The last word as advertised, completed where it has seven digits. `deviceID` is what may be believed.
    public let idText: String

    /// The id, if what stands in its place is one.
    public var deviceID: DeviceID? { DeviceID(idText) }
    /// What models are looked up by: `h10`, `vantage m3`.
    public var modelKey: String { model.lowercased() }

    /// nil for names that are not Polar's: without the prefix, or with fewer than three words between single blanks.
    /// Blanks around the name do not count.
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

    /// Everything between the prefix and the last word; nil if the name is not Polar's.
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

  /// A Polar wearable that was recognised in what it advertises.
  public struct Advertiser: Sendable, Hashable {
    public let model: String
    public let modelKey: String
    public let deviceID: DeviceID
    /// It lists 16-bit services, as it does only while it takes connections.
    public let isConnectable: Bool

    /// Names of advertisers that are programs on phones.
    private static let notWearables: Set<String> = ["mobile"]

    /// nil unless a name of Polar's with a valid id comes with one of the three things that every Polar wearable
    /// advertises: the Heart Rate service, the file transfer's, or Polar's manufacturer data.
    public init?(_ sighting: Sighting, prefix: String = Polar.namePrefix) {
      let services = sighting.services
      guard
        services.contains(StandardGATT.heartRateService) || services.contains(PSFTP.service)
          || sighting.manufacturerData.contains(where: { $0.company == Polar.company }),
        let text = sighting.name, let name = LocalName(text, prefix: prefix), let id = name.deviceID,
        !Self.notWearables.contains(name.modelKey)
      else { return nil }
      model = name.model
      modelKey = name.modelKey
      deviceID = id
      isConnectable = services.contains { $0.short != nil }
    }
  }
}
