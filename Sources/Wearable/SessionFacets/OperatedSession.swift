// What an operator may ask a wearable to do.

public import EventLoop

/// A session with actions. Without this facet every action is refused.
@LoopActor
public protocol OperatedSession: WearableSession {
  /// What an operator may ask for at this wearable.
  var actions: [WearableAction] { get }
  /// Does one of `actions`.
  ///
  /// - Parameter arguments: words as the operator gave them, at most `WearableAction.argumentLimit`; hostile.
  /// - Returns: what happened, one sentence, after reading back.
  /// - Throws: `unsupported` for another action, and for arguments that make no sense, saying which would.
  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String
}

/// Something an operator can ask of a wearable.
public struct WearableAction: Sendable, Hashable {
  /// `start-activity`: lower case, digits and '-'.
  public let name: String
  /// One sentence for people.
  public let summary: String
  /// What may follow it, as a usage line says it: `TYPE [rate=HZ]`; empty where nothing may.
  public let usage: String

  public static let argumentLimit = 16

  public init(_ name: String, usage: String = "", _ summary: String) {
    self.name = name
    self.usage = usage
    self.summary = summary
  }
}

extension WearableSession {
  /// What has actions; nil: nothing.
  public var operated: (any OperatedSession)? { self as? any OperatedSession }
}
