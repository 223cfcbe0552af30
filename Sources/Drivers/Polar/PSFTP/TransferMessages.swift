// Messages ("RFC60"): what stands before the parameters, by kind.

import PolarMessages

extension PSFTP {
  /// What is asked about a file or a directory. The numbers are on the wire.
  enum Command: UInt8, Sendable, CaseIterable {
    /// A file's content, or a directory's entries where the path ends in `/`.
    case get = 0
    /// Writes a file anew.
    case put = 1
    /// Writes into a file what it does not have yet.
    case merge = 2
    /// A file, or a directory with all that is in it.
    case remove = 3

    /// For people.
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
    /// For people: `reading /U/0/`.
    let what: String
    /// Asking again does no harm.
    let isRepeatable: Bool
    /// Packets after which the wearable is heard: one in so many is written with response; 0 for none.
    let paceEvery: Int
    let patience: Duration

    /// Bytes of a path: a 15-bit length takes more, but no file system of theirs is as deep.
    static let pathLimit = 1024
    /// Written files take a packet with response now and then, or they outrun the wearable's buffers.
    static let writePace = 5

    /// | offset | size | field |
    /// |---|---|---|
    /// | 0 | 2 | bytes of the operation, 15 bits, little-endian, top bit 0 |
    /// | 2 | n | operation, a protobuf message |
    /// | 2 + n | … | the file's content, when one is written |
    ///
    /// nil for a path that is no absolute one, or longer than `pathLimit`.
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

    /// | offset | size | field |
    /// |---|---|---|
    /// | 0 | 2 | number of the query, 15 bits, little-endian, top bit 1 |
    /// | 2 | … | its parameters, a protobuf message |
    static func query(_ query: Query, _ parameters: [UInt8] = []) -> Message {
      let head = [UInt8(truncatingIfNeeded: query.rawValue), UInt8(truncatingIfNeeded: query.rawValue >> 8) | 0x80]
      return Message(
        bytes: head + parameters, what: query.name, isRepeatable: false, paceEvery: 0, patience: PSFTP.patience)
    }

    /// The operation alone.
    static func operation(_ command: Command, _ path: String) -> [UInt8]? {
      var operation = PbPFtpOperation()
      operation.command = PbPFtpOperation.Command(rawValue: Int(command.rawValue)) ?? .get
      operation.path = path
      return try? operation.wire()
    }
  }

  /// A message for the other characteristic: its number, one byte, and its parameters.
  static func notification(_ kind: HostNotification, _ parameters: [UInt8] = []) -> [UInt8] {
    [kind.rawValue] + parameters
  }
}
