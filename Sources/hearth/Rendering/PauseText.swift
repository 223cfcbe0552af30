// Paused wearables as text.

import EventLoop
import HubProtocol
import StoreDocuments

func renderPause(_ device: DeviceDocument, _ time: HubTime) -> String {
  guard device.pausedSince != nil else { return line("\(device.name): collected") }
  let end = device.pausedUntil.map { "until \(time.text($0))" } ?? "until: hearth device \(device.name) resume"
  return line("\(device.name): paused \(end)")
}

/// `no: paused by order 2 h ago, for 7 h more`
func pauseText(_ device: DeviceDocument, _ now: WallTime) -> String {
  let since = age(device.pausedSince, now).map { " \(span($0)) ago" } ?? ""
  let left = wait(device.pausedUntil, now).map { ", for \(span($0)) more" } ?? ""
  return "no: paused by order\(since)\(left)"
}
