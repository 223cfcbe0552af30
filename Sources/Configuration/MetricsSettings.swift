// The file for a collector of metrics: its allowed places, and the daemon's permission to write there.

internal import Glibc
internal import SettingsText

extension Configuration {
  /// The file that a collector reads.
  public struct Metrics: Sendable, Equatable {
    /// An absolute path that ends with `.prom`; nil: no file is written.
    public var file: String?
    /// Format of the file.
    public var format = MetricsFormat.prometheus
  }

  /// Text format of the metrics.
  public enum MetricsFormat: String, Sendable, CaseIterable {
    /// Text format 0.0.4 of Prometheus.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics = "openmetrics"
  }

  /// The reason why the daemon cannot write the file under its unit; nil: it can, or no file is configured. The text
  /// follows the place of the key.
  ///
  /// - Parameter unit: the lines of the unit and its drop-ins, in order; nil: no unit is installed, so the starter of
  ///   the daemon sets its permissions.
  func metricsProblem(unit: [String]? = UnitSandbox.installed()) -> String? {
    guard let file = metrics.file else { return nil }
    let place = folder(of: file)
    let sandbox = unit.map { UnitSandbox($0) }
    // Folders of the unit are made at its start.
    let isMade = sandbox?.made.contains { UnitSandbox.holds($0, place) } ?? (place == "/run/hearth")
    if !isMade, !Self.isThere(place) { return "metrics.file needs the folder \(place), which is not there" }
    guard let sandbox, sandbox.isStrict, !isMade, !sandbox.writable.contains(where: { UnitSandbox.holds($0, place) })
    else { return nil }
    return """
      metrics.file is \(file), and hearthd.service may not write there; take /run/hearth/metrics.prom, or add a line \
      ReadWritePaths=\(place) (sudo systemctl edit hearthd)
      """
  }
}

/// The folders that a systemd unit lets its program write.
struct UnitSandbox: Equatable {
  /// Whether writing is limited to the folders below (`ProtectSystem=strict`).
  var isStrict = false
  /// Folders that systemd makes for the unit.
  var made: [String] = []
  /// Folders that the unit may also write (`ReadWritePaths=`).
  var writable: [String] = []

  /// Reads a few keys as systemd.exec(5) defines them: a list adds to earlier ones, and an empty list clears them.
  init(_ lines: [String]) {
    for line in lines {
      guard let equals = line.firstIndex(of: "=") else { continue }
      let words = line[line.index(after: equals)...].split(whereSeparator: \.isWhitespace).map { String($0) }
      switch String(line[..<equals].filter { !$0.isWhitespace }) {
      case "ProtectSystem": isStrict = words == ["strict"]
      case "RuntimeDirectory": add(words, below: "/run")
      case "StateDirectory": add(words, below: "/var/lib")
      case "CacheDirectory": add(words, below: "/var/cache")
      case "LogsDirectory": add(words, below: "/var/log")
      case "ReadWritePaths":
        writable = words.isEmpty ? [] : writable + words.map { String($0.drop { $0 == "-" || $0 == "+" }) }
      default: break
      }
    }
  }

  private mutating func add(_ names: [String], below folder: String) {
    made = names.isEmpty ? made.filter { !Self.holds(folder, $0) } : made + names.map { "\(folder)/\($0)" }
  }

  /// Whether `path` is `folder` or below it.
  static func holds(_ folder: String, _ path: String) -> Bool {
    path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  /// The installed unit with its drop-ins, as systemd finds them; nil if no unit is installed.
  static func installed(
    _ name: String = "hearthd.service",
    in folders: [String] = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"]
  ) -> [String]? {
    guard let unit = folders.lazy.compactMap({ lines(of: "\($0)/\(name)") }).first else { return nil }
    // Drop-ins are ordered by name, whichever folder they are in. Of equal names the first folder's counts.
    var dropIns: [String: String] = [:]
    for folder in folders {
      for file in files(in: "\(folder)/\(name).d") where dropIns[file] == nil {
        dropIns[file] = "\(folder)/\(name).d/\(file)"
      }
    }
    return unit + dropIns.sorted { $0.key < $1.key }.flatMap { lines(of: $0.value) ?? [] }
  }

  private static func lines(of file: String) -> [String]? {
    guard let bytes = try? contents(of: file) else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  private static func files(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < 64, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

extension Kind<String> {
  /// A path with the only extension that collectors read.
  static let metricsFile = Kind(
    expects: "the path of a file from / on that ends with .prom, such as /run/hearth/metrics.prom",
    parse: { text, folder in
      guard text.hasPrefix("/"), text.hasSuffix(".prom"), !text.hasSuffix("/.prom") else { return nil }
      return Kind<String>.path(limit: 1024).parse(text, folder)
    }, show: { $0 })
}
