// Loading: the main file and its drop-ins become a configuration in one strict pass.

internal import Glibc
public import Reasons
internal import SettingsText

extension Configuration {
  /// Maximum number of drop-ins of a hub, far more than a person writes by hand.
  static let dropInLimit = 64

  /// Reads `path`, then the files `*.yaml` of its drop-in folder (`hearth.d/` for `hearth.yaml`), ordered by name.
  /// Later values win. The preset is applied first, whichever file names it.
  ///
  /// - Throws: `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue`. The detail starts with
  ///   `file:line:column`, or with the file alone if there is no line. The first error refuses the configuration.
  public static func load(path: String) throws(HearthError) -> Configuration { try load(path: path, main: nil) }

  /// Loads with `main` as the content of the main file: the configuration after such a change.
  static func load(path: String, main: [UInt8]?) throws(HearthError) -> Configuration {
    let files = try files(of: path, main: main)
    var settings: [(file: String, setting: Schema.Setting)] = []
    for file in files {
      let bytes = if file == path, let main { main } else { try contents(of: file) }
      guard let root = try YAMLReader.read(bytes, file: file) else { continue }
      for setting in try Schema.schema.settings(of: root, file: file) { settings.append((file, setting)) }
    }
    return try configuration(from: settings)
  }

  /// Whether a file exists at the path.
  public static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The main file and its drop-ins, in order. A main file at the default path may be missing.
  static func files(of path: String, main: [UInt8]? = nil) throws(HearthError) -> [String] {
    let isAbsentDefault = main == nil && path == defaultPath && access(path, F_OK) != 0 && errno == ENOENT
    let stem = path.hasSuffix(".yaml") ? String(path.dropLast(5)) : path
    return (isAbsentDefault ? [] : [path]) + (try dropIns(in: stem + ".d"))
  }

  private static func configuration(from settings: [(file: String, setting: Schema.Setting)]) throws(HearthError)
    -> Configuration
  {
    var scratch = Configuration()
    for (file, setting) in settings where setting.key.path == "hub.preset" { try scratch.apply(setting, file) }
    var configuration = Configuration(preset: scratch.hub.preset)
    for (file, setting) in settings { try configuration.apply(setting, file) }
    try configuration.checkProfiles(settings)
    return configuration
  }

  mutating func apply(_ setting: Schema.Setting, _ file: String) throws(HearthError) {
    try Schema.schema.apply(setting, file, to: &self)
    places[setting.key.path] = Place(file: file, line: setting.mark.line)
  }

  private static func dropIns(in folder: String) throws(HearthError) -> [String] {
    guard let directory = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw HearthError(.configUnreadable, "\(folder): \(errorText(errno))")
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(".") || !name.hasSuffix(".yaml") { continue }
      names.append(name)
      if names.count > dropInLimit { throw HearthError(.configUnreadable, "\(folder): more than \(dropInLimit) files") }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }
}
