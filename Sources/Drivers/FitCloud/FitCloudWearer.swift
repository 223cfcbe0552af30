// What a band of the old generation is told of its wearer's body, and whose it was told last.

import Bands
import EventLoop
import Health
import StateCodec
import Wearable

/// Whose body a band was told last. It cannot be read.
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
  /// What it is to be told now, whole; nil: nothing. Of another wearer than before what is not known is assumed.
  @LoopActor
  static func next(_ link: any WearableLink) -> (profile: FitCloudProfile, told: BandBodyTold)? {
    guard let next = BandBodyTold.next(after: link.remembered(FitCloudWearer.self)?.told, link),
      let profile = FitCloudProfile(next.body)
    else { return nil }
    return (profile, next.told)
  }

  /// What of the body it was told is assumed; empty where nothing is.
  @LoopActor
  static func rows(_ link: any WearableLink) -> [ReportRow] {
    link.remembered(FitCloudWearer.self)?.told.assumedRows(link) ?? []
  }
}
