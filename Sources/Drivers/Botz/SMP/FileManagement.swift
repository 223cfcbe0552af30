// File group of the management protocol: requests, and the meaning of their answers.

/// Group 8. The upload command can write to any file, so this type cannot express it. There is no command to list a
/// folder or to delete.
public enum FileManagement {
  /// Number of the group.
  public static let group: UInt16 = 8
  /// Longest file name that the insole accepts, bytes.
  public static let nameLimit = 64

  /// Request of the file group.
  public enum Request: Sendable, Hashable {
    case download(name: String, offset: Int)
    case status(name: String)
    /// Closes the file that was read last; the insole does so by itself after a second.
    case close

    /// Operation in the header: write to close, read for all others.
    public var operation: SMPHeader.Operation { self == .close ? .write : .read }

    /// Command number in the header.
    public var command: UInt8 {
      switch self {
      case .download: 0
      case .status: 1
      case .close: 4
      }
    }

    /// Content of the request.
    public var payload: CBOR {
      switch self {
      case .download(let name, let offset): .map(["off": .unsigned(UInt64(clamping: offset)), "name": .text(name)])
      case .status(let name): .map(["name": .text(name)])
      case .close: .map([])
      }
    }

    /// The request as a frame.
    public func frame(sequence: UInt8, version: UInt8 = 1) -> SMPFrame {
      SMPFrame(
        SMPHeader(operation, version: version, group: FileManagement.group, sequence: sequence, command: command),
        payload)
    }

    /// Parses a request to the insole; nil for any other frame.
    public init?(_ frame: SMPFrame) {
      guard frame.header.group == FileManagement.group, let payload = frame.payload else { return nil }
      var name: String?
      if case .text(let text)? = payload["name"], text.utf8.count <= FileManagement.nameLimit { name = text }
      switch (frame.header.operation, frame.header.command, name) {
      case (.read, 0, let name?):
        guard let offset = payload["off"]?.integer else { return nil }
        self = .download(name: name, offset: offset)
      case (.read, 1, let name?): self = .status(name: name)
      case (.write, 4, _): self = .close
      default: return nil
      }
    }
  }

  /// Reason for a failure, common to both versions of the protocol.
  public enum Failure: Sendable, Hashable {
    case notFound
    case busy
    /// A command that this build does not have.
    case notSupported
    /// Error number of the file group.
    case file(Int)
    /// Error number of the protocol itself.
    case general(Int)

    /// Description for display.
    public var text: String {
      switch self {
      case .notFound: "not found"
      case .busy: "busy"
      case .notSupported: "not supported"
      case .file(let code): Self.names[code] ?? "file error \(code)"
      case .general(let code): Self.generalNames[code] ?? "error \(code)"
      }
    }

    private static let names = [
      1: "unknown error", 2: "invalid name", 4: "it is a folder", 5: "cannot be opened", 6: "cannot be positioned",
      7: "cannot be read", 11: "invalid offset",
      12: "offset beyond the end", 14: "no such file system", 15: "read-only", 16: "empty", 17: "cannot be closed",
    ]
    private static let generalNames = [
      1: "unknown error", 2: "no memory", 3: "invalid argument", 4: "timeout", 7: "message too long",
      11: "access denied",
    ]

    /// nil if the answer reports no failure; `rc` 0 is no failure.
    public init?(_ payload: CBOR?) {
      guard let payload else { return nil }
      if let error = payload["err"] {
        let code = error["rc"]?.integer ?? 1
        guard code != 0 else { return nil }
        let isFile = error["group"]?.integer == Int(FileManagement.group)
        self = isFile ? (code == 3 ? .notFound : .file(code)) : Self.general(of: code)
      } else if let code = payload["rc"] {
        guard code != .unsigned(0) else { return nil }
        self = Self.general(of: code.integer ?? 1)
      } else {
        return nil
      }
    }

    private static func general(of code: Int) -> Failure {
      switch code {
      case 5: .notFound
      case 8: .notSupported
      case 10: .busy
      default: .general(code)
      }
    }

    /// Answer of an insole: `err` to requests of version 1, `rc` to those of version 0.
    public func payload(version: UInt8) -> CBOR {
      let (group, code): (UInt64, Int) =
        switch self {
        case .notFound: version == 0 ? (0, 5) : (8, 3)
        case .busy: (0, 10)
        case .notSupported: (0, 8)
        case .file(let code): version == 0 ? (0, code == 2 ? 3 : 1) : (8, code)
        case .general(let code): (0, code)
        }
      let number = CBOR.unsigned(UInt64(clamping: code))
      // Errors of the protocol itself have no group in either version.
      return group == 0 ? .map(["rc": number]) : .map(["err": .map(["group": .unsigned(group), "rc": number])])
    }
  }

  /// Part of a file.
  public struct Chunk: Sendable, Hashable {
    /// Offset in the file, in bytes.
    public let offset: Int
    /// Bytes of the part.
    public let data: [UInt8]
    /// Length of the whole file; only at offset 0.
    public let total: Int?

    /// A part; `total`: size of the file in bytes, in the first part only.
    public init(offset: Int, data: [UInt8], total: Int?) {
      self.offset = offset
      self.data = data
      self.total = total
    }

    /// nil if the answer does not belong to a download.
    public init?(_ payload: CBOR) {
      guard let offset = payload["off"]?.integer, let data = payload["data"]?.data else { return nil }
      if let total = payload["len"], total.integer == nil { return nil }
      self.init(offset: offset, data: data, total: payload["len"]?.integer)
    }

    /// Content of the answer.
    public var payload: CBOR {
      var pairs = [
        CBORPair(key: .text("off"), value: .unsigned(UInt64(clamping: offset))),
        CBORPair(key: .text("data"), value: .bytes(data)),
      ]
      if let total { pairs.append(CBORPair(key: .text("len"), value: .unsigned(UInt64(clamping: total)))) }
      return .map(pairs)
    }
  }
}
