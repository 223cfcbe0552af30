// Pairing before enrolment: a link that is made for the keys alone.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// Makes keys with one wearable that is not enrolled yet. The caller holds the lane.
@LoopActor
struct Bonding {
  private let context: HubContext
  private let bonds: Bonds

  init(_ context: HubContext, _ bonds: Bonds) {
    self.context = context
    self.bonds = bonds
  }

  /// Pairs, within the time of one attempt and one pairing, as others wait for the lane.
  ///
  /// - Throws: `authenticationFailed`, `keyNotGiven`, `identityClaimed`, or why there was no link.
  func bond(_ address: BluetoothAddress) async throws(HearthError) -> BondKeys {
    let loop = context.loop
    let radio = context.radio
    let options = context.options
    do throws(LinkError) {
      let bearer = try await context.connector.connect(
        to: address, for: .pairing, deadline: loop.now + options.connectDeadline,
        parameters: options.parameters(of: .foreground))
      defer { context.connector.left(address, .pairing) }
      // A client must read the bearer, or the wearable's first messages would stay in memory.
      let client = GATTClient(bearer, loop: loop)
      defer { client.close(immediately: true) }
      var keys: BondKeys?
      let waiter = LinkWaiter()
      bonds.expectKeys(of: address) { made in
        keys = made
        waiter.wake(nil)
      }
      let timer = loop.schedule(after: Pairing.limit) {
        waiter.wake(.silent(what: "pairing"))
        // The radio waits for a pairing step that stalls, and that wait ends with the link.
        client.close(immediately: true)
      }
      defer { loop.cancel(timer) }
      try await radio.secure(bearer)
      if keys == nil { _ = await waiter.wait() }
      if let keys { return keys }
    } catch {
      throw HearthError(error.reason, "\(address) \(error.clause)")
    }
    throw HearthError(.keyNotGiven, "\(address) \(LinkError.keyNotGiven.clause)")
  }
}
