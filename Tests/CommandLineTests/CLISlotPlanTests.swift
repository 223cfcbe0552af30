import HubProtocol
import Testing

@testable import hearth

@Suite("The plan of a full house, as text")
struct CLISlotPlanTests {
  private func plan(missing: Int) -> SlotPlanDocument {
    SlotPlanDocument(
      slots: 5, slotSource: "standard", wanting: 12, missing: missing, missingAdapters: (missing + 4) / 5,
      devices: [
        .init(device: "strap-01", role: .live, present: true, advertises: false),
        .init(device: "strap-02", role: .turns, present: true, turnS: 45, gapS: 130, advertises: false),
        .init(device: "polar-03", role: .turns, present: false, turnS: 15, gapS: 180, advertises: true),
        .init(device: "band-04", role: .visits, present: false, advertises: false),
        .init(device: "cuff-05", role: .seconds, present: false, advertises: false),
        .init(device: "cuff-06", role: .unreachable, present: false, advertises: false),
      ])
  }

  @Test("says which wearables keep a link, which take turns of which length, and how many adapters are missing")
  func full() {
    let text = render(plan(missing: 7), .plain)
    for part in [
      "slots  5 (assumed), and 12 wearables to be linked all the time\n",
      "7 slots are missing: 2 further adapters of 5 links would carry all\n",
      "live   1 wearable keeps its link: strap-01\n", "turns  2 wearables take turns of at least 15 s",
      "heard  1 wearable is shown without a link too", "visits 1 wearable needs a slot for visits alone: band-04\n",
      "short  1 wearable is on for seconds", "bonded 1 wearable is bonded to an adapter that does not serve: cuff-06\n",
      "no_slot", "if all 6 are here; 2 are now\n",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(text.split(separator: "\n").allSatisfy { columns(String($0)) <= 80 }, "\(text)")
    #expect(!text.contains("listen "))
    var listening = plan(missing: 7)
    (listening.listening, listening.listensInTurn) = (["hci1"], true)
    let heard = render(listening, .plain)
    #expect(heard.contains("listen hci1 has slots only for wearables that are bonded to it\n"))
    #expect(heard.contains("listen one adapter at a time makes no links, while others have slots\n"))
    #expect(heard.split(separator: "\n").allSatisfy { columns(String($0)) <= 80 }, "\(heard)")
    var enough = plan(missing: 0)
    #expect(render(enough, .plain).contains("enough in all, but too few on an adapter that some need\n"))
    enough.devices.removeAll { $0.role == .turns }
    #expect(render(enough, .plain).contains("enough for all of them\n"))
  }
}
