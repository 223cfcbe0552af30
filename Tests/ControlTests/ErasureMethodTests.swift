import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Erasing a person on the control socket")
struct ErasureMethodTests {
  @Test(
    "a plan says what is erased and what stays elsewhere; only its exact count erases, and afterwards no name is left")
  func erase() throws {
    let log = LogLines()
    let (plan, codes, done, erased, texts) = try serve(
      prepare: { _, _ in },
      client: { path -> (ErasureDocument, [Reason?], ErasureDocument) in
        let client = try ControlClient(path: path)
        func code(_ parameters: JSON) -> Reason? {
          do throws(HearthError) { _ = try client.call("WearerErase", parameters) } catch { return error.reason }
          return nil
        }
        let plan: ErasureDocument = try client.fetch("erasure", of: "WearerErasePlan", ["wearer": "Ada"])
        let codes = [
          code(["wearer": "Ada", "losing": 11]), code(["wearer": "Grace", "losing": 12]), code(["wearer": "Ada"]),
        ]
        let done: ErasureDocument = try client.fetch("erasure", of: "WearerErase", ["wearer": "Ada", "losing": 12])
        return (plan, codes, done)
      }, log: log
    ) { hub, _, found in (found.0, found.1, found.2, hub.erased, hub.orderTexts.map(\.text)) }
    #expect(plan.samples == 12 && plan.unexported == 5 && plan.erased == nil && plan.name == "Ada")
    #expect(plan.copies.contains { $0.contains("free pages") })
    #expect(codes == [.erasureCountDiffers, .noSuchWearer, .controlBadParameter])
    #expect(done.erased == 12 && erased == [12])
    #expect(texts.count == 1 && texts[0].hasSuffix(": erase wearer 1"))
    #expect(!log.all.contains { $0.contains("Ada") || $0.contains("Grace") })
  }
}
