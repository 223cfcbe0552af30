// What `hearth setup` asks: six questions, the key that each belongs to, and what may be answered.

internal import Glibc
internal import SettingsText

/// In the order in which they are asked. The raw value is the key in hearth-setup.yaml.
public enum SetupQuestion: String, CaseIterable, Sendable {
  case name, preset, zone, lights, enrolment
  case users = "who_may_ask"

  /// The key of the configuration; nil: the answer changes a group of the machine.
  public var key: String? {
    switch self {
    case .name: "hub.name"
    case .preset: "hub.preset"
    case .zone: "hub.timezone"
    case .lights: "lights.board"
    case .enrolment: "enroll.mode"
    case .users: nil
    }
  }

  /// What may be answered, as it completes "X is not …".
  public var expects: String {
    switch self {
    case .users: "names of at most \(SetupAnswers.userLimit) users of this machine, or none"
    default: Schema.keys.first { $0.path == key }?.expects ?? ""
    }
  }
}

/// The answers as text that was looked at: each value is one that its key takes.
public struct SetupAnswers: Sendable, Equatable {
  /// Users that one set-up lets ask. A hub has a handful of technicians.
  public static let userLimit = 16

  /// What was answered, by question; the others stay as they are.
  public private(set) var values: [SetupQuestion: String] = [:]
  /// Who may ask from now on, beside those who may already; nil: nobody said.
  public private(set) var users: [String]?

  public init() {}

  /// Takes one answer. `none` for users is nobody more.
  ///
  /// - Parameter folder: where a relative path of a board file starts.
  /// - Returns: whether it fits.
  public mutating func take(_ question: SetupQuestion, _ text: String, folder: String = "/etc/hearth") -> Bool {
    guard let key = question.key else {
      let names = text.split { $0 == " " || $0 == "," }.map { String($0) }
      return take(users: names == ["none"] ? [] : names)
    }
    var scratch = Configuration()
    guard let found = Schema.keys.first(where: { $0.path == key }), found.apply(text, folder, &scratch) else {
      return false
    }
    values[question] = text
    return true
  }

  /// - Returns: whether all of them can be names of users.
  public mutating func take(users names: [String]) -> Bool {
    guard names.count <= Self.userLimit, names.allSatisfy(Self.isUserName) else { return false }
    var seen: Set<String> = []
    users = names.filter { seen.insert($0).inserted }
    return true
  }

  /// What Debian's adduser makes, and what is harmless as an argument: letters, digits, `.`, `_`, `-`, 32 at most, no
  /// dash at the beginning.
  private static func isUserName(_ name: String) -> Bool {
    !name.isEmpty && name != "none" && name.utf8.count <= 32 && name.utf8.first != 0x2D
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x5F].contains($0)
      }
  }
}

extension SetupAnswers {
  /// What holds, as answers: of a configuration, for each question that belongs to a key.
  public init(_ configuration: Configuration) {
    for question in SetupQuestion.allCases {
      guard let key = Schema.keys.first(where: { $0.path == question.key }) else { continue }
      values[question] = key.show(configuration)
    }
  }
}

extension Configuration {
  /// Whether a file said this key, and not the defaults of the preset.
  public func isSet(_ key: String) -> Bool { places[key] != nil }

  /// Whether somebody wrote something into its files.
  public var isChanged: Bool { !places.isEmpty }

  /// Names of the board files that `lights.board` finds, in order.
  public var boardNames: [String] {
    guard let directory = opendir(lights.boards) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < 100, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".yaml"), isPlainName(name) { names.append(String(name.dropLast(5))) }
    }
    return names.sorted()
  }
}
