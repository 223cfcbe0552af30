// Actions of a wearable that an operator may request.

public import EventLoop

/// Session with actions. Without this facet every action is refused.
@LoopActor
public protocol OperatedSession: WearableSession {
  /// Actions that an operator may request of this wearable.
  var actions: [WearableAction] { get }
  /// Performs one of `actions`.
  ///
  /// - Parameter arguments: words as the operator typed them, at most `WearableAction.argumentLimit`; untrusted.
  /// - Returns: the result in one sentence, after reading back.
  /// - Throws: `unsupported` for another action, and for invalid arguments, with the valid ones in its text.
  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String
}

/// Action that an operator can request of a wearable.
public struct WearableAction: Sendable, Hashable {
  /// `start-activity`: lower case, digits and '-'.
  public let name: String
  /// Effect of the action, one sentence for display.
  public let summary: String
  /// Arguments, as in a usage line: `TYPE [rate=HZ]`; empty without arguments.
  public let usage: String

  /// Maximum number of arguments of an action.
  public static let argumentLimit = 16

  /// An action; `usage`: its arguments, for people.
  public init(_ name: String, usage: String = "", _ summary: String) {
    self.name = name
    self.usage = usage
    self.summary = summary
  }
}

extension WearableSession {
  /// The facet for actions; nil without it.
  public var operated: (any OperatedSession)? { self as? any OperatedSession }
}
