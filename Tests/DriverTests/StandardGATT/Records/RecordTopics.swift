import Bluetooth
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// The Record Access Control Point, under the names the vectors use.
extension Topic {
  static let recordAccess = Topic(
    decode: { _, bytes throws(DecodeError) in recordResponse(try RecordAccess.Response(bytes)) },
    encode: { recordRequest($0)?.bytes })

  private static func recordResponse(_ response: RecordAccess.Response) -> Decoded {
    let fields: [String: JSON] =
      switch response.content {
      case .count(let count): ["response": .string("number_of_records"), "count": .integer(count)]
      case .combined(let count): ["response": .string("combined_report_done"), "count": .integer(count)]
      case .code(let request, let result, _):
        [
          "response": .string("code"),
          "request": RecordAccess.Operation(rawValue: request).map { .string(name($0)) } ?? .integer(request),
          "result": result.map { name($0) } ?? .string("reserved"),
        ]
      }
    return Decoded(
      fields: fields, silentFields: ["trailing_bytes": .integer(response.trailingBytes)],
      isSalvaged: response.trailingBytes != 0)
  }

  private static func name(_ operation: RecordAccess.Operation) -> String {
    switch operation {
    case .report: "report"
    case .delete: "delete"
    case .abort: "abort"
    case .count: "count"
    case .combinedReport: "combined_report"
    }
  }

  private static func name(_ result: RecordAccess.Result) -> JSON {
    switch result {
    case .success: .string("success")
    case .operationUnsupported: .string("op_code_not_supported")
    case .invalidOperator: .string("invalid_operator")
    case .operatorUnsupported: .string("operator_not_supported")
    case .invalidOperand: .string("invalid_operand")
    case .noneFound: .string("no_records_found")
    case .abortFailed: .string("abort_unsuccessful")
    case .notCompleted: .string("procedure_not_completed")
    case .operandUnsupported: .string("operand_not_supported")
    case .busy: .oneOf([.string("server_busy"), .string("busy")])
    }
  }

  private static func recordRequest(_ fields: [String: JSON]) -> RecordAccess.Request? {
    let operations: [(String, RecordAccess.Operation)] = [
      ("report", .report), ("delete", .delete), ("abort", .abort), ("count", .count), ("number_of_records", .count),
      ("combined_report", .combinedReport),
    ]
    guard case .string(let operation)? = fields["op"], case .string(let selection)? = fields["operator"],
      let known = operations.first(where: { $0.0 == operation })?.1
    else { return nil }
    // The vectors at hand have no operand: what it is called is a guess.
    var number: UInt32?
    for case .number(let value) in ["record_number", "number", "value", "minimum", "operand"].compactMap({ fields[$0] })
    {
      number = UInt32(exactly: value)
    }
    switch selection {
    case "null": return RecordAccess.Request(operation: known, selection: .none)
    case "all": return RecordAccess.Request(operation: known, selection: .all)
    case "first": return RecordAccess.Request(operation: known, selection: .first)
    case "last": return RecordAccess.Request(operation: known, selection: .last)
    case "greater_or_equal", "greater_than_or_equal", "ge", ">=":
      return number.map { RecordAccess.Request(operation: known, selection: .from($0)) }
    case "less_or_equal", "less_than_or_equal", "le", "<=":
      return number.map { RecordAccess.Request(operation: known, selection: .upTo($0)) }
    default: return nil
    }
  }
}
