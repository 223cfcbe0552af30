// An operator's lasting choice of a profile, as it is stored.

import Bluetooth
import StateCodec
import Wearable

/// The profile that an operator chose for one wearable, until it is withdrawn.
struct ProfileChoice: Equatable {
  let profile: LinkProfile
  /// True if only the hub's side of the link is set; the wearable's characteristic is left alone.
  var isByCentral = false

  init(profile: LinkProfile, isByCentral: Bool) {
    self.profile = profile
    self.isByCentral = isByCentral
  }
}

extension ProfileChoice: RememberedState {
  static let name = "profile"

  func write(to fields: inout FieldWriter) {
    fields.put(1, profile.name)
    fields.put(2, flag: isByCentral)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var word: String?
    var isByCentral: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&word, atMost: 32)
      case 2: fields.read(&isByCentral)
      default: break
      }
    }
    guard let profile = word.flatMap({ LinkProfile(name: $0) }), let isByCentral else { return nil }
    self.init(profile: profile, isByCentral: isByCentral)
  }
}
