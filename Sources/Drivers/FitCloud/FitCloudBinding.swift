// Binding and login: how a band accepts this hub, and how the hub unbinds it.

import Bands
import EventLoop
import Wearable

@LoopActor
final class FitCloudBinding {
  private let link: any WearableLink
  private let client: FitCloudClient
  private(set) var isBound = false

  /// Time for a binding, which a person may have to confirm on the band. The band itself gives up earlier.
  private static let confirmation: Duration = .seconds(30)

  init(_ client: FitCloudClient) { (self.client, link) = (client, client.link) }

  private var user: [UInt8] { FitCloudUser.bytes(BandBinding.user(of: link.address)) }

  /// Binds the band or logs in to it. A band that was reset refuses the login, and is then bound again. A band that
  /// another host has bound meanwhile refuses both.
  ///
  /// - Throws: `bindingRefused`, `silent`.
  func authenticate() async throws(VisitTrouble) {
    isBound = false
    let isNew = link.remembered(BandBinding.self) == nil
    var refusal = try await ask(isNew: isNew)
    if !isNew, refusal == .unexplained { refusal = try await ask(isNew: true) }
    if let refusal { throw .bindingRefused(refusal) }
  }

  /// Sends the request. If the band acknowledges it without a reply, the request is repeated with the keys of the other
  /// generation, unless its generation is known. Only a reply shows which keys a band speaks.
  ///
  /// - Returns: nil if the band accepts.
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
    // An empty reply has no result, and counts as unbound.
    if let refusal = Self.refusal(FitCloudResult(reply)), !reply.isEmpty { throw .bindingRefused(refusal) }
    isBound = false
    link.forget(BandBinding.self)
  }

  /// nil: accepted. No code means "bound by another host": that is "failed", like any other error.
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
