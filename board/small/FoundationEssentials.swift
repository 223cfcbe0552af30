// What swift-argument-parser uses of FoundationEssentials, and nothing else: the whole of it is five of the seventeen
// megabytes that the command line would have. Only `build_small` in board/lib.sh compiles against it.

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

public struct Data {
  let bytes: [UInt8]
}

/// The parser writes JSON only for `--experimental-dump-help`, which then prints nothing.
public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  public var outputFormatting: OutputFormatting = []
  public init() {}
  public func encode<T: Encodable>(_ value: T) throws -> Data { Data(bytes: []) }
}

extension String {
  public enum Encoding { case utf8 }

  public init?(data: Data, encoding: Encoding) { self = String(decoding: data.bytes, as: UTF8.self) }
}
