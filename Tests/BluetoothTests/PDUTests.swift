import EventLoop
import Testing

@testable import Bluetooth

/// Reads the bytes as a PDU of one kind and gives them back as written again; nil if they cannot be read.
private func rewritten<PDU: ATTPDU>(_ kind: PDU.Type, _ text: String) throws -> String? {
  let bytes = try #require([UInt8](hexadecimal: text))
  return bytes.withUnsafeBytes { PDU($0).map { hexadecimal($0.bytes) } }
}

@Suite("ATT PDUs")
struct PDUTests {
  /// A well-made PDU of each kind, and the size below which it cannot be one.
  static var samples: [(kind: any ATTPDU.Type, bytes: String, shortest: Int)] {
    [
      (ATTErrorResponse.self, "010A03000A", 5),
      (ATTExchangeMTURequest.self, "020502", 3),
      (ATTExchangeMTUResponse.self, "03B900", 3),
      (ATTFindInformationRequest.self, "040100FFFF", 5),
      (ATTFindInformationResponse.self, "050103000229", 6),
      (ATTFindInformationResponse.self, "05020300C8F08D2C8ACD1C87F3E70280815C00FB", 20),
      (ATTFindByTypeValueRequest.self, "060100FFFF00280D18", 7),
      (ATTFindByTypeValueResponse.self, "0701000400", 5),
      (ATTReadByTypeRequest.self, "080100FFFF0328", 7),
      (ATTReadByTypeResponse.self, "09070200100300372A", 9),
      (ATTReadRequest.self, "0A0300", 3),
      (ATTReadResponse.self, "0B4142", 1),
      (ATTReadBlobRequest.self, "0C03001600", 5),
      (ATTReadBlobResponse.self, "0D4142", 1),
      (ATTReadMultipleRequest.self, "0E03000500", 5),
      (ATTReadMultipleResponse.self, "0F414243", 1),
      (ATTReadByGroupTypeRequest.self, "100100FFFF0028", 7),
      (ATTReadByGroupTypeResponse.self, "1106010004000D18", 8),
      (ATTWriteRequest.self, "12030041", 3),
      (ATTWriteResponse.self, "13", 1),
      (ATTPrepareWriteRequest.self, "160300000041", 5),
      (ATTPrepareWriteResponse.self, "170300000041", 5),
      (ATTExecuteWriteRequest.self, "1801", 2),
      (ATTExecuteWriteResponse.self, "19", 1),
      (ATTNotification.self, "1B03000048", 3),
      (ATTIndication.self, "1D03000048", 3),
      (ATTConfirmation.self, "1E", 1),
      (ATTReadMultipleVariableRequest.self, "2003000500", 5),
      (ATTReadMultipleVariableResponse.self, "2102004142", 1),
      (ATTMultipleNotification.self, "2303000200004809000000", 5),
      (ATTWriteCommand.self, "52030041", 3),
      (ATTSignedWriteCommand.self, "D2030041000102030405060708090A0B", 15),
    ]
  }

  @Test("each kind is read and written again to the same bytes, and every opcode has its kind")
  func roundTrip() throws {
    for (kind, bytes, _) in Self.samples { #expect(try rewritten(kind, bytes) == bytes, "\(kind)") }
    #expect(Set(Self.samples.map { $0.kind.opcode }) == Set(ATTOpcode.allCases))
  }

  @Test("a PDU cut below its shortest form is not one, and no kind reads another's bytes")
  func cut() throws {
    for (kind, bytes, shortest) in Self.samples {
      for count in 0..<shortest {
        #expect(try rewritten(kind, String(bytes.prefix(count * 2))) == nil, "\(kind) of \(count)")
      }
      for (other, _, _) in Self.samples where other.opcode != kind.opcode {
        #expect(try rewritten(other, bytes) == nil)
      }
    }
  }

  @Test(
    "fixed PDUs with a byte too many are refused",
    arguments: [
      "010A03000A00", "02050200", "040100FFFF00", "0A030000", "0C0300160000", "1300", "180100", "1900", "1E00",
    ])
  func tooLong(_ text: String) throws {
    for (kind, _, _) in Self.samples { #expect(try rewritten(kind, text) == nil) }
  }

  @Test("roles follow the table for assigned opcodes and the bits for the rest")
  func roles() {
    for opcode in ATTOpcode.allCases {
      let name = "\(opcode)"
      let expected: ATTRole =
        name.hasSuffix("Request")
        ? .request
        : name.hasSuffix("Response")
          ? .response
          : name.hasSuffix("Command")
            ? .command
            : name == "indication" ? .indication : name == "confirmation" ? .confirmation : .notification
      #expect(ATTRole(of: opcode.rawValue) == expected)
    }
    #expect(
      ATTRole(of: 0x14) == .request && ATTRole(of: 0x15) == .response && ATTRole(of: 0x41) == .command
        && ATTRole(of: 0xC0) == .command)
  }

  @Test("every error code says something, the assigned ones their name")
  func errorCodes() {
    #expect(ATTErrorCode.invalidHandle.description == "invalid handle (0x01)")
    #expect(ATTErrorCode(rawValue: 0x80).description == "application error (0x80)")
    #expect(ATTErrorCode(rawValue: 0x42).description == "reserved error (0x42)")
    for value in UInt8.min...UInt8.max { #expect(ATTErrorCode(rawValue: value).description.utf8.count > 8) }
  }

  @Test("every GATT error has one line for the log")
  func errorTexts() {
    let refused = GATTError.refused(request: .readRequest, handle: 0x0103, code: .readNotPermitted)
    #expect(refused.description == "readRequest refused at handle 0x0103: read not permitted (0x02)")
    #expect(GATTError.closed(.linkLost).reason == .linkLost)
    #expect(GATTError.flood.reason == .notificationFlood)
  }
}
