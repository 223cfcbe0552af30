// The Record Access Control Point (2A52): requests for stored records, and responses.

import Bluetooth
import Wearable

/// Pulse Oximeter Service 1.0.1, section 3.5, and Generic Health Sensor Service 1.0.
///
///     request    0      operation
///                1      operator
///                then   operand: a filter (1 record number) and a number of four bytes; none after `all`
///     response   0      operation: 5 count, 6 code, 8 a combined report is over
///                1      operator, 0
///                then   count: two bytes, of a generic health sensor four
///                       code: the operation that was requested, then its result
enum RecordAccess {
  static let controlPoint: BluetoothUUID = 0x2A52

  enum Operation: UInt8, Sendable, Hashable {
    case report = 1
    case delete = 2
    case abort = 3
    case count = 4
    /// Sends records, then their number.
    case combinedReport = 7
  }

  private enum Answer {
    static let count: UInt8 = 5
    static let code: UInt8 = 6
    static let combined: UInt8 = 8
  }

  /// The records that a request selects.
  enum Selection: Sendable, Hashable {
    /// Value for no record: for `abort`.
    case none
    case all
    /// Numbers up to this one.
    case upTo(UInt32)
    /// Records with this number and higher ones.
    case from(UInt32)
    case first
    case last

    /// Filter by record number.
    private static let byNumber: UInt8 = 1

    var bytes: [UInt8] {
      switch self {
      case .none: [0]
      case .all: [1]
      case .upTo(let number): [2, Self.byNumber] + Self.digits(number)
      case .from(let number): [3, Self.byNumber] + Self.digits(number)
      case .first: [5]
      case .last: [6]
      }
    }

    private static func digits(_ number: UInt32) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: number)
      return bytes
    }
  }

  struct Request: Sendable, Hashable {
    let operation: Operation
    let selection: Selection

    static let abort = Request(operation: .abort, selection: .none)

    var bytes: [UInt8] { [operation.rawValue] + selection.bytes }
  }

  enum Result: UInt8, Sendable, Hashable {
    case success = 1
    case operationUnsupported = 2
    case invalidOperator = 3
    case operatorUnsupported = 4
    case invalidOperand = 5
    case noneFound = 6
    case abortFailed = 7
    case notCompleted = 8
    case operandUnsupported = 9
    case busy = 10

    /// Whether the wearable does not support the request.
    var isUnsupported: Bool {
      switch self {
      case .operationUnsupported, .invalidOperator, .operatorUnsupported, .invalidOperand, .operandUnsupported: true
      case .success, .noneFound, .abortFailed, .notCompleted, .busy: false
      }
    }
  }

  enum Content: Sendable, Hashable {
    case count(UInt32)
    /// `result` is nil for a reserved code.
    case code(request: UInt8, Result?, raw: UInt8)
    case combined(UInt32)
  }

  struct Response: Sendable, Hashable {
    let content: Content
    let trailingBytes: Int

    /// - Throws: `empty`, `truncated` if an operand is missing, `outOfRange` if it is not a response.
    init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let operation = reader.u8() else { throw .empty }
      guard reader.skip(1) else { throw .truncated }
      switch operation {
      case Answer.count: content = .count(try Self.count(&reader))
      case Answer.combined: content = .combined(try Self.count(&reader))
      case Answer.code:
        guard let request = reader.u8(), let code = reader.u8() else { throw .truncated }
        content = .code(request: request, Result(rawValue: code), raw: code)
      default: throw .outOfRange
      }
      trailingBytes = reader.remaining
    }

    /// Four bytes if there are as many, else two.
    private static func count(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
      if let wide = reader.u32() { return wide }
      guard let count = reader.u16() else { throw .truncated }
      return UInt32(count)
    }
  }
}
