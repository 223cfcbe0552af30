// Home Assistant integration: retained descriptions of a hub's and its wearables' entities (MQTT discovery,
// home-assistant.io/integrations/mqtt), and their states.

internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

@LoopActor
final class HomeVoice {
  /// Shortest time between two messages of a changing state; Home Assistant writes each into its history.
  static let pause: Duration = .seconds(10)
  /// Longest time between two messages. With Sparkplug the will is the node's death, so for Home Assistant only silence
  /// shows that the hub is dead.
  static let again: Duration = .seconds(60)
  /// s without a state until an entity is unavailable, with Sparkplug.
  private static let expiry: Int64 = 180
  /// µs; an older heart rate is not current.
  private static let valueAge: Int64 = 60_000_000
  private static let deviceLimit = 512
  /// Limit of topics: five per wearable, and as many for removed wearables.
  private static let keptLimit = 2 * 5 * deviceLimit

  private struct Said {
    var state: JSON
    var at: Instant
  }

  private let loop: any Loop
  private let outbox: Outbox
  private let topics: UplinkTopics
  private let settings: UplinkSettings
  private let persons: PersonNames
  private let heritage: UplinkHeritage
  private let hub: HomeNode
  private var news = PublishedStatus()
  private var states: [String: Said] = [:]
  private var rates: [String: (value: Int64, time: Int64)] = [:]
  private var retained: HomeTopics

  init(
    _ loop: any Loop, _ outbox: Outbox, _ topics: UplinkTopics, _ settings: UplinkSettings, hub: String,
    _ persons: PersonNames, _ heritage: UplinkHeritage
  ) {
    (self.loop, self.outbox, self.topics, self.settings) = (loop, outbox, topics, settings)
    (self.persons, self.heritage) = (persons, heritage)
    self.hub = HomeNode(group: settings.group, hub: hub)
    retained = HomeTopics(kept: Set(heritage.legacy.home))
  }

  /// Filters for which the broker sends this hub's retained messages after each connection; empty: disabled.
  var filters: [String] { settings.home.isOn ? [hub.filter(settings.home.prefix), topics.home("+")] : [] }

  // MARK: Events

  func connected() {
    states = [:]
    retained.connected()
    if settings.home.isOn { return say() }
    retained.want([:], states: [])
    flow()
  }

  /// Fetches the house identifiers. Called before any person is reported, so that a person with one is reported by it
  /// alone.
  func learn(_ hub: any HubCalling) async throws(HearthError) {
    if settings.home.isOn { try await persons.learn(hub) }
  }

  func heard(_ news: PublishedStatus) {
    self.news = news
    let known = Set(news.devices.map(\.name))
    rates = rates.filter { known.contains($0.key) }
    say()
  }

  /// Handles a live value; only the newest heart rate is kept.
  func heard(live sample: JSON, _ time: Int64?) {
    guard settings.home.isOn, sample["series"]?.text == "heart_rate", let device = sample["device"]?.text, let time,
      let value = sample["value"], news.devices.contains(where: { $0.name == device })
    else { return }
    var numbers: [ExactNumber] = []
    guard UplinkRow.collect(value, into: &numbers, depth: 1), let rate = numbers.first?.approximate,
      (1...400).contains(rate), rates[device].map({ $0.time <= time }) ?? true
    else { return }
    rates[device] = (Int64(rate.rounded()), time)
  }

  /// Called each second.
  func tick() { flow() }

  /// Whether the message was a description or a state of this hub. A description of a removed entity is deleted with
  /// the next news.
  func arrived(_ topic: String, _ payload: [UInt8]) -> Bool {
    let states = topics.home("")
    guard settings.home.isOn, hub.owns(topic, settings.home.prefix) || topic.hasPrefix(states) else { return false }
    // Bounds what any publisher on this topic can add.
    if !payload.isEmpty, retained.kept.count < Self.keptLimit { retained.kept.insert(topic) }
    return true
  }

  // MARK: Publishing

  private func say() {
    if !settings.home.isOn || news.name.isEmpty || !outbox.isConnected { return }
    retained.want(wantedDescriptions(), states: news.devices.prefix(Self.deviceLimit).map { topics.home($0.name) })
    // Stored before anything is published: after a crash the next process can delete it.
    heritage.keep(home: retained.kept.sorted())
    flow()
  }

  /// Publishes as much as the outbox takes; the rest follows each second. A topic is forgotten when the broker has
  /// acknowledged its removal.
  private func flow() {
    if !outbox.isConnected { return }
    if outbox.isSaid, retained.forgetRemoved() { heritage.keep(home: retained.kept.sorted()) }
    while let topic = retained.leaving.last {
      if !keep(topic, []) { return }
      retained.removed()
      states = states.filter { topics.home($0.key) != topic }
    }
    while let topic = retained.unsaid.last {
      guard outbox.mayBeSaid, keep(topic, retained.wanted[topic]?.compact ?? []) else { return }
      retained.described()
    }
    if settings.home.isOn, !news.name.isEmpty { sayStates() }
  }

  /// Publishes a retained message. False: it waits.
  private func keep(_ topic: String, _ bytes: [UInt8]) -> Bool {
    outbox.say(BrokerMessage(topic, bytes, quality: 1, isRetained: true), isOptional: true)
  }

  private func sayStates() {
    for device in news.devices.prefix(Self.deviceLimit) {
      if !outbox.mayBeSaid { return }
      let state = state(of: device)
      if let said = states[device.name] {
        let pause = said.state == state ? Self.again : Self.pause
        if loop.now - said.at < pause { continue }
      }
      if !keep(topics.home(device.name), state.compact) { return }
      states[device.name] = Said(state: state, at: loop.now)
    }
  }

  // MARK: Documents

  private func state(of device: PublishedStatus.Device) -> JSON {
    var rate = device.heartRate
    if let live = rates[device.name], loop.wall.microseconds - live.time < Self.valueAge { rate = live.value }
    var members = [
      JSON.Member("present", .string(device.isHere ? "ON" : "OFF")),
      JSON.Member("heart_rate", .optional((device.isHere ? rate : nil).map { Int($0) })),
      JSON.Member("battery", .optional(device.battery.map { Int($0) })),
    ]
    if settings.persons != .none {
      members.append(JSON.Member("wearer", .optional(device.wearer.map(persons.said))))
    }
    return .object(members)
  }

  /// Wanted descriptions by topic.
  private func wantedDescriptions() -> [String: JSON] {
    var wanted: [String: JSON] = [:]
    let (prefix, own) = (settings.home.prefix, hub.device)
    var about: [JSON.Member] = [
      JSON.Member("identifiers", .array([.string(own)])), JSON.Member("name", .string("Hearth \(news.name)")),
      JSON.Member("manufacturer", "Hearth"), JSON.Member("model", "hub"),
      JSON.Member("sw_version", .string(news.version)),
    ]
    func describe(_ entity: HomeEntity, _ object: String, _ device: String, state: String) {
      wanted[hub.topic(prefix, entity.component, "\(object)_\(entity.object)")] = .object(
        entity.members(device, state: state, expiry: settings.sparkplug ? Self.expiry : nil)
          + [
            JSON.Member("availability_topic", .string(topics.status)),
            JSON.Member("availability_template", "{{ value_json.state }}"), JSON.Member("device", .object(about)),
            JSON.Member("origin", ["name": "Hearth", "sw_version": .string(hearthVersion)]),
          ])
    }
    describe(.trouble, "hub", own, state: topics.status)
    for device in news.devices.prefix(Self.deviceLimit) {
      let object = HomeNode.digits(device.name)
      let id = "\(own)-\(object)"
      about = [
        JSON.Member("identifiers", .array([.string(id)])), JSON.Member("name", .string(device.name)),
        JSON.Member("via_device", .string(own)),
      ]
      for (name, text) in [
        ("manufacturer", device.manufacturer), ("model", device.model), ("sw_version", device.firmware),
      ] {
        if let text { about.append(JSON.Member(name, .string(text))) }
      }
      let entities: [HomeEntity] = [.present, .heartRate, .battery] + (settings.persons == .none ? [] : [.wearer])
      for entity in entities { describe(entity, object, id, state: topics.home(device.name)) }
    }
    return wanted
  }
}

/// Names of a hub in topics of Home Assistant, which only allow letters, digits, `_` and `-`.
struct HomeNode {
  /// Name of the hub as a device; wearables are `device-…`.
  let device: String

  init(group: String, hub: String) { device = "hearth-" + Self.digits("\(group)\n\(hub)") }

  static func digits(_ name: String) -> String { shortHash(Array(name.utf8)) ?? "0" }

  func topic(_ prefix: String, _ component: String, _ object: String) -> String {
    "\(prefix)/\(component)/\(device)/\(object)/config"
  }

  func filter(_ prefix: String) -> String { topic(prefix, "+", "+") }

  func owns(_ topic: String, _ prefix: String) -> Bool {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    return levels.count == 5 && levels[0] == prefix && levels[2] == device && levels[4] == "config"
  }
}

/// Entity of a device in Home Assistant.
struct HomeEntity {
  var component = "sensor"
  let object: String
  let name: String
  let template: String
  var more: [JSON.Member] = []

  static let present = HomeEntity(
    component: "binary_sensor", object: "present", name: "Present", template: "{{ value_json.present }}",
    more: [JSON.Member("device_class", "presence")])
  static let heartRate = HomeEntity(
    object: "heart_rate", name: "Heart rate", template: "{{ value_json.heart_rate }}",
    more: [
      JSON.Member("unit_of_measurement", "bpm"), JSON.Member("state_class", "measurement"),
      JSON.Member("icon", "mdi:heart-pulse"),
    ])
  static let battery = HomeEntity(
    object: "battery", name: "Battery", template: "{{ value_json.battery }}",
    more: [
      JSON.Member("device_class", "battery"), JSON.Member("unit_of_measurement", "%"),
      JSON.Member("state_class", "measurement"), JSON.Member("entity_category", "diagnostic"),
    ])
  static let wearer = HomeEntity(
    object: "wearer", name: "Wearer", template: "{{ value_json.wearer }}", more: [JSON.Member("icon", "mdi:account")])
  static let trouble = HomeEntity(
    component: "binary_sensor", object: "trouble", name: "Trouble",
    template: "{{ 'ON' if value_json.troubles else 'OFF' }}",
    more: [JSON.Member("device_class", "problem"), JSON.Member("entity_category", "diagnostic")])

  /// - Parameter expiry: s without a state after which it is unavailable; nil: the will reports that.
  func members(_ device: String, state: String, expiry: Int64?) -> [JSON.Member] {
    [
      JSON.Member("name", .string(name)), JSON.Member("unique_id", .string("\(device)-\(object)")),
      JSON.Member("state_topic", .string(state)), JSON.Member("value_template", .string(template)),
    ] + more + (expiry.map { [JSON.Member("expire_after", .integer($0))] } ?? [])
  }
}
