// Varlink: JSON objects over a stream socket, each ended by a zero byte. A call names a method; a reply carries
// parameters or an error.

package import Reasons

/// Limits of the protocol.
package enum VarlinkLimits {
  /// Bytes of a call with its zero byte. The longest legal one is far below a kilobyte; the rest is for clients that
  /// pretty-print.
  package static let call = 256 << 10
  /// Bytes of a reply for the client: a thousand candidates of half a kilobyte, sixteen times over.
  package static let reply = 8 << 20
}

/// A call of a client.
package struct VarlinkCall: Sendable {
  package var method: String
  package var parameters: JSON
  /// The client reads several replies.
  package var more = false
  /// The client reads no reply.
  package var oneway = false

  /// The interface: everything before the last dot.
  package var interface: Substring { method.lastIndex(of: ".").map { method[..<$0] } ?? "" }
  package var member: Substring { method.lastIndex(of: ".").map { method[method.index(after: $0)...] } ?? method[...] }

  /// - Throws: `controlMalformed`; then the stream cannot be trusted any more.
  package init(_ message: [UInt8]) throws(HearthError) {
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
      case ("more", _), ("oneway", _), ("upgrade", _):
        throw HearthError(.controlMalformed, "'\(member.key)' has a value it cannot have")
      default: break
      }
    }
  }

  package init(_ method: String, _ parameters: JSON = [:], more: Bool = false) {
    self.method = method
    self.parameters = parameters
    self.more = more
  }

  package var message: [UInt8] {
    var call: [JSON.Member] = [JSON.Member("method", .string(method)), JSON.Member("parameters", parameters)]
    if more { call.append(JSON.Member("more", true)) }
    return JSON.object(call).compact
  }
}

/// A reply of a server.
package enum VarlinkReply {
  /// Reads parameters, and whether another reply follows.
  ///
  /// - Throws: `controlMalformed` for a message that is no reply; the error of a refused call.
  package static func read(_ message: [UInt8], to method: String) throws(HearthError) -> (
    parameters: JSON, continues: Bool
  ) {
    let json: JSON
    do throws(JSONError) { json = try JSON.parse(message) } catch {
      throw HearthError(
        .controlMalformed, "the answer to \(method) is not JSON: \(error.problem) at byte \(error.offset)")
    }
    let parameters = json["parameters"] ?? [:]
    if let error = json["error"] { throw VarlinkError.decode(error.text ?? "", parameters, method: method) }
    return (parameters, json["continues"]?.isTrue ?? false)
  }
}

/// The reason why a call is refused.
package enum VarlinkError: Error, Sendable, Hashable {
  case interfaceNotFound(String)
  case methodNotFound(String)
  case invalidParameter(String)
  /// The method answers several times; the call must say `more`.
  case expectedMore
  /// The hub's own refusal.
  case refused(HearthError)

  package var name: String {
    switch self {
    case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
    case .methodNotFound: "org.varlink.service.MethodNotFound"
    case .invalidParameter: "org.varlink.service.InvalidParameter"
    case .expectedMore: "org.varlink.service.ExpectedMore"
    case .refused: "\(InterfaceText.name).Refused"
    }
  }

  package var parameters: JSON {
    switch self {
    case .interfaceNotFound(let name): ["interface": .string(name)]
    case .methodNotFound(let name): ["method": .string(name)]
    case .invalidParameter(let name): ["parameter": .string(name)]
    case .expectedMore: [:]
    case .refused(let error): JSON(encoding: TroubleDocument(error))
    }
  }

  package var message: [UInt8] {
    let reply: JSON = ["error": .string(name), "parameters": parameters]
    return reply.compact
  }

  /// The client's error for an error reply.
  package static func decode(_ name: String, _ parameters: JSON, method: String) -> HearthError {
    switch name {
    case "\(InterfaceText.name).Refused":
      guard let trouble = try? parameters.decoded(TroubleDocument.self), let reason = Reason(code: trouble.code) else {
        return HearthError(.controlMalformed, "the daemon refused \(method) with a code this program does not know")
      }
      return HearthError(reason, trouble.detail)
    case "org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound",
      "org.varlink.service.MethodNotImplemented":
      return HearthError(.controlUnknownMethod, "the daemon does not know \(method)")
    case "org.varlink.service.InvalidParameter":
      return HearthError(
        .controlBadParameter, "the daemon does not accept '\(parameters["parameter"]?.text ?? "?")' of \(method)")
    default:
      return HearthError(.controlMalformed, "the daemon answered \(method) with \(name)")
    }
  }
}
