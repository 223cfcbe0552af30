import Reasons
import Testing

@testable import Control
@testable import HubProtocol

@Suite("Next steps of the control socket that are walked")
struct ControlWalkTests {
  @Test("H6003 and H6004: what is no call and what no hub offers are refused; the client of this version is answered")
  func versions() throws {
    let (malformed, unknown, isAnswered) = try serve { path in
      let stranger = try RawClient(path)
      stranger.send("hello")
      let malformed = try stranger.receive() ?? ""
      let client = try ControlClient(path: path)
      var unknown: Reason?
      do throws(HearthError) { _ = try client.call("OfTomorrow") } catch { unknown = error.reason }
      return (malformed, unknown, try client.call("Status")["status"] != nil)
    }
    #expect(malformed.contains("H6003") && unknown == .controlUnknownMethod && isAnswered)
  }
}
