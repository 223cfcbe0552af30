// Questions answered by functions of the schema, for the command line and for dashboards.

/// Question with its function in the schema.
public struct SinkQuestion: Sendable {
  /// Name of the question, and of its function in the schema `hearth`.
  public let name: String
  let bytes: [UInt8]

  /// Questions, by the names of their functions.
  public static let all: [SinkQuestion] = [
    SinkQuestion(name: "gym_day", bytes: PackageResources.gym_day_sql),
    SinkQuestion(name: "person_month", bytes: PackageResources.person_month_sql),
    SinkQuestion(name: "silent_hubs", bytes: PackageResources.silent_hubs_sql),
    SinkQuestion(name: "silent_wearables", bytes: PackageResources.silent_wearables_sql),
    SinkQuestion(name: "coverage", bytes: PackageResources.coverage_sql),
    SinkQuestion(name: "volume", bytes: PackageResources.volume_sql),
    SinkQuestion(name: "doubtful", bytes: PackageResources.doubtful_sql),
    SinkQuestion(name: "wanderers", bytes: PackageResources.wanderers_sql),
    SinkQuestion(name: "who_wore", bytes: PackageResources.who_wore_sql),
    SinkQuestion(name: "curve", bytes: PackageResources.curve_sql),
  ]

  /// First lines of its source: what it answers, and the values of `whom`.
  public var abstract: String {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix { $0.hasPrefix("-- ") }
    return lines.map { String($0.dropFirst(3)) }.joined(separator: " ")
  }
}
