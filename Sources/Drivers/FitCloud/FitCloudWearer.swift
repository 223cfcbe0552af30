// Wearer's body for a band of the old generation, and the record of the last one sent.

import Bands
import EventLoop
import Health
import StateCodec
import Wearable

/// Record of the body that a band received last. The band cannot be asked for it.
struct FitCloudWearer: RememberedState {
  static let name = "fitcloud-wearer"
  let told: BandBodyTold

  init(_ told: BandBodyTold) { self.told = told }

  func write(to fields: inout FieldWriter) {
    if let wearer = told.wearer { fields.put(1, wearer) }
    fields.put(2, flag: told.isAssumed)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var wearer: UInt32?
    var isAssumed: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearer)
      case 2: fields.read(&isAssumed)
      default: break
      }
    }
    told = BandBodyTold(wearer: wearer, isAssumed: isAssumed ?? false)
  }
}

extension FitCloudWearer {
  /// Whole body to send now; nil if no change is needed. After a change of wearer, unknown parts are assumed.
  @LoopActor
  static func next(_ link: any WearableLink) -> (profile: FitCloudProfile, told: BandBodyTold)? {
    guard let next = BandBodyTold.next(after: link.remembered(FitCloudWearer.self)?.told, link),
      let profile = FitCloudProfile(next.body)
    else { return nil }
    return (profile, next.told)
  }

  /// Report of the parts that were assumed; empty if all were entered.
  @LoopActor
  static func rows(_ link: any WearableLink) -> [ReportRow] {
    link.remembered(FitCloudWearer.self)?.told.assumedRows(link) ?? []
  }
}
