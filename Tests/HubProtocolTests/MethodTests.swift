import JSONText
import Testing

@testable import HubProtocol

@Suite("Calls as values")
struct MethodTests {
  private func refused<Method: HubMethod>(_ method: Method.Type, _ json: JSON) -> String? {
    do throws(VarlinkError) {
      _ = try method.parameters(json)
      return nil
    } catch {
      guard case .invalidParameter(let name) = error else { return "?" }
      return name
    }
  }

  @Test("parameters come back as they were given, and null is as if it were not there")
  func read() throws {
    let given: JSON = ["name": "band-07", "limit": 20, "why": .null]
    #expect(try Methods.Visits.parameters(given) == .init(name: "band-07", limit: 20))
    let rates: JSON = ["name": "a", "rates": ["ecg": 130, "acc": 50], "settings": ["worn": "chest"]]
    let orders = try Methods.OrdersSet.parameters(rates)
    #expect(orders.rates?.entries.map(\.name) == ["ecg", "acc"] && orders.settings?["worn"] == "chest")
  }

  @Test("what is missing, of another type, beyond its bounds or unknown is refused by its name")
  func refusals() {
    #expect(refused(Methods.Link.self, [:]) == "name" && refused(Methods.Link.self, ["name": 7]) == "name")
    #expect(refused(Methods.Link.self, ["name": ""]) == "name")
    #expect(refused(Methods.Link.self, ["name": .string(String(repeating: "a", count: 257))]) == "name")
    #expect(refused(Methods.Link.self, ["name": "a", "nmae": .null]) == "nmae")
    #expect(
      refused(Methods.Visits.self, ["limit": 0]) == "limit" && refused(Methods.Visits.self, ["limit": 1000]) == nil)
    #expect(refused(Methods.Visits.self, ["limit": .decimal("1e1")]) == "limit")
    #expect(refused(Methods.Visits.self, ["why": "yes"]) == "why")
    let words = JSON.array(Array(repeating: "a", count: 17))
    #expect(refused(Methods.Act.self, ["name": "a", "action": "b", "arguments": words]) == "arguments")
    #expect(refused(Methods.OrdersSet.self, ["name": "a", "rates": ["ecg": 0]]) == "rates")
    #expect(refused(Methods.OrdersSet.self, ["name": "a", "streams": .array(["acc", ""])]) == "streams")
  }

  @Test("a call leaves out what is nil, so that an older hub understands it")
  func sent() throws {
    let parameters = Methods.MeasureVitals.Parameters(name: "strap-07", seconds: 60)
    #expect(ControlClient.members(parameters) == ["name": "strap-07", "seconds": 60])
  }
}
