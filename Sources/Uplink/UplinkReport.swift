// Status of the uplink on its own socket, and the resend order.

import CivilTime
internal import EventLoop
public import HubProtocol
public import Reasons
internal import UplinkMessages

extension UplinkCourse {
  var troubles: [HearthError] {
    var all = [
      trouble.broker, trouble.reader, trouble.hub ?? histories.lazy.compactMap(\.trouble).first.map(Self.silent),
    ]
    .compactMap { $0 }
    all += outboxes.compactMap(\.packets.tooLong) + [outbox.packets.forbidden].compactMap { $0 }
    if news.lostRows > 0 {
      let span = [news.lostFrom, news.lostTo].compactMap { $0 }.joined(separator: " to ")
      all.append(HearthError(.uplinkLosses, "\(news.lostRows) rows\(span.isEmpty ? "" : " of \(span)")"))
    }
    return all
  }

  /// Report at this moment.
  public var document: UplinkDocument {
    var document = UplinkDocument()
    let figures = outbox.figures
    document.version = hearthVersion
    (document.hub, document.group) = (hub, settings.group)
    document.broker = broker.place
    document.secure = settings.secure.isOn
    document.connected = outbox.isConnected
    document.connectedSince = connectedAt.map { momentText($0.wall.microseconds, .exact) }
    document.protocol = connectedAt?.words
    document.tries = tries
    document.nextTry = nextTry.map { momentText($0.at.microseconds, .exact) }
    document.store = history.store.map(RowGroup.storeText)
    let since = history.counts.rowsConfirmed - confirmedThen
    document.backlogRows = news.name.isEmpty ? nil : max(0, Int(news.unexported) - since)
    document.backlogHours = backlogHours
    document.rowsPerSecond = figures.rowRate
    document.bytesPerSecond = outboxes.reduce(0) { $0 + $1.figures.byteRate }
    document.limitBits = settings.limit
    document.lastAcknowledged = figures.lastAcknowledged.map { momentText($0.microseconds, .exact) }
    document.rowsSent = figures.rowsSent
    document.rowsAcknowledged = figures.rowsAcknowledged
    document.rowsConfirmed = history.counts.rowsConfirmed
    document.messagesSent = outboxes.reduce(0) { $0 + $1.figures.messages }
    document.bytesSent = outboxes.reduce(0) { $0 + $1.figures.bytes }
    document.inFlight = outboxes.reduce(0) { $0 + $1.held.messages }
    document.inFlightBytes = outboxes.reduce(0) { $0 + $1.held.bytes }
    (document.unsaidRows, document.corruptChunks) = (history.counts.unsaid, history.counts.corruptChunks)
    document.liveValues = voice.liveValues
    document.ignored = voice.ignored
    document.lostRows = Int(news.lostRows)
    (document.lostFrom, document.lostTo) = (news.lostFrom, news.lostTo)
    document.resend = orders.order
    document.troubles = troubles.map { TroubleDocument($0) }
    return document
  }

  /// - Throws: `uplinkOrderRefused`.
  public func resend(from text: String) throws(HearthError) -> UplinkDocument.Resend { try orders.begin(from: text) }
}
