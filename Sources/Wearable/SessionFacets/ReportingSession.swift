// What a wearable tells of itself when it is asked.

public import EventLoop

/// A session with reports. Without this facet every report is refused.
@LoopActor
public protocol ReportingSession: WearableSession {
  /// What can be told of this wearable, read from it now: names of `report`.
  var reports: [String] { get }
  /// - Throws: `unsupported` for a topic that is none of `reports`.
  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow]
}

/// One line of what a wearable tells of itself: a thing and its properties, in an order that people can read.
public struct ReportRow: Sendable, Hashable {
  public struct Field: Sendable, Hashable {
    /// Lower case, digits and `_`.
    public let name: String
    /// For people and programs: numbers with their unit in the field's name, times as RFC 3339.
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Lower case, digits, `-` and `_`; unique within a report.
  public let name: String
  public let fields: [Field]

  public init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}

extension WearableSession {
  /// What has reports; nil: nothing.
  public var reporting: (any ReportingSession)? { self as? any ReportingSession }
}
