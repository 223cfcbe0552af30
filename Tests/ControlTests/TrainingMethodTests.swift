import EventLoop
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

@Suite("Trainings on the control socket")
struct TrainingMethodTests {
  private static func refusal(_ body: () throws -> Void) -> Reason? {
    do { try body() } catch { return (error as? HearthError)?.reason }
    return nil
  }

  @Test("one begins and ends by order, and is answered with zones, rates and energy")
  func order() throws {
    let (found, refusals, notes) = try serve { path in
      let client = try ControlClient(path: path)
      func call(_ method: String) throws -> TrainingDocument {
        try client.fetch("training", of: method, ["name": "strap-01"])
      }
      var refusals = [Self.refusal { _ = try call("TrainingEnd") }]
      let begun = try call("TrainingBegin")
      refusals.append(Self.refusal { _ = try call("TrainingBegin") })
      let ended = try call("TrainingEnd")
      refusals.append(
        Self.refusal {
          let _: TrainingDocument = try client.fetch("training", of: "TrainingBegin", ["name": "nobody"])
        })
      return ([begun, ended], refusals)
    } after: { hub, _, found in
      (found.0, found.1, hub.accessNotes.map(\.method))
    }
    #expect(refusals == [.requestUntimely, .requestUntimely, .noSuchWearable])
    #expect(found[0].ends == nil && found[0].origin == "ordered" && found[0].device == "strap-01")
    #expect(found[1].ends != nil)
    // 140 of 190 bpm is zone 3: 73.7 %.
    #expect(found[1].zonesS == [0, 0, 60, 0, 0])
    #expect(found[1].knownS == 60 && found[1].activeS == 60 && found[1].meanHeartRate == 140)
    // Keytel for a man: −55.0969 + 0.6309·140 + 0.1988·80 + 0.2017·30 = 55.2 kJ in a minute.
    #expect(found[1].caloriesKcal == 13.2 && found[1].caloriesKnownS == 60 && !found[1].extrapolated)
    #expect(notes == ["TrainingEnd"])
  }
}
