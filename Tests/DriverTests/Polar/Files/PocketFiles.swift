// The files of a vector, read as from a wearable: what is not there is not there, and every request is written down.

@testable import DriverTestSupport
@testable import PolarFamily

struct PocketFiles {
  private let directories: [String: PolarVectors.Value]
  private let files: [String: PolarVectors.Value]
  private(set) var requests: [String] = []

  init(_ input: [String: PolarVectors.Value]) {
    directories = input["directories"]?.object ?? [:]
    files = input["files"]?.object ?? [:]
  }

  /// nil is error 103: no such name.
  mutating func list(_ path: String) -> [(name: String, size: UInt64)]? {
    requests.append(path)
    return directories[path]?.list?.compactMap { entry in
      guard let pair = entry.list, pair.count == 2, let name = pair[0].text else { return nil }
      return (name, pair[1].uint ?? 0)
    }
  }

  mutating func get(_ path: String) -> [UInt8]? {
    requests.append(path)
    return files[path]?.bytes
  }

  /// The content of a file that may be missing.
  mutating func contents(_ path: String) throws -> FileContents? {
    guard let bytes = get(path) else { return nil }
    return try Self.contents(path, bytes)
  }

  static func contents(_ path: String, _ bytes: [UInt8]) throws -> FileContents {
    guard let file = PolarFile(path: path) else { throw Unknown(path: path) }
    return try bytes.withUnsafeBytes { try FileContents(file, $0) }
  }

  struct Unknown: Error { let path: String }

  var paths: [String] { files.keys.sorted() }
}
