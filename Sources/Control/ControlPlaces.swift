// Allocation of places at the control socket: some are reserved for root, some for technicians, and no client can take
// all.

internal import Glibc
internal import Reasons

/// The share of the places that each class of client may have. Pure: decides from the present clients and the new one.
///
/// A user other than root takes at most `perUser`. Readers leave some places for technicians, and technicians some for
/// root and the daemon's own user. So an administrator reaches a busy hub too. Streams leave places for plain calls in
/// the same way.
enum ControlPlaces {
  /// Classes that places are reserved for, each above those before it.
  enum ClientClass: Int, Comparable {
    /// May only read.
    case reader
    /// May operate or administer.
    case technician
    /// Root and the daemon's own user.
    case owner

    static func < (a: ClientClass, b: ClientClass) -> Bool { a.rawValue < b.rawValue }
  }

  /// A connection that has a place, or wants one.
  struct Seat {
    let user: uid_t
    let clientClass: ClientClass
    /// True during a call with several replies.
    var streams = false
  }

  /// Connections at a time. People and scripts of one hub; two of sixteen are a busy day.
  static let all = 16
  /// Places for readers together: four of these 13 stay for technicians.
  static let readers = 9
  /// Places for readers and technicians together: three stay for root.
  static let others = 13
  /// Places for one user but root: a dashboard, a script and two terminals are four.
  static let perUser = 6
  /// Streams at a time, of all users: six places stay for plain calls.
  static let streams = 10
  /// Streams of one user but root.
  static let streamsPerUser = 4

  /// Returns why a newcomer gets no place; nil: it gets one.
  static func refusal(of newcomer: Seat, among seats: [Seat]) -> HearthError? {
    func refuse(_ count: Int, _ limit: Int, _ what: String) -> HearthError? {
      count < limit ? nil : HearthError(.controlTooManyClients, "\(limit) \(what) are connected already")
    }
    if let full = refuse(seats.count, all, "clients") { return full }
    if newcomer.clientClass == .owner { return nil }
    let own = seats.count { $0.user == newcomer.user }
    if let full = refuse(own, perUser, "clients of uid \(newcomer.user)") { return full }
    let below = seats.count { $0.clientClass < .owner }
    if let full = refuse(below, others, "clients of others than root") { return full }
    if newcomer.clientClass > .reader { return nil }
    return refuse(seats.count { $0.clientClass == .reader }, readers, "clients of the readers' group")
  }

  /// Returns why a client that has a place cannot stream now; nil: it can.
  static func refusal(ofStreamBy client: Seat, among seats: [Seat]) -> HearthError? {
    let streaming = seats.filter { $0.streams }
    if streaming.count >= streams {
      return HearthError(.controlTooManyClients, "\(streams) clients stream already")
    }
    if client.clientClass == .owner || streaming.count(where: { $0.user == client.user }) < streamsPerUser {
      return nil
    }
    return HearthError(.controlTooManyClients, "\(streamsPerUser) clients of uid \(client.user) stream already")
  }
}

extension AccessRules {
  /// Class of a client, for reserved places.
  func clientClass(_ peer: Peer) -> ControlPlaces.ClientClass {
    if owners.contains(peer.user) { return .owner }
    return role(user: peer.user, groups: peer.groups).map { $0 > .read } == true ? .technician : .reader
  }
}
