// How the server runs a method: reads its parameters, calls what implements it, and writes the reply.

internal import EventLoop
internal import HubProtocol
internal import Reasons

/// A method with its implementation.
struct ServedMethod: Sendable {
  let role: AccessRole
  /// The parameters of the last reply; nil if no reply remains to be sent.
  ///
  /// - Throws: `VarlinkError` for an invalid call; `HearthError` for a refusal.
  let perform: @LoopActor @Sendable (HubInterface) async throws -> JSON?

  static func answering<Method: HubMethod>(
    _ method: Method.Type,
    _ body: @escaping @LoopActor @Sendable (any AllMethods, Method.Parameters) async throws -> Method.Reply?
  ) -> ServedMethod {
    ServedMethod(role: method.role) { interface in
      let parameters = try method.parameters(interface.call.parameters)
      if method.streams, !interface.call.more { throw VarlinkError.expectedMore }
      return try await body(interface, parameters).map { JSON(encoding: $0) }
    }
  }

  static func doing<Method: HubMethod>(
    _ method: Method.Type,
    _ body: @escaping @LoopActor @Sendable (any AllMethods, Method.Parameters) async throws -> Void
  ) -> ServedMethod {
    ServedMethod(role: method.role) { interface in
      try await body(interface, try method.parameters(interface.call.parameters))
      return [:]
    }
  }
}

extension HubInterface {
  /// Runs the call.
  func perform(_ method: ServedMethod) async throws(VarlinkError) -> JSON? {
    do { return try await method.perform(self) } catch let error as VarlinkError { throw error } catch {
      throw .refused(Self.refusal(error))
    }
  }

  static func refusal(_ error: any Error) -> HearthError {
    error as? HearthError ?? HearthError(.controlMalformed, "\(error)")
  }
}
