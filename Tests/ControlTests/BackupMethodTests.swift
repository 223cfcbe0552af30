import EventLoop
import HubProtocol
import JSONText
import Reasons
import Testing

@testable import Control

@Suite("Base64 of documents")
struct Base64Tests {
  @Test("bytes of every length come back, as RFC 4648 has them, and other text is refused")
  func base64() {
    for (plain, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.text(Array(plain.utf8)) == text && Base64.bytes(text) == Array(plain.utf8))
    }
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
      #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    }
    for wrong in ["Z", "Zg", "Zg=", "=", "====", "Zg==Zg==", "Zh==", "Zm9=", "Z g=", "Zm9v\n", "Z\u{e9}=="] {
      #expect(Base64.bytes(wrong) == nil, "\(wrong)")
    }
  }
}
