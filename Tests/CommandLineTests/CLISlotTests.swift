import HubProtocol
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning

struct CLISlotTests {
  @Test func `an occupied slot is said with its holder and the next one to yield`() {
    var wait = SlotWaitDocument(links: 3, slots: 3, holders: ["strap-01", "strap-02", "strap-08"], place: 2)
    wait.since = (now + .seconds(-240)).rfc3339
    wait.next = "strap-08"
    wait.nextAt = (now + .seconds(40)).rfc3339
    #expect(
      slotText(wait, now)
        == "no free slot: 3 of 3 in use for 4 min by strap-01, strap-02, strap-08; strap-08 yields next, in 40 s; "
        + "1 wearable before it in the line")
    let foreign = SlotWaitDocument(links: 5, slots: 5, holders: [], place: 1)
    #expect(slotText(foreign, now) == "no free slot: 5 of 5 in use; 5 links not of this hub")
  }
}
