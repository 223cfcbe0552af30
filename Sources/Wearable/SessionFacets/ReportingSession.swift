// Reports that a wearable gives on request.

public import EventLoop

/// Session with reports. Without this facet every report is refused.
@LoopActor
public protocol ReportingSession: WearableSession {
  /// Names for `report`: topics that can be read from this wearable now.
  var reports: [String] { get }
  /// - Throws: `unsupported` for a topic outside `reports`.
  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow]
}

/// Row of a report: a thing and its properties, in an order that people can read.
public struct ReportRow: Sendable, Hashable {
  /// Field of a row.
  public struct Field: Sendable, Hashable {
    /// Lower case, digits and `_`.
    public let name: String
    /// Value for people and programs: numbers with their unit in the field's name, times as RFC 3339.
    public let value: String

    /// A field by name and text.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Lower case, digits, `-` and `_`; unique within a report.
  public let name: String
  /// Fields of the row.
  public let fields: [Field]

  /// A row by name.
  public init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}

extension WearableSession {
  /// The facet for reports; nil without it.
  public var reporting: (any ReportingSession)? { self as? any ReportingSession }
}
