// Holds the ledger of links against the kernel's own list.

extension LinuxRadio {
  /// Events can be lost when a buffer overflows; the list cannot. One question at a time, asked again if something
  /// moved meanwhile.
  func reconcile() {
    mustReconcile = true
    if isReconciling { return }
    isReconciling = true
    loop.spawn { await self.reconcileUntilStill() }
  }

  func reconcileUntilStill() async {
    defer { isReconciling = false }
    while mustReconcile, state == .ready, let identity = adapter.identity {
      mustReconcile = false
      guard let reply = try? await adapter.channel.perform(.getConnections, index: identity.index) else { return }
      if !mustReconcile, state == .ready, let links = ManagementReply.connections(reply) { ledger.rebuild(links) }
    }
  }
}
