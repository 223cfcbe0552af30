// Topic names. Names of hubs and wearables cannot add the broker's special characters, nor characters that some brokers
// refuse.

/// Topics of one hub.
public struct UplinkTopics: Sendable, Hashable {
  private let group: String
  private let hub: String

  /// Topics with their special characters replaced.
  public init(group: String, hub: String) {
    (self.group, self.hub) = (Self.part(group), Self.part(hub))
  }

  /// Replaces `+ # /`, points, blanks and characters that are illegal in topics by `_`, and an empty name too: NATS
  /// accepts no points.
  public static func part(_ name: String) -> String {
    let safe = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          $0.value <= 0x20 || $0.value == 0x7F || "+#/.".unicodeScalars.contains($0) ? "_" : $0
        }
      ))
    return safe.isEmpty ? "_" : safe
  }

  /// Name of a wearable with its points as `~`, which no such name has: `strap.1` and `strap_1` stay two.
  public static func device(_ name: String) -> String {
    part(String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "." ? "~" : $0 })))
  }

  /// Topic of the hub's births, Sparkplug B.
  public var nodeBirth: String { "spBv1.0/\(group)/NBIRTH/\(hub)" }
  /// Topic of the hub's data, Sparkplug B.
  public var nodeData: String { "spBv1.0/\(group)/NDATA/\(hub)" }
  /// Topic of the hub's death, Sparkplug B.
  public var nodeDeath: String { "spBv1.0/\(group)/NDEATH/\(hub)" }
  /// Topic of commands to the hub, Sparkplug B.
  public var nodeCommand: String { "spBv1.0/\(group)/NCMD/\(hub)" }
  /// Topic of a wearable's births, Sparkplug B.
  public func deviceBirth(_ device: String) -> String { "spBv1.0/\(group)/DBIRTH/\(hub)/\(Self.device(device))" }
  /// Topic of a wearable's data, Sparkplug B.
  public func deviceData(_ device: String) -> String { "spBv1.0/\(group)/DDATA/\(hub)/\(Self.device(device))" }
  /// Topic of a wearable's deaths, Sparkplug B.
  public func deviceDeath(_ device: String) -> String { "spBv1.0/\(group)/DDEATH/\(hub)/\(Self.device(device))" }
  /// Topic of the hub's batches of rows.
  public var rows: String { "hearth/1/\(group)/\(hub)/rows" }
  /// Positions of one wearable's rings, retained. `part`: 0, unless they are too long for one packet.
  public func heads(_ enrolment: UInt32, part: Int = 0) -> String {
    "hearth/1/\(group)/\(hub)/heads/\(enrolment)" + (part == 0 ? "" : "-\(part)")
  }
  /// Rows of a series as JSON.
  public func json(_ device: String, _ series: String) -> String {
    "hearth/1/\(group)/\(hub)/json/\(Self.device(device))/\(Self.part(series))"
  }
  /// The state of one wearable, for Home Assistant.
  public func home(_ device: String) -> String { "hearth/1/\(group)/\(hub)/home/\(Self.device(device))" }
  /// Status of the uplink.
  public var status: String { "hearth/1/\(group)/\(hub)/status" }
}
