// What swift-argument-parser uses of FoundationEssentials, and nothing else: the whole of it is five of the seventeen
// megabytes that the command line would have. Only `build_small` in board/lib.sh compiles against it and what lies beside it.

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

public struct Data {
  let bytes: [UInt8]
}

extension String {
  public enum Encoding { case utf8 }

  public init?(data: Data, encoding: Encoding) { self = String(decoding: data.bytes, as: UTF8.self) }
}
