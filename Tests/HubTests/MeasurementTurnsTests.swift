import EventLoop
import Testing

@testable import Hub

@Suite("Measurements of one session")
struct MeasurementTurnsTests {
  @Test("a session that stays is forgotten after ten idle minutes, and not while something is ordered")
  func forgotten() {
    var order = VitalsOrder(seconds: 60)
    order.stays = true
    var turns = MeasurementTurns(order)
    func minute(_ number: Int64) -> Instant { Instant(nanoseconds: number * 60_000_000_000) }
    func forgotten(at minutes: Int64...) -> [Bool] { minutes.map { turns.isForgotten(at: minute($0)) } }
    var begun = turns.begin()
    #expect(begun == 60)
    turns.ended(withResults: true)
    #expect(forgotten(at: 1, 10) == [false, false])
    turns.order(30)
    begun = turns.begin()
    #expect(begun == 30)
    #expect(forgotten(at: 12, 21, 22) == [false, false, true])
  }
}
