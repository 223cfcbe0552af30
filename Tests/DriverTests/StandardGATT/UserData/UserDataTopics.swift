import Bluetooth
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// The User Data Service, under the names the vectors use.
extension Topic {
  static let userData = Topic(
    decode: { characteristic, bytes throws(DecodeError) in
      switch characteristic {
      case "2A9A": userIndex(bytes)
      case "2A99": changeIncrement(bytes)
      case "2A9F": userResponse(try UserData.Response(bytes))
      default:
        try bodyField(characteristic, bytes)
      }
    }, encode: { encodeUserData($0) })

  private static func bodyField(_ characteristic: String, _ bytes: RawBytes) throws(DecodeError) -> Decoded? {
    guard let number = UInt16(characteristic, radix: 16), let field = UserData.Field(rawValue: number) else {
      return nil
    }
    return bodyValue(try UserData.Content(field, bytes))
  }

  private static let genders = ["male", "female", "unspecified"]

  private static func bodyValue(_ content: UserData.Content) -> Decoded {
    var fields: [String: JSON] = [:]
    switch content.value {
    case .date(let year, let month, let day):
      fields = ["year": .integer(year), "month": .integer(month), "day": .integer(day)]
    case .number(let number):
      switch content.field {
      case .age: fields["age_years"] = .integer(number)
      case .gender:
        fields["gender"] = .string(Int(number) < genders.count ? genders[Int(number)] : "reserved")
      case .height: fields["height_m"] = .number(Double(number) / 100)
      case .weight: fields["weight_kg"] = .number(Double(number) * 5 / 1000)
      case .restingHeartRate: fields["resting_hr_bpm"] = .integer(number)
      case .maximumHeartRate: fields["hr_max_bpm"] = .integer(number)
      case .born: break
      }
    }
    return Decoded(
      fields: fields, silentFields: ["trailing_bytes": .integer(content.trailingBytes)],
      isSalvaged: content.trailingBytes != 0)
  }

  private static func userIndex(_ bytes: RawBytes) -> Decoded? {
    bytes.first.map { index in
      Decoded(
        fields: ["user_index": .integer(index)],
        silentFields: ["unknown_user": .bool(index == UserData.unknownUser)], isSalvaged: false)
    }
  }

  private static func changeIncrement(_ bytes: RawBytes) -> Decoded? {
    var reader = ByteReader(bytes)
    return reader.u32().map { count in
      let number = JSON.integer(count)
      var decoded = Decoded(fields: [:], isSalvaged: false)
      decoded.otherNames = ["change_increment": number, "database_change_increment": number, "increment": number]
      return decoded
    }
  }

  private static func userResponse(_ response: UserData.Response) -> Decoded {
    let requests = ["register_new_user", "consent", "delete_user_data"]
    let results: [UserData.Result: JSON] = [
      .success: .string("success"), .operationUnsupported: .string("op_code_not_supported"),
      .invalidParameter: .string("invalid_parameter"), .failed: .string("operation_failed"),
      .notAuthorised: .oneOf([.string("user_not_authorized"), .string("user_not_authorised")]),
    ]
    let place = Int(response.request) - 1
    var fields: [String: JSON] = [
      "response_to": .string(requests.indices.contains(place) ? requests[place] : "reserved"),
      "result": response.result.flatMap { results[$0] } ?? .string("reserved"),
    ]
    if let index = response.index { fields["user_index"] = .integer(index) }
    return Decoded(fields: fields, isSalvaged: false)
  }

  private static func encodeUserData(_ fields: [String: JSON]) -> [UInt8]? {
    func number(_ name: String, times factor: Double = 1) -> UInt16? {
      guard case .number(let value)? = fields[name] else { return nil }
      return UInt16(exactly: (value * factor).rounded())
    }
    if case .string(let operation)? = fields["op"] {
      let consent = number("consent") ?? 0
      switch operation {
      case "register_new_user": return UserData.Request.register(consent: consent).bytes
      case "consent": return UserData.Request.consent(index: UInt8(clamping: number("user_index") ?? 0), consent).bytes
      case "delete_user_data": return UserData.Request.deleteData.bytes
      default: return nil
      }
    }
    if let index = number("user_index") { return [UInt8(clamping: index)] }
    if let year = number("year"), let month = number("month"), let day = number("day") {
      let date = UserData.Value.date(year: year, month: UInt8(clamping: month), day: UInt8(clamping: day))
      return UserData.Content(.born, date).bytes
    }
    if case .string(let gender)? = fields["gender"], let code = genders.firstIndex(of: gender) {
      return UserData.Content(.gender, .number(UInt16(code))).bytes
    }
    let names: [(String, UserData.Field, Double)] = [
      ("age_years", .age, 1), ("weight_kg", .weight, 200), ("height_m", .height, 100),
      ("resting_hr_bpm", .restingHeartRate, 1), ("hr_max_bpm", .maximumHeartRate, 1),
    ]
    for (name, field, factor) in names {
      if let value = number(name, times: factor) { return UserData.Content(field, .number(value)).bytes }
    }
    return nil
  }
}
