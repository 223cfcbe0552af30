// The bracket around every phase that reads or removes the wearable's files.

import EventLoop
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Asks whether a sync may begin, and begins it.
  ///
  /// - Throws: `busy` while a training runs: to come back later.
  func startSync() async throws(VisitTrouble) {
    try await openSession()
    do throws(VisitTrouble) { try await beginSync() } catch {
      await stopSync()
      throw error
    }
  }

  /// Asks whether a sync may begin, and opens the session in which files may be read. The sync itself has not begun:
  /// nothing was written from RAM to files.
  ///
  /// - Throws: `busy` while a training runs: to come back later.
  func openSession() async throws(VisitTrouble) {
    _ = try await ask(.requestSynchronization)
    do throws(VisitTrouble) { try await say(.initializeSession) } catch {
      // It has begun as far as the wearable is concerned.
      await stopSync()
      throw error
    }
  }

  /// Within a session: what the wearable has in RAM is written to its files, and its link gets faster.
  func beginSync() async throws(VisitTrouble) { try await say(.startSync) }

  /// Ends it. Nothing depends on how this goes: a wearable whose link drops ends it by itself.
  func stopSync() async {
    do throws(VisitTrouble) { try await endSync() } catch { link.note("a sync could not be ended") }
  }

  /// Ends it, and tells if that did not come through.
  func endSync() async throws(VisitTrouble) {
    var stop = PbPFtpStopSyncParams()
    stop.completed = true
    guard let parameters = try? stop.wire() else { return }
    try await say(.stopSync, parameters)
    try await say(.terminateSession)
  }

  /// One phase between start and stop; stopped also after failure.
  func inSync<Value>(_ phase: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value {
    try await startSync()
    do throws(VisitTrouble) {
      let value = try await phase()
      await stopSync()
      return value
    } catch {
      await stopSync()
      throw error
    }
  }
}

extension PSFTP {
  /// What a RESET makes of a wearable. Its link drops while it is told, which is no failure.
  enum Reset: Sendable, Hashable, CaseIterable {
    case factoryDefaults
    case factoryDefaultsKeepingBond
    case restart
    /// As it lay in the shop.
    case warehouseSleep
    case turnOff

    var parameters: PbPFtpFactoryResetParams {
      var reset = PbPFtpFactoryResetParams()
      reset.sleep = self == .warehouseSleep || self == .turnOff
      switch self {
      case .factoryDefaults: break
      case .factoryDefaultsKeepingBond: reset.otaFwupdate = true
      case .restart, .turnOff: reset.doFactoryDefaults = false
      case .warehouseSleep: reset.doFactoryDefaults = true
      }
      return reset
    }
  }
}

extension PSFTPClient {
  func reset(_ reset: PSFTP.Reset) async throws(VisitTrouble) {
    guard let parameters = try? reset.parameters.wire() else { return }
    do throws(VisitTrouble) { try await say(.reset, parameters) } catch {
      if case .link = error { return }
      throw error
    }
  }
}
