import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import BotzFamily
@testable import DriverTestSupport

@Suite("Word for word, an insole", .serialized)
struct BotzConversationTests {
  @Test("is checked: name, status, update, clock; the time is set big-endian and read back")
  func check() throws {
    try onLoop { _ in
      let conversation = try Conversation(
        PocketInsole().database,
        """
        read 2A00 426F747A52696768745368
        read 0C372EC7 00000040500019003F00000000000000
        read 0C372EB5 00000000000000000000000000000000
        read 2A2B EA070B150A00000600000000            # 2026-11-21T10:00:00Z
        write 4FD5B681 6B016BA1                       # and one second, which a link's requests have taken by then
        read 2A2B EA070B150A00010600000000
        """)
      let report = try await BotzSession(conversation.link).check()
      #expect(report.clock?.wasSet == true && report.uptime == .seconds(63) && conversation.left == 0)
    }
  }

  @Test(
    "gives a file: numbers asked after an erase, one found, its answer cut into 118 bytes, its length asked once more")
  func download() throws {
    try onLoop { _ in
      let name = "646E616D65781F2F6C6673312F68617264776172652F61637469766974795F"  // "name": /lfs1/hardware/activity_
      let file = try #require(
        try BotzVectors.load("activity_file", in: BotzVectors.ownFolder).first { $0.id == "file-complete" }?.bytes)
      let answer = hexadecimal(
        try #require(Array(hexadecimal: "090000AB00080500BF636F66660064646174615897")) + file
          + (Array(hexadecimal: "636C656E1897FF") ?? []))
      let conversation = try Conversation(
        PocketInsole().database,
        """
        read 0C372EAB 00000040
        read 0C372EC2 01
        command DA2E7828 0800002700080101A1\(name)3030312E646174
        notify DA2E7828 0900000800080101BF636C656E1897FF
        command DA2E7828 0800002700080201A1\(name)3030322E646174
        notify DA2E7828 0900001300080201BF63657272BF6567726F75700862726303FFFF
        command DA2E7828 0800002700080301A1\(name)3030332E646174
        notify DA2E7828 0900000600080301BF62726305FF                              # the older way to say that there is \
        none
        command DA2E7828 0800002700080401A1\(name)3030342E646174
        notify DA2E7828 0900001300080401BF63657272BF6567726F75700862726303FFFF
        command DA2E7828 0800002C00080500A2636F666600\(name)3030312E646174
        notify DA2E7828 \(answer.prefix(236))
        notify DA2E7828 \(answer.dropFirst(236))
        read 0C372EAB 00000040                                                    # no session began meanwhile
        command DA2E7828 0800002700080601A1\(name)3030312E646174
        notify DA2E7828 0900000800080601BF636C656E1897FF
        """)
      let domain = try #require(BotzSession(conversation.link).domains.first)
      let items = try await domain.list(known: [
        KnownItem(id: "activity_001.dat", mark: "1-2-3", size: 2, fetched: 2, isDurable: true, isErased: true)
      ])
      let item = try #require(items.first)
      #expect(
        items.count == 1 && item.size == 151 && item.begins == 1_759_233_600_000_000
          && item.mark.hasPrefix("1759233600-151-"))
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(sink.bytes == file && conversation.left == 0)
    }
  }

  @Test("that takes no command now is left as it is")
  func refused() throws {
    try onLoop { _ in
      let conversation = try Conversation(
        PocketInsole().database,
        """
        read 0C372EAB 00000040
        read 0C372EC2 00
        read 0C372EAB 00000040                        # still idle when nothing is written any more before it
        refuse 4FD5B684 01 0E
        """)
      do throws(VisitTrouble) {
        _ = try await BotzSession(conversation.link).perform(BotzAction.startActivity.action)
        Issue.record("it was taken")
      } catch {
        #expect(error == .refused(.unlikelyError, what: "a write") && conversation.left == 0)
      }
    }
  }
}
