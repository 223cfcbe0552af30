// What swift-argument-parser and swift-protobuf use of FoundationEssentials, and nothing else: the whole of it is five
// megabytes of each program that links it. Only `build_release` in board/lib.sh compiles against this and what lies
// beside it; another use in a newer version of the two does not compile.

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

extension String {
  public enum Encoding: Sendable { case utf8 }

  public init?(data: Data, encoding: Encoding) {
    self.init(validating: data.bytes, as: UTF8.self)
  }

  public func data(using encoding: Encoding) -> Data? { Data(utf8) }
}

public typealias TimeInterval = Double

/// A moment, as the conversions of a protobuf time stamp want it. Nothing here calls them.
public struct Date: Hashable, Sendable {
  /// Seconds from 1970-01-01 to 2001-01-01.
  public static let timeIntervalBetween1970AndReferenceDate: TimeInterval = 978_307_200

  public var timeIntervalSinceReferenceDate: TimeInterval

  public init(timeIntervalSinceReferenceDate seconds: TimeInterval) { timeIntervalSinceReferenceDate = seconds }
}
