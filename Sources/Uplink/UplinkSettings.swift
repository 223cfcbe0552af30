// Settings of hearth-uplink: config/uplink.yaml.

internal import Glibc
public import Reasons
internal import SettingsText

/// Settings of one uplink; every missing key has its default.
public struct UplinkSettings: Sendable, Equatable {
  /// Path of the settings.
  public static let defaultPath = "/etc/hearth/uplink.yaml"

  /// Published form of a wearer.
  public enum Persons: String, Sendable, CaseIterable { case none, pseudonyms, names }
  /// Whether equal names are one person at this hub only, or at all hubs of the house.
  public enum PersonsOf: String, Sendable, CaseIterable { case hub, house }
  /// Form of published rows.
  public enum Form: String, Sendable, CaseIterable { case batches, json, both }

  /// Server of the broker.
  public struct Place: Sendable, Equatable {
    /// Name or address of the host.
    public var host: String
    /// nil: 8883 with TLS, 1883 without.
    public var port: Int?
  }

  /// Section `broker`.
  public struct Broker: Sendable, Equatable {
    /// Servers, tried one after another; nil: not configured, so the program reports that and ends.
    public var places: [Place]?
    /// nil: `hearth-` and the name of the hub.
    public var client: String?
    /// User name, if any.
    public var user: String?
    /// File with the password, if any.
    public var passwordFile: String?
    /// Time between two pings.
    public var keepAlive = Duration.seconds(30)
  }

  /// Section `tls`.
  public struct Secure: Sendable, Equatable {
    /// True with TLS.
    public var isOn = true
    /// nil: the authorities that the machine trusts.
    public var authorities: String?
    /// File of the client's certificate, if any.
    public var certificate: String?
    /// File of its private key.
    public var key: String?
  }

  /// Section `history`.
  public struct History: Sendable, Equatable {
    /// Form of the rows.
    public var form = Form.batches
    /// Longest time between two messages.
    public var every = Duration.seconds(60)
    /// Rows of one page.
    public var page = 512
    /// Bytes that may wait for their acknowledgement.
    public var window = 128 << 10
    /// Name of the cursor in the hub's store.
    public var cursor = "uplink"
  }

  /// Home Assistant discovery.
  public struct Home: Sendable, Equatable {
    /// True if discovery is on.
    public var isOn = false
    /// Prefix of its discovery topics.
    public var prefix = "homeassistant"
  }

  /// Connection to the broker.
  public var broker = Broker()
  /// Encryption of the connection.
  public var secure = Secure()
  /// Group of the topics.
  public var group = "hearth"
  /// nil: the name that the daemon reports.
  public var hub: String?
  /// Path of the daemon's control socket.
  public var hubSocket = "/run/hearth/hearth.sock"
  /// Socket of the uplink.
  public var ownSocket = "/run/hearth-uplink/uplink.sock"
  /// Names of persons in rows.
  public var persons = Persons.pseudonyms
  /// Persons with one pseudonym: those of the hub, or of the house.
  public var personsOf = PersonsOf.hub
  /// File of the key for pseudonyms.
  public var personsKey = "/etc/hearth/persons.key"
  /// Whether births, deaths and live values are published as Sparkplug B. Some brokers refuse such topics.
  public var sparkplug = true
  /// True if live values are sent.
  public var live = true
  /// Home Assistant discovery.
  public var home = Home()
  /// Rows of the store.
  public var history = History()
  /// Bits a second; nil: no limit.
  public var limit: Int?

  /// Creates settings with all defaults.
  public init() {}

  /// Servers with their ports.
  public var places: [(host: String, port: Int)] {
    (broker.places ?? []).map { ($0.host, $0.port ?? (secure.isOn ? 8883 : 1883)) }
  }

  /// Cursor of the daemon's exports, for the first and the second form of rows.
  func cursor(of form: Int) -> String { form == 0 ? history.cursor : history.cursor.prefix(58) + "-json" }

  /// Reads `path`.
  ///
  /// - Throws: `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue` with file, line and column;
  ///   `configBadValue` also for contradictory settings.
  public static func load(path: String) throws(HearthError) -> UplinkSettings {
    var settings = UplinkSettings()
    try schema.read(path, into: &settings)
    if settings.broker.places == nil {
      throw HearthError(.configBadValue, "\(path): broker.address is not set: there is no broker to send to")
    }
    if (settings.secure.certificate == nil) != (settings.secure.key == nil) {
      throw HearthError(.configBadValue, "\(path): tls.certificate and tls.key go together, and one is not set")
    }
    if settings.broker.passwordFile != nil, settings.broker.user == nil {
      throw HearthError(.configBadValue, "\(path): broker.password_file is set, and broker.user is not")
    }
    return settings
  }

  /// Named files that are missing or unreadable for the current user.
  public func missingFiles() -> [HearthError] {
    var named: [(String, String?)] = [
      ("broker.password_file", broker.passwordFile), ("tls.ca", secure.authorities),
      ("tls.certificate", secure.certificate), ("tls.key", secure.key),
    ]
    if persons == .pseudonyms { named.append(("persons_key", personsKey)) }
    return named.compactMap { key, path in
      guard let path, access(path, R_OK) != 0 else { return nil }
      return HearthError(.configBadValue, "\(key) needs the file \(path): \(errorText(errno))")
    }
  }

  private typealias Key = SettingKey<UplinkSettings>
  private static let schema = SettingsSchema<UplinkSettings>([
    Key("broker.address", \.broker.places, Kind<[UplinkSettings.Place]>.places.orNone),
    Key("broker.client", \.broker.client, .word),
    Key("broker.user", \.broker.user, .word),
    Key("broker.password_file", \.broker.passwordFile, Kind<String>.path(limit: 1024).orNone),
    Key("broker.keep_alive", \.broker.keepAlive, .duration(.seconds(5)...(.seconds(3600)), example: "30s")),
    Key("tls.on", \.secure.isOn, .truth),
    Key("tls.ca", \.secure.authorities, Kind<String>.path(limit: 1024).orNone),
    Key("tls.certificate", \.secure.certificate, Kind<String>.path(limit: 1024).orNone),
    Key("tls.key", \.secure.key, Kind<String>.path(limit: 1024).orNone),
    Key("group", \.group, .name),
    Key("hub", \.hub, Kind<String>.name.orNone),
    Key("hub_socket", \.hubSocket, .path(limit: 107)),
    Key("socket", \.ownSocket, .path(limit: 107)),
    Key("persons", \.persons, .choice()),
    Key("persons_of", \.personsOf, .choice()),
    Key("persons_key", \.personsKey, .path(limit: 1024)),
    Key("sparkplug", \.sparkplug, .truth),
    Key("live", \.live, .truth),
    Key("home_assistant.on", \.home.isOn, .truth),
    Key("home_assistant.prefix", \.home.prefix, .name),
    Key("history.form", \.history.form, .choice()),
    Key("history.every", \.history.every, .duration(.seconds(1)...(.seconds(86_400)), example: "60s")),
    Key("history.page", \.history.page, .number(16...512, "a number of rows")),
    Key("history.window", \.history.window, .bytes((4 << 10)...(4 << 20), example: "128KiB")),
    Key("history.cursor", \.history.cursor, .name),
    Key("limit", \.limit, Kind<Int>.rate.orNone),
  ])
}

extension Kind<[UplinkSettings.Place]> {
  /// Servers of one cluster; brackets around an IPv6 address separate its colons from the port's.
  fileprivate static let places = Kind(
    expects: "host or host:port, several with commas",
    parse: { text, _ in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let places = parts.prefix(16).compactMap { place(of: $0.trimmed) }
      return places.count == parts.count ? places : nil
    },
    show: { places in
      places.map { place in
        (place.host.contains(":") ? "[\(place.host)]" : place.host) + (place.port.map { ":\($0)" } ?? "")
      }.joined(separator: ",")
    })

  private static func place(of text: Substring) -> UplinkSettings.Place? {
    var (host, port): (Substring, Substring?) = (text, nil)
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty, !rest.hasPrefix(":") { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      (host, port) = (text[..<colon], text[text.index(after: colon)...])
      if port?.contains(":") ?? false { return nil }
    }
    let isPlain = host.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || [0x2D, 0x2E, 0x3A, 0x5F].contains($0)
    }
    if host.isEmpty || !isPlain || host.utf8.count > 253 { return nil }
    guard let port else { return UplinkSettings.Place(host: String(host), port: nil) }
    guard let number = wholeNumber(String(port)), (1...65_535).contains(number) else { return nil }
    return UplinkSettings.Place(host: String(host), port: number)
  }
}

extension Substring {
  /// Text without surrounding blanks.
  fileprivate var trimmed: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension Kind<String?> {
  /// Printable text, as brokers accept it for names of clients and users.
  fileprivate static let word = Kind(
    expects: "1 to 64 printable characters, or none",
    parse: { text, _ in
      if text == "none" { return .some(nil) }
      let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return isPlain && !text.isEmpty && text.utf8.count <= 64 ? text : nil
    }, show: { $0 ?? "none" })
}

extension Kind<Int> {
  /// Bits a second with their unit.
  fileprivate static let rate = Kind(
    expects: "a rate from 1kbit to 1000mbit, such as 64kbit",
    parse: { text, _ in
      let digits = text.prefix { $0.isASCII && $0.isNumber }
      let units = ["kbit": 1000, "mbit": 1_000_000]
      guard let number = Int(digits), let unit = units[String(text.dropFirst(digits.count))] else { return nil }
      let (bits, overflow) = number.multipliedReportingOverflow(by: unit)
      return !overflow && (1000...1_000_000_000).contains(bits) ? bits : nil
    }, show: { $0 % 1_000_000 == 0 ? "\($0 / 1_000_000)mbit" : "\($0 / 1000)kbit" })
}
