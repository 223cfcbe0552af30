// Varlink: JSON objects over a stream socket, each ended by a zero byte. A call names a method; a reply carries parameters or an error.

internal import Reasons

/// Limits of the protocol.
enum VarlinkLimits {
  /// One call with its zero byte. The longest legal one is far below a kilobyte; this leaves room for clients that pretty-print.
  static let call = 256 << 10
  /// One reply, as the client reads it: a thousand candidates of half a kilobyte, sixteen times over.
  static let reply = 8 << 20
}

/// One call of a client.
struct VarlinkCall: Sendable {
  var method: String
  var parameters: JSON
  /// The client reads several replies.
  var more = false
  /// The client reads none.
  var oneway = false

  /// The interface: everything before the last dot.
  var interface: Substring { method.lastIndex(of: ".").map { method[..<$0] } ?? "" }
  var member: Substring { method.lastIndex(of: ".").map { method[method.index(after: $0)...] } ?? method[...] }

  /// - Throws: `controlMalformed`; after it the stream cannot be trusted any more.
  init(_ message: [UInt8]) throws(HearthError) {
    let json: JSON
    do throws(JSONError) { json = try JSON.parse(message) } catch {
      throw HearthError(.controlMalformed, "a call that is not JSON: \(error.problem) at byte \(error.offset)")
    }
    guard case .object(let members) = json else { throw HearthError(.controlMalformed, "a call that is not an object") }
    guard let method = json["method"]?.text else { throw HearthError(.controlMalformed, "a call without a method") }
    self.method = method
    parameters = json["parameters"] ?? [:]
    if parameters == .null { parameters = [:] }
    guard case .object = parameters else { throw HearthError(.controlMalformed, "parameters that are not an object") }
    for member in members {
      switch (member.key, member.value) {
      case ("method", _), ("parameters", _): break
      case ("more", .bool(let truth)): more = truth
      case ("oneway", .bool(let truth)): oneway = truth
      case ("upgrade", .bool(false)): break
      case ("more", _), ("oneway", _), ("upgrade", _): throw HearthError(.controlMalformed, "'\(member.key)' has a value it cannot have")
      default: break
      }
    }
  }

  init(_ method: String, _ parameters: JSON = [:], more: Bool = false) {
    self.method = method
    self.parameters = parameters
    self.more = more
  }

  var message: [UInt8] {
    var call: [JSON.Member] = [JSON.Member("method", .string(method)), JSON.Member("parameters", parameters)]
    if more { call.append(JSON.Member("more", true)) }
    return JSON.object(call).compact
  }
}

/// Why a call is not answered with what it asked for.
enum VarlinkError: Error, Sendable, Hashable {
  case interfaceNotFound(String)
  case methodNotFound(String)
  case invalidParameter(String)
  /// The method answers several times; the call must say `more`.
  case expectedMore
  /// The hub's own refusal.
  case refused(HearthError)

  var name: String {
    switch self {
    case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
    case .methodNotFound: "org.varlink.service.MethodNotFound"
    case .invalidParameter: "org.varlink.service.InvalidParameter"
    case .expectedMore: "org.varlink.service.ExpectedMore"
    case .refused: "\(HubInterface.name).Refused"
    }
  }

  var parameters: JSON {
    switch self {
    case .interfaceNotFound(let name): ["interface": .string(name)]
    case .methodNotFound(let name): ["method": .string(name)]
    case .invalidParameter(let name): ["parameter": .string(name)]
    case .expectedMore: [:]
    case .refused(let error): JSON(encoding: TroubleDocument(error))
    }
  }

  var message: [UInt8] {
    let reply: JSON = ["error": .string(name), "parameters": parameters]
    return reply.compact
  }

  /// What a client makes of an error reply.
  static func decode(_ name: String, _ parameters: JSON, method: String) -> HearthError {
    switch name {
    case "\(HubInterface.name).Refused":
      guard let trouble = try? parameters.decoded(TroubleDocument.self), let reason = Reason(code: trouble.code) else {
        return HearthError(.controlMalformed, "the daemon refused \(method) with a code this program does not know")
      }
      return HearthError(reason, trouble.detail)
    case "org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented":
      return HearthError(.controlUnknownMethod, "the daemon does not know \(method)")
    case "org.varlink.service.InvalidParameter":
      return HearthError(.controlBadParameter, "the daemon does not accept '\(parameters["parameter"]?.text ?? "?")' of \(method)")
    default:
      return HearthError(.controlMalformed, "the daemon answered \(method) with \(name)")
    }
  }
}

/// The parameters of one call, each taken once; what nobody took is an error, so that a mistyped name is never ignored.
struct Parameters {
  private var members: [JSON.Member]

  init(_ json: JSON) {
    if case .object(let members) = json { self.members = members } else { members = [] }
  }

  private mutating func take(_ name: String) -> JSON? {
    guard let index = members.firstIndex(where: { $0.key == name }) else { return nil }
    let value = members.remove(at: index).value
    return value == .null ? nil : value
  }

  /// Of any form; whoever takes it checks it.
  mutating func value(_ name: String) -> JSON? { take(name) }

  /// Text of 1 to 256 bytes.
  mutating func text(_ name: String) throws(VarlinkError) -> String {
    guard let text = try optionalText(name) else { throw .invalidParameter(name) }
    return text
  }

  mutating func optionalText(_ name: String) throws(VarlinkError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.text, (1...256).contains(text.utf8.count) else { throw .invalidParameter(name) }
    return text
  }

  /// Texts of 1 to 256 bytes each.
  mutating func optionalTexts(_ name: String, atMost limit: Int) throws(VarlinkError) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .array(let items) = value, items.count <= limit else { throw .invalidParameter(name) }
    var texts: [String] = []
    for item in items {
      guard let text = item.text, (1...256).contains(text.utf8.count) else { throw .invalidParameter(name) }
      texts.append(text)
    }
    return texts
  }

  mutating func optionalInteger(_ name: String, _ range: ClosedRange<Int64>) throws(VarlinkError) -> Int64? {
    guard let value = take(name) else { return nil }
    guard case .integer(let number) = value, range.contains(number) else { throw .invalidParameter(name) }
    return number
  }

  /// Whole numbers by name, in their order.
  mutating func optionalIntegers(_ name: String, _ range: ClosedRange<Int64>, atMost limit: Int) throws(VarlinkError) -> [(name: String, value: Int64)]? {
    try optionalByName(name, atMost: limit) { if case .integer(let number) = $0, range.contains(number) { number } else { nil } }
  }

  /// Texts by name, in their order.
  mutating func optionalTextsByName(_ name: String, atMost limit: Int) throws(VarlinkError) -> [(name: String, value: String)]? {
    try optionalByName(name, atMost: limit) { if case .string(let text) = $0 { text } else { nil } }
  }

  /// - Parameter read: nil for what is no value.
  private mutating func optionalByName<Value>(_ name: String, atMost limit: Int, _ read: (JSON) -> Value?) throws(VarlinkError) -> [(name: String, value: Value)]? {
    guard let value = take(name) else { return nil }
    guard case .object(let members) = value, members.count <= limit else { throw .invalidParameter(name) }
    var values: [(name: String, value: Value)] = []
    for member in members {
      guard let value = read(member.value) else { throw .invalidParameter(name) }
      values.append((member.key, value))
    }
    return values
  }

  mutating func optionalTruth(_ name: String) throws(VarlinkError) -> Bool? {
    guard let value = take(name) else { return nil }
    guard case .bool(let truth) = value else { throw .invalidParameter(name) }
    return truth
  }

  func end() throws(VarlinkError) {
    if let left = members.first { throw .invalidParameter(left.key) }
  }
}
