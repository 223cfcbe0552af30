import EventLoop
import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Roles and their methods on the control socket")
struct AccessTests {
  private static func rules(_ read: gid_t?, _ operate: gid_t?, _ administer: gid_t?) -> AccessRules {
    var rules = AccessRules()
    rules.groups = [
      .read: AccessGroup(name: "hearth-read", number: read), .operate: AccessGroup(name: "hearth", number: operate),
      .administer: AccessGroup(name: "hearth-admin", number: administer),
    ]
    rules.owners = [0, 990]
    return rules
  }

  private static func peer(_ groups: gid_t...) -> Peer { Peer(process: 7, user: 1000, groups: groups, name: "pi") }

  @Test("every method of the interface has its role, and no other method has one")
  func table() {
    let declared = InterfaceText.hub.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("method ") else { return nil }
      return String(line.dropFirst(7).prefix { $0 != "(" })
    }
    #expect(declared.count > 40)
    #expect(Set(declared) == Set(ServedMethod.all.keys))
  }

  @Test("the group decides the role; root and the daemon's own user administer whatever their groups")
  func roles() {
    let rules = Self.rules(501, 502, 503)
    #expect(rules.isInForce && rules.socketMode == 0o666)
    #expect(rules.role(user: 1000, groups: [100]) == nil)
    #expect(rules.role(user: 1000, groups: [100, 501]) == .read)
    #expect(rules.role(user: 1000, groups: [502, 501]) == .operate)
    #expect(rules.role(user: 1000, groups: [503]) == .administer)
    #expect(rules.role(user: 0, groups: []) == .administer && rules.role(user: 990, groups: []) == .administer)
    #expect(rules.role(user: .max, groups: []) == nil, "a socket that does not say who it is")
  }

  @Test("a refusal names the group that is missing and the command that mends it, and no larger group than needed")
  func refusals() {
    func detail(_ rules: AccessRules, _ peer: Peer, _ role: AccessRole) -> String? {
      do throws(HearthError) { try rules.refuse(peer, unless: role, for: role.word) } catch {
        return error.reason == .controlRoleMissing ? error.detail : "?"
      }
      return nil
    }
    let rules = Self.rules(501, 502, 503)
    #expect(detail(rules, Self.peer(501), .read) == nil && detail(rules, Self.peer(503), .operate) == nil)
    #expect(
      detail(rules, Self.peer(501), .operate)
        == """
        operating is for group hearth, and pi (uid 1000) is not in it: sudo usermod -aG hearth pi, then log in again
        """
    )
    #expect(detail(rules, Self.peer(502), .administer)?.contains("usermod -aG hearth-admin pi") == true)
    // In the group that was named, after the next login.
    #expect(detail(rules, Self.peer(501, 502), .operate) == nil)
    #expect(detail(rules, Self.peer(502, 503), .administer) == nil)
    // A machine without a group of readers: the next larger one is named.
    #expect(detail(Self.rules(nil, 502, 503), Self.peer(9), .read)?.contains("usermod -aG hearth pi") == true)
  }

  @Test("without a group of administrators every admitted user may do everything but keys, which sudo may")
  func withoutGroups() throws {
    let rules = Self.rules(nil, 502, nil)
    #expect(!rules.isInForce && rules.socketMode == 0o660)
    #expect(rules.role(user: 1000, groups: []) == .administer)
    let refused = #expect(throws: HearthError.self) { try rules.refuseKeys(Self.peer(502), "keys") }
    #expect(refused?.reason == .controlNotAllowed)
    try rules.refuseKeys(Peer(process: 7, user: 0, groups: []), "keys")
    try rules.refuseKeys(Peer(process: 7, user: 990, groups: []), "keys")
    try Self.rules(nil, nil, 503).refuseKeys(Self.peer(503), "keys")
  }

  @Test("the kernel says which user is on the other side of a socket, with the groups of its process")
  func credentials() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for end in pair { close(end) } }
    let peer = Peer(of: pair[0])
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(1024, &groups)
    #expect(peer.process == getpid() && peer.user == geteuid() && peer.groups.first == getegid())
    #expect(Set(peer.groups) == Set(groups.prefix(Int(max(0, count))) + [getegid()]))
    if geteuid() == 0 { #expect(peer.who == "root (uid 0)") }
    #expect(Peer(of: -1).user == .max, "what is no socket is nobody")
  }

  @Test("a reader reads, and what changes something is refused before the hub is asked")
  func reader() throws {
    let (codes, asked, texts, log) = try withRole(.read) { client in
      func code(_ method: String, _ parameters: JSON = [:]) -> Reason? {
        do throws(HearthError) { _ = try client.call(method, parameters) } catch { return error.reason }
        return nil
      }
      return [
        code("Status"), code("Devices"), code("VisitNow", ["name": "strap-01"]), code("Forget", ["name": "strap-01"]),
        code("Nonsense"),
      ]
    }
    #expect(codes == [nil, nil, .controlRoleMissing, .controlRoleMissing, .controlUnknownMethod])
    #expect(asked.isEmpty && texts.isEmpty)
    #expect(log.contains { $0.contains("call Forget: refused, H6020") })
  }

  @Test("an operator operates and does not administer; actions are recorded with their user, once a minute")
  func operating() throws {
    let (codes, asked, texts, _) = try withRole(.operate) { client in
      func code(_ method: String, _ parameters: JSON) -> Reason? {
        do throws(HearthError) { _ = try client.call(method, parameters) } catch { return error.reason }
        return nil
      }
      return [
        code("VisitNow", ["name": "strap-01"]), code("VisitNow", ["name": "strap-01"]),
        code("LinkSet", ["name": "strap-02", "profile": "idle"]),
        code("Assign", ["name": "strap-02", "wearer": "Ada"]), code("WearerBody", ["wearer": "Ada", "height_cm": 171]),
        code("WearerRename", ["wearer": "Ada", "new_name": "Ada L."]),
        code("WearerSet", ["wearer": "Ada", "id": "M-42"]),
        code("OrdersSet", ["name": "strap-01", "streams": .array(["acc"])]),
        code("VisitNow", ["name": "nobody"]), code("Forget", ["name": "strap-01"]),
      ]
    }
    #expect(codes.prefix(8).allSatisfy { $0 == nil })
    #expect(codes.suffix(2) == [.noSuchWearable, .controlRoleMissing] && asked.isEmpty)
    let name = Accounts.name(of: geteuid()).map { "\($0) (uid \(geteuid()))" } ?? "uid \(geteuid())"
    #expect(
      texts.map(\.text) == [
        "\(name): visit strap-01 now", "\(name): keep the link of strap-02 on idle",
        "\(name): assign strap-02 to wearer 1", "\(name): change what is known of wearer 1",
        "\(name): rename wearer 1", "\(name): set the identifier of wearer 1",
        "\(name): change the orders of strap-01: streams acc",
      ])
    #expect(texts.map(\.wearable?.number) == [1, 2, 2, nil, nil, nil, 1])
    #expect(Reason.orderGiven.code == "H6021")
  }

  @Test("no line of the log and no event names a person, also if a refusal does")
  func names() throws {
    let (codes, _, texts, log) = try withRole(.administer) { client in
      func code(_ method: String, _ parameters: JSON) -> Reason? {
        do throws(HearthError) { _ = try client.call(method, parameters) } catch { return error.reason }
        return nil
      }
      return [
        code("WearerAdd", ["name": "Ada"]), code("WearerAdd", ["name": "Grace"]),
        code("Assign", ["name": "strap-01", "wearer": "Ada"]), code("Assign", ["name": "strap-01", "wearer": "Grace"]),
        code("WearerRetire", ["wearer": "Ada"]), code("WearerRetire", ["wearer": "Grace"]),
        code("WearerRename", ["wearer": "Ada", "new_name": "Grace"]),
      ]
    }
    #expect(codes == [nil, .noSuchWearer, nil, .noSuchWearer, nil, .noSuchWearer, nil])
    let said = texts.map(\.text) + log
    #expect(said.count >= 10)
    #expect(!said.contains { $0.contains("Ada") || $0.contains("Grace") })
    #expect(texts.map(\.text).contains { $0.hasSuffix(": enter wearer 1") })
  }

  @Test("a user that is in no group gets the reason, is disconnected, and takes no place")
  func strangers() throws {
    let (reason, statistics) = try serve(
      prepare: { _, server in
        server.access = Self.rules(1, 2, 3)
        server.access.owners = []
        server.access.groups = server.access.groups.mapValues { AccessGroup(name: $0.name, number: 4_000_000_000) }
      },
      client: { path -> Reason? in
        do throws(HearthError) { _ = try ControlClient(path: path).call("Status") } catch { return error.reason }
        return nil
      }, after: { _, server, reason in (reason, server.statistics) })
    #expect(reason == .controlRoleMissing)
    #expect(statistics.calls == 0 && statistics.refusedClients == 1)
  }

  private typealias Seen = (
    codes: [Reason?], forgotten: [String], texts: [(wearable: WearableID?, text: String)], log: [String]
  )

  /// Calls of this process, with the role of its own group.
  private func withRole(_ role: AccessRole, _ calls: @escaping @Sendable (ControlClient) throws -> [Reason?]) throws
    -> Seen
  {
    let log = LogLines()
    return try serve(
      prepare: { _, server in
        server.access = Self.rules(4_000_000_001, 4_000_000_002, 4_000_000_003)
        server.access.owners = []
        server.access.groups[role]?.number = getegid()
      }, client: { path in try calls(ControlClient(path: path)) }, log: log
    ) { hub, _, codes in (codes, hub.forgotten, hub.orderTexts, log.all) }
  }
}
