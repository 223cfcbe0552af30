// A day in full: from the daemon, else by the same rules from the store.

import EventLoop
import Export
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

func fetchDaily(
  _ name: String, _ date: WallTime, _ series: String?, _ time: HubTime, _ client: ControlClient?, _ session: Session
) throws(HearthError) -> DailyDocument {
  if let client {
    return try client.daily(.init(name: name, date: date.rfc3339, series: series), patience: 120).daily
  }
  let reader = try session.openStore()
  let names = reader.sampleExport(.ndjson)
  let subject = try ItemSubject(name, reader.wearables + reader.retiredWearables, names)
  var request = try DailyRequest(subject, at: date, series: series, zone: time.zone, names)
  for series in request.series {
    for group in subject.groups(of: series) { try add(series, group, to: &request, reader) }
  }
  if request.isWhole {
    request.add(try reader.sleep(subject.sources, request.date, zone: time.zone))
    for wearable in subject.sources.map(\.wearable) {
      let lines = try reader.dayLines(wearable, zone: time.zone, since: request.since, until: request.until)
      request.add(lines, of: wearable)
    }
  }
  return request.document
}

/// Adds the values of a series on the day, if there are any.
private func add(_ series: Series, _ group: [ItemSource], to request: inout DailyRequest, _ reader: StoreReader)
  throws(HearthError)
{
  func day(_ sources: [ItemSource]) throws(HearthError) -> DaySummary? {
    try reader.days(sources, series, zone: request.zone, since: request.since, until: request.until).days.first
  }
  var devices: [ItemSource] = []
  var found: DaySummary?
  for source in group {
    guard let own = try day([source]) else { continue }
    devices.append(source)
    found = own
  }
  if devices.count > 1 { found = try day(devices) }
  guard let found else { return }
  let pages = try request.lists(found, series, devices).map { (query) throws(HearthError) in
    try query.map { (query) throws(HearthError) in try reader.items(query) }
  }
  request.add(series, found, devices: devices, pages)
}
