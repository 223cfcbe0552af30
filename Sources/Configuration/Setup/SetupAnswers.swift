// The six questions of `hearth setup`, with their keys and valid answers.

internal import Glibc
internal import SettingsText

/// A question of the set-up; the cases are in the order of asking. The raw value is the key in hearth-setup.yaml.
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

  /// The valid answers, as text that completes "X is not …".
  public var expects: String {
    switch self {
    case .users: "names of at most \(SetupAnswers.userLimit) users of this machine, or none"
    default: Schema.keys.first { $0.path == key }?.expects ?? ""
    }
  }
}

/// Checked answers: each is text that its key accepts.
public struct SetupAnswers: Sendable, Equatable {
  /// Maximum number of users that a set-up may add. A hub has a handful of technicians.
  public static let userLimit = 16

  /// Answers by question. Settings without an answer stay as they are.
  public private(set) var values: [SetupQuestion: String] = [:]
  /// Users that get permission to query the hub, in addition to present ones; nil: not answered.
  public private(set) var users: [String]?

  /// Creates an empty set of answers.
  public init() {}

  /// Takes an answer. For users, `none` adds no user.
  ///
  /// - Parameter folder: the base of a relative path of a board file.
  /// - Returns: whether the answer is valid.
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

  /// - Returns: whether all are valid user names.
  public mutating func take(users names: [String]) -> Bool {
    guard names.count <= Self.userLimit, names.allSatisfy(Self.isUserName) else { return false }
    var seen: Set<String> = []
    users = names.filter { seen.insert($0).inserted }
    return true
  }

  /// Names as Debian's adduser makes them, harmless as arguments: at most 32 letters, digits, `.`, `_` and `-`, without
  /// a dash at the beginning.
  private static func isUserName(_ name: String) -> Bool {
    !name.isEmpty && name != "none" && name.utf8.count <= 32 && name.utf8.first != 0x2D
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x5F].contains($0)
      }
  }
}

extension SetupAnswers {
  /// The present configuration as answers, for each question with a key.
  public init(_ configuration: Configuration) {
    for question in SetupQuestion.allCases {
      guard let key = Schema.keys.first(where: { $0.path == question.key }) else { continue }
      values[question] = key.show(configuration)
    }
  }
}

extension Configuration {
  /// Whether a file sets this key.
  public func isSet(_ key: String) -> Bool { places[key] != nil }

  /// Whether a file sets any key.
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
