// A method of the interface: its parameters with their bounds, its reply, and the role that it needs.

/// Roles of clients. Each role includes those before it.
public enum AccessRole: Int, Sendable, Comparable, CaseIterable {
  /// Status, wearables, samples, exports.
  case read
  /// Visits, enrolment, links, orders, wearers and their assignments.
  case operate
  /// Actions that cannot be undone: forgetting, keys, secrets, deletions, resets of the radio.
  case administer

  public static func < (a: AccessRole, b: AccessRole) -> Bool { a.rawValue < b.rawValue }

  /// Name of the role as an activity.
  public var word: String {
    switch self {
    case .read: "reading"
    case .operate: "operating"
    case .administer: "administering"
    }
  }
}

/// The bounds of one parameter.
public struct Bound: Sendable, Hashable {
  /// Name of the parameter.
  public var name: String
  /// Range of a number, or of each number of a map.
  public var range: ClosedRange<Int64>
  /// Maximum number of entries of a list or a map.
  public var count: Int

  init(_ name: String, range: ClosedRange<Int64> = .min ... .max, count: Int = .max) {
    (self.name, self.range, self.count) = (name, range, count)
  }

  func admits(_ value: JSON) -> Bool {
    switch value {
    case .integer(let number): range.contains(number)
    case .decimal: false
    case .array(let items): items.count <= count
    case .object(let members): members.count <= count && members.allSatisfy { admits($0.value) }
    default: true
    }
  }
}

/// A method of `io.hearth.Hub`; `Methods` has them all.
public protocol HubMethod: Sendable {
  associatedtype Parameters: Codable & Sendable
  associatedtype Reply: Codable & Sendable

  static var name: String { get }
  /// Minimum role of a caller.
  static var role: AccessRole { get }
  /// Names of its parameters.
  static var members: [String] { get }
  static var bounds: [Bound] { get }
  /// The reply has measured values, so that each call is logged for `Accesses`.
  static var givesMeasurements: Bool { get }
  /// Sends replies until the client hangs up or the stream ends; only for calls with `more`.
  static var streams: Bool { get }
}

extension HubMethod {
  /// Bounds of parameters; by default there are none.
  public static var bounds: [Bound] { [] }
  /// False: the reply has no measurements.
  public static var givesMeasurements: Bool { false }
  /// False: one reply.
  public static var streams: Bool { false }

  /// Reads the parameters of a call.
  ///
  /// - Throws: `invalidParameter` with the first parameter that is missing, unknown, of another type or out of its
  ///   bounds. A mistyped name is never ignored.
  package static func parameters(_ json: JSON) throws(VarlinkError) -> Parameters {
    let parameters: Parameters
    do throws(JSONMismatch) { parameters = try json.decoded() } catch {
      throw .invalidParameter(String(error.path.prefix { $0 != "." }))
    }
    guard case .object(let given) = json else { return parameters }
    for member in given {
      let isBounded = bounds.allSatisfy { $0.name != member.key || $0.admits(member.value) }
      if !members.contains(member.key) || !isBounded || !Self.isText(member.value) {
        throw .invalidParameter(member.key)
      }
    }
    return parameters
  }

  /// Texts have 1 to 256 bytes each.
  private static func isText(_ value: JSON) -> Bool {
    switch value {
    case .string(let text): (1...256).contains(text.utf8.count)
    case .array(let items): items.allSatisfy { isText($0) }
    default: true
    }
  }
}
