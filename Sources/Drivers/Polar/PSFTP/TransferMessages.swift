// Messages ("RFC60"): the header before the parameters, by kind.

import PolarMessages

extension PSFTP {
  /// Operations on a file or a directory. The numbers are on the wire.
  enum Command: UInt8, Sendable, CaseIterable {
    /// Reads the content of a file, or the entries of a directory if the path ends in `/`.
    case get = 0
    /// Writes a file, replacing the old one.
    case put = 1
    /// Adds content that a file does not have yet.
    case merge = 2
    /// Removes a file, or a directory with its content.
    case remove = 3

    /// Name for messages to people.
    var name: String {
      switch self {
      case .get: "reading"
      case .put: "writing"
      case .merge: "merging"
      case .remove: "removing"
      }
    }
  }

  /// A message for the transfer characteristic.
  struct Message: Sendable, Hashable {
    let bytes: [UInt8]
    /// Text for messages to people: `reading /U/0/`.
    let what: String
    /// Repeating it has no side effect.
    let isRepeatable: Bool
    /// Number of packets between two writes with response, which let the wearable catch up; 0: never with response.
    let paceEvery: Int
    let patience: Duration

    /// Longest path, in bytes. The 15-bit length allows more, but no file system of these wearables is as deep.
    static let pathLimit = 1024
    /// Pace of a written file. Without a packet with response in between it overflows the wearable's buffers.
    static let writePace = 5

    /// A message of an operation on a path.
    ///
    ///     offset   size
    ///     0        2      bytes of the operation, 15 bits, little-endian, top bit 0
    ///     2        n      operation, a protobuf message
    ///     2 + n    …      the file's content, when one is written
    ///
    /// nil for a path that is not absolute, or longer than `pathLimit`.
    static func request(_ command: Command, _ path: String, content: [UInt8] = []) -> Message? {
      guard path.hasPrefix("/"), path.utf8.count <= pathLimit, let operation = operation(command, path) else {
        return nil
      }
      var bytes: [UInt8] = [
        UInt8(truncatingIfNeeded: operation.count), UInt8(truncatingIfNeeded: operation.count >> 8 & 0x7F),
      ]
      bytes.reserveCapacity(2 + operation.count + content.count)
      bytes += operation
      bytes += content
      let writes = command == .put || command == .merge
      return Message(
        bytes: bytes, what: "\(command.name) \(path)", isRepeatable: command == .get, paceEvery: writes ? writePace : 0,
        patience: PSFTP.patience(for: path))
    }

    /// A message of a query.
    ///
    ///     offset   size
    ///     0        2      number of the query, 15 bits, little-endian, top bit 1
    ///     2        …      its parameters, a protobuf message
    static func query(_ query: Query, _ parameters: [UInt8] = []) -> Message {
      let head = [UInt8(truncatingIfNeeded: query.rawValue), UInt8(truncatingIfNeeded: query.rawValue >> 8) | 0x80]
      return Message(
        bytes: head + parameters, what: query.name, isRepeatable: false, paceEvery: 0, patience: PSFTP.patience)
    }

    /// The operation as a protobuf message, without the length before it.
    static func operation(_ command: Command, _ path: String) -> [UInt8]? {
      var operation = PbPFtpOperation()
      operation.command = PbPFtpOperation.Command(rawValue: Int(command.rawValue)) ?? .get
      operation.path = path
      return try? operation.wire()
    }
  }

  /// A notification for the H2D characteristic: its number in one byte, and its parameters.
  static func notification(_ kind: HostNotification, _ parameters: [UInt8] = []) -> [UInt8] {
    [kind.rawValue] + parameters
  }
}
