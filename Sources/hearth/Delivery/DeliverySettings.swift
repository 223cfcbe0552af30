// Settings of the scheduled export: config/export.yaml.

import Export
import Health
import Reasons
import SettingsText

/// Settings of one scheduled export; every missing key has its default.
struct DeliverySettings: Sendable, Equatable {
  static let defaultPath = "/etc/hearth/export.yaml"

  enum Names: String, Sendable, CaseIterable { case shown, pseudonyms, hidden }

  /// Folder of the files; nil: not configured.
  var to: String?
  /// Time between two runs.
  var every = Duration.seconds(86_400)
  /// Name of the state, and of the reader at the hub if there is no person.
  var cursor = "archive"
  var format = ExportFormat.ndjson
  /// Name or number of a person: samples of wearables while that person wore them. nil: of all times.
  var person: String?
  /// Names of wearables; empty: all.
  var devices: [String] = []
  /// Names of series; empty: all.
  var series: [String] = []
  /// With the bytes of records.
  var raw = true
  /// CSV: a row for each sample of a waveform.
  var explode = false
  /// NDJSON: with the places of rows.
  var ordinals = false
  /// csv-wide: length of a row.
  var step = TableStep.second
  /// FIT: the sport.
  var sport = FITSport.generic
  /// Bytes at which a file ends, and the next one begins.
  var size = 64 << 20
  /// True: the folder has to be on a file system that was mounted.
  var mounted = false
  var names = Names.shown
  var namesKey = "/etc/hearth/persons.key"
  /// `house`, or group and hub as `hearth/gym`; nil: those of this hub.
  var namesOf: String?
  var shiftDays = 0
  /// Folder of the state.
  var state = "/var/lib/hearth-export"

  /// Reads `path`.
  ///
  /// - Throws: as `read`; `configBadValue` without a folder.
  static func load(path: String) throws(HearthError) -> DeliverySettings {
    let settings = try read(path: path)
    if settings.to == nil {
      throw HearthError(.configBadValue, "\(path): to is not set: there is no folder to write to")
    }
    return settings
  }

  /// Reads `path`; a folder need not be named.
  ///
  /// - Throws: `configUnreadable`, `configSyntax`, `configUnknownKey` or `configBadValue` with file, line and column;
  ///   `configBadValue` also for contradictory settings.
  static func read(path: String) throws(HearthError) -> DeliverySettings {
    var settings = DeliverySettings()
    try schema.read(path, into: &settings)
    func refuse(_ why: String) -> HearthError { HearthError(.configBadValue, "\(path): \(why)") }
    if settings.explode, settings.format != .csv { throw refuse("explode is for format: csv") }
    if settings.ordinals, settings.format != .ndjson { throw refuse("ordinals is for format: ndjson") }
    if !settings.raw, !settings.format.isLines { throw refuse("raw is for format: ndjson and csv") }
    if settings.step != .second, settings.format != .csvWide { throw refuse("step is for format: csv-wide") }
    if settings.sport != .generic, settings.format != .fit { throw refuse("sport is for format: fit") }
    if let why = settings.tooMany ?? settings.misfit { throw refuse(why) }
    if settings.namesOf != nil, settings.names != .pseudonyms {
      throw refuse("names_of is for names: pseudonyms")
    }
    return settings
  }

  /// Fault in the number of persons and wearables.
  private var tooMany: String? {
    if person != nil { return nil }
    if format == .rr { return "a file of rr is of one person: set person" }
    return format.isBytes && devices.count != 1
      ? "a file of \(format.rawValue) is of one person or wearable: set person, or one name in devices" : nil
  }

  /// Fault in the list of series.
  private var misfit: String? {
    let known = format.series
    guard !known.isEmpty, let other = series.first(where: { !known.contains($0) }) else { return nil }
    return "format: \(format.rawValue) has no series \(other): it has \(known.joined(separator: ", "))"
  }

  /// Names of the series to ask for; empty: all.
  var wanted: [String] { series.isEmpty ? format.series : series }

  /// The form of its files.
  var form: ExportForm {
    ExportForm(
      format: format, ordinals: ordinals, saysBytes: raw, isExploded: explode, step: step, sport: sport,
      isOfPerson: person != nil)
  }

  private typealias Key = SettingKey<DeliverySettings>
  private static let schema = SettingsSchema<DeliverySettings>([
    // With room for a file's name.
    Key("to", \.to, Kind<String>.path(limit: 1024).orNone),
    Key("every", \.every, .duration(.seconds(3600)...(.seconds(31 * 86_400)), example: "1d")),
    Key("cursor", \.cursor, .name),
    Key("format", \.format, .choice()),
    Key("person", \.person, Kind<String>.person.orNone),
    Key("devices", \.devices, .list("names of wearables") { !$0.isEmpty && $0.utf8.count <= 256 }),
    Key("series", \.series, .list("names of series") { Series(name: $0) != nil }),
    Key("raw", \.raw, .truth),
    Key("explode", \.explode, .truth),
    Key("ordinals", \.ordinals, .truth),
    Key("step", \.step, .choice()),
    Key("sport", \.sport, .choice()),
    Key("size", \.size, .bytes((1 << 20)...(1 << 30), example: "64MiB")),
    Key("mounted", \.mounted, .truth),
    Key("names", \.names, .choice()),
    Key("names_key", \.namesKey, .path(limit: 1024)),
    Key("names_of", \.namesOf, Kind<String>.reach.orNone),
    Key("shift_days", \.shiftDays, .number(RowMask.days, "a number of days")),
    Key("state", \.state, .path(limit: 1024)),
  ])
}

extension Kind<[String]> {
  /// At most 64 elements, separated by commas; `all` for none of them.
  fileprivate static func list(_ what: String, _ fits: @escaping @Sendable (String) -> Bool) -> Kind {
    Kind(
      expects: "all, or \(what) with commas", words: ["all"],
      parse: { text, _ in
        if text == "all" { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
          String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return parts.count <= 64 && parts.allSatisfy(fits) ? parts : nil
      }, show: { $0.isEmpty ? "all" : $0.joined(separator: ", ") })
  }
}

extension Kind<String> {
  fileprivate static let person = Kind(
    expects: "the name or the number of a person",
    parse: { text, _ in text.isEmpty || text.utf8.count > 256 ? nil : text }, show: { $0 })

  /// Who has the same pseudonyms.
  fileprivate static let reach = Kind(
    expects: "house, or a group and a hub as hearth/gym", words: ["house"],
    parse: { text, _ in
      if text == "house" { return text }
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { isPlainName(String($0)) } ? text : nil
    }, show: { $0 })
}
