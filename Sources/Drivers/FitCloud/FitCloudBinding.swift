// Bound once, logged in to ever after: how a band accepts this hub, and how it lets it go.

import Bands
import EventLoop
import Wearable

@LoopActor
final class FitCloudBinding {
  private let link: any WearableLink
  private let client: FitCloudClient
  private(set) var isBound = false

  /// For binding a person may have to press something on the band, which gives up by itself before that.
  private static let confirmation: Duration = .seconds(30)

  init(_ client: FitCloudClient) { (self.client, link) = (client, client.link) }

  private var user: [UInt8] { FitCloudUser.bytes(BandBinding.user(of: link.address)) }

  /// Binds or logs in. A band that knows nothing of this hub any more, since it was reset, refuses the login and is
  /// bound anew; one that somebody else has bound meanwhile refuses that as well.
  ///
  /// - Throws: `bindingRefused`, `silent`.
  func authenticate() async throws(VisitTrouble) {
    isBound = false
    let isNew = link.remembered(BandBinding.self) == nil
    var refusal = try await ask(isNew: isNew)
    if !isNew, refusal == .unexplained { refusal = try await ask(isNew: true) }
    if let refusal { throw .bindingRefused(refusal) }
  }

  /// A band that has the request and does not reply is asked with the keys of the other generation: only its reply says
  /// which ones it speaks.
  ///
  /// - Returns: nil where it accepts.
  private func ask(isNew: Bool) async throws(VisitTrouble) -> BindingRefusal? {
    func ask(_ generation: FitCloudGeneration, _ patience: Duration) async throws(VisitTrouble) -> [UInt8]? {
      try await client.ask(isNew ? .bind(generation) : .login(generation), user, within: patience)
    }
    let known = link.remembered(FitCloudMemory.self)?.generation
    var reply = try await ask(client.generation, isNew ? Self.confirmation : FitCloudClient.patience)
    if reply == nil, known == nil {
      client.generation = client.generation.other
      reply = try await ask(client.generation, FitCloudClient.patience)
    }
    guard let reply else { throw .silent(what: isNew ? "being bound" : "being logged in to") }
    if let refusal = Self.refusal(FitCloudResult(reply)) { return refusal }
    isBound = true
    if known != client.generation {
      var memory = link.remembered(FitCloudMemory.self) ?? FitCloudMemory()
      memory.generation = client.generation
      try link.remember(memory)
    }
    if isNew { try link.remember(BandBinding(link.hubTime)) }
    return nil
  }

  func unbind() async throws(VisitTrouble) {
    guard let reply = try await client.ask(.unbind(client.generation)) else { throw .silent(what: "being unbound") }
    // A reply without a byte is one that says no more than that.
    if let refusal = Self.refusal(FitCloudResult(reply)), !reply.isEmpty { throw .bindingRefused(refusal) }
    isBound = false
    link.forget(BandBinding.self)
  }

  /// nil: accepted. No code tells that another host has bound it: that is "failed" like anything else.
  private static func refusal(_ result: FitCloudResult) -> BindingRefusal? {
    switch result {
    case .accepted: nil
    case .failed, .unknown: .unexplained
    case .cancelled: .cancelled
    case .timedOut: .notConfirmed
    case .needsReset: .resetNeeded
    }
  }
}
