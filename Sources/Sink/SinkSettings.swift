// Settings of a sink with all defaults; config/sink.yaml lists them.

public import Reasons
internal import SettingsText

/// Settings of one sink, as in config/sink.yaml.
public struct SinkSettings: Sendable {
  /// Connection to the broker.
  public struct Broker: Sendable {
    /// Servers, tried one after another: a cluster has several.
    public var addresses = [BrokerAddress(host: "localhost", port: 1883)]
    /// Version of MQTT; `automatic` begins with 5 and falls back to 3.1.1.
    public var version = Version.automatic
    /// nil: `hearth-sink` and the name of this machine.
    public var client: String?
    /// User name, if any.
    public var user: String?
    /// File with the password, if any.
    public var passwordFile: String?
    /// True with TLS.
    public var isSecure = false
    /// File of trusted authorities; nil: the system's.
    public var trusted: String?
    /// File of the client's certificate, if any.
    public var certificate: String?
    /// File of its private key.
    public var key: String?
    /// Name of a shared subscription: several sinks with this name share the batches.
    public var group: String?
    /// Share of the hubs.
    public var part = SinkPart.all
    /// Whether births and deaths are received. NATS 2.9 accepts no topics with a dot.
    public var hearsSparkplug = true
    /// Time that the broker keeps the session of an absent sink, a week.
    public var session: Duration = .seconds(7 * 86_400)
    /// Maximum number of messages without an acknowledgement.
    public var inFlight = 256
    /// Silence of a subscription until the connection is renewed; nil: unlimited.
    public var silence: Duration? = .seconds(120)
  }

  /// Choice of the version of MQTT.
  public enum Version: String, CaseIterable, Sendable {
    case automatic = "auto"
    case v5 = "5"
    case v311 = "3.1.1"
  }

  /// Connection to PostgreSQL.
  public struct Database: Sendable {
    /// libpq connection string: `host=… dbname=…` or `postgresql://…`. Without a password file, PGPASSFILE names it.
    public var address = "dbname=hearth"
    /// Highest number of messages in quarantine.
    public var quarantine = 1000
    /// Time before another hub may take the store of one that left or died, a day.
    public var takeover: Duration = .seconds(86_400)
    /// Approximate rows of one transaction.
    public var groupRows = 50_000
    /// Time that a group waits for further messages; 0: only while the previous one is being written.
    public var groupWait: Duration = .milliseconds(50)
  }

  /// Minimum level of lines that are logged.
  public enum LogLevel: String, CaseIterable, Sendable {
    case debug, info, warning, error
  }

  /// Connection to the broker.
  public var broker = Broker()
  /// Connection to the database.
  public var database = Database()
  /// Minimum level of lines that are logged.
  public var logLevel = LogLevel.info

  /// Creates settings with all defaults.
  public init() {}

  /// - Throws: `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue`, with file, line and column.
  public init(file: String) throws(HearthError) {
    self.init()
    try Self.schema.read(file, into: &self)
  }

  private typealias Key = SettingKey<SinkSettings>

  private static let schema = SettingsSchema(keys)

  private static let keys: [Key] = [
    Key("broker.address", \.broker.addresses, .addresses),
    Key("broker.version", \.broker.version, .choice()),
    Key("broker.client", \.broker.client, Kind<String>.word.orNone),
    Key("broker.user", \.broker.user, Kind<String>.word.orNone),
    Key("broker.password_file", \.broker.passwordFile, Kind<String>.path(limit: 1024).orNone),
    Key("broker.tls", \.broker.isSecure, .truth),
    Key("broker.ca", \.broker.trusted, Kind<String>.path(limit: 1024).orNone),
    Key("broker.certificate", \.broker.certificate, Kind<String>.path(limit: 1024).orNone),
    Key("broker.key", \.broker.key, Kind<String>.path(limit: 1024).orNone),
    Key("broker.group", \.broker.group, Kind<String>.name.orNone),
    Key("broker.part", \.broker.part, .part),
    Key("broker.sparkplug", \.broker.hearsSparkplug, .truth),
    Key("broker.session", \.broker.session, .duration(.seconds(60)...(.seconds(365 * 86_400)), example: "7d")),
    // Two bytes in the protocol. This many batches may be in memory at the same time.
    Key("broker.in_flight", \.broker.inFlight, .number(1...4096, "a number of messages")),
    Key(
      "broker.silence", \.broker.silence,
      Kind<Duration>.duration(.seconds(1)...(.seconds(3600)), example: "2m").orNone),
    Key("database.address", \.database.address, .line),
    Key("database.quarantine", \.database.quarantine, .number(0...1_000_000, "a number of messages")),
    Key("database.takeover", \.database.takeover, .duration(.seconds(1)...(.seconds(365 * 86_400)), example: "1d")),
    Key("database.group.rows", \.database.groupRows, .number(1...1_000_000, "a number of rows")),
    Key("database.group.wait", \.database.groupWait, .duration(.seconds(0)...(.seconds(60)), example: "50ms")),
    Key("log.level", \.logLevel, .choice()),
  ]
}

extension Kind<String> {
  /// Word without control characters, as in names of hosts, users and clients.
  fileprivate static let word = Kind(
    expects: "one word of 1 to 255 bytes",
    parse: { text, _ in
      (1...255).contains(text.utf8.count) && !text.utf8.contains { $0 <= 0x20 || $0 == 0x7F } ? text : nil
    }, show: { $0 })

  fileprivate static let line = Kind(
    expects: "one line of at most 2048 bytes",
    parse: { text, _ in
      text.utf8.count <= 2048 && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F } ? text : nil
    }, show: { $0 })
}

extension Kind<[BrokerAddress]> {
  fileprivate static let addresses = Kind(
    expects: "HOST:PORT, or several of them with commas between",
    parse: { text, _ in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let addresses = parts.compactMap { BrokerAddress(String($0)) }
      return addresses.count == parts.count && addresses.count <= 16 ? addresses : nil
    }, show: { $0.map(\.text).joined(separator: ",") })
}

extension Kind<SinkPart> {
  fileprivate static let part = Kind(
    expects: "which of how many sinks this is, such as 2/3", parse: { text, _ in SinkPart(text) }, show: \.text)
}
