// An operator's lasting choice of a profile, as the notes of a wearable keep it.

import Bluetooth
import Wearable

/// What an operator chose for one wearable, for good.
struct ProfileChoice: Equatable {
  let profile: LinkProfile
  /// Only the hub's side of the link is set; the wearable's characteristic is left alone.
  var isByCentral = false

  /// `idle`, or `idle central`.
  init?(note: String) {
    let words = note.split(separator: " ")
    guard let first = words.first, let profile = LinkProfile(name: String(first)) else { return nil }
    self.init(profile: profile, isByCentral: words.dropFirst().first == Self.central)
  }

  init(profile: LinkProfile, isByCentral: Bool) {
    self.profile = profile
    self.isByCentral = isByCentral
  }

  var note: String { isByCentral ? "\(profile.name) \(Self.central)" : profile.name }

  private static let central: Substring = "central"
}
