// Status of the daemon and its wearables, as far as the uplink publishes it.

internal import EventLoop
internal import HubProtocol
internal import JSONText

/// Reply of `Status` and of `Devices`.
struct PublishedStatus: Equatable {
  struct Device: Equatable {
    var name: String
    var state: String
    var battery: Int64?
    var heartRate: Int64?
    var wearer: String?
    var manufacturer: String?
    var model: String?
    var firmware: String?
    var isHere: Bool { DeviceDocument.isHere(.init(state)) }
  }

  var name = ""
  var version = ""
  var phase = ""
  /// Time zone of the hub's days.
  var zone: String?
  /// Enrolled wearables.
  var devices: [Device] = []
  /// Reason codes, each once, in their order.
  var troubles: [String] = []
  var unexported: Int64 = 0
  var pending: Int64 = 0
  var lostRows: Int64 = 0
  var lostFrom: String?
  var lostTo: String?

  var missing: [String] { devices.filter { $0.state == "missing" }.map(\.name) }

  init() {}

  init(status: JSON, devices list: JSON) {
    let status = status["status"] ?? .null
    func whole(_ json: JSON?) -> Int64? { if case .integer(let number)? = json { number } else { nil } }
    name = status["name"]?.text ?? ""
    version = status["version"]?.text ?? ""
    phase = status["phase"]?.text ?? ""
    zone = status["clock"]?["zone"]?.text
    let store = status["store"] ?? .null
    unexported = whole(store["unexported"]) ?? 0
    pending = whole(store["pending_samples"]) ?? 0
    lostRows = whole(store["evicted_unexported"]) ?? 0
    (lostFrom, lostTo) = lostRows > 0 ? (store["evicted_from"]?.text, store["evicted_to"]?.text) : (nil, nil)
    if case .array(let attention)? = status["attention"] {
      troubles = Set(attention.compactMap { $0["reason"]?["code"]?.text }).sorted()
    }
    guard case .array(let all)? = list["devices"] else { return }
    for device in all where device["enrolled"]?.isTrue == true {
      guard let name = device["name"]?.text else { continue }
      devices.append(
        Device(
          name: name, state: device["state"]?.text ?? "", battery: whole(device["battery"]),
          heartRate: whole(device["heart_rate"]), wearer: device["wearer"]?.text,
          manufacturer: device["manufacturer"]?.text, model: device["model"]?.text, firmware: device["firmware"]?.text))
    }
  }
}
