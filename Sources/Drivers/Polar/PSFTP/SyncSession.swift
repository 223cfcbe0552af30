// The sync session: the bracket around every phase that reads or removes files of the wearable.

import EventLoop
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Asks whether a sync may begin, and begins it.
  ///
  /// - Throws: `busy` while a training runs; the visit comes back later.
  func startSync() async throws(VisitTrouble) {
    try await openSession()
    do throws(VisitTrouble) { try await beginSync() } catch {
      await stopSync()
      throw error
    }
  }

  /// Asks whether a sync may begin, and opens the session in which files may be read. The sync itself has not begun:
  /// data in RAM is not yet written to files.
  ///
  /// - Throws: `busy` while a training runs; the visit comes back later.
  func openSession() async throws(VisitTrouble) {
    _ = try await ask(.requestSynchronization)
    do throws(VisitTrouble) { try await say(.initializeSession) } catch {
      // The wearable may consider the session open.
      await stopSync()
      throw error
    }
  }

  /// Begins the sync within a session: the wearable writes data in RAM to its files, and makes its link faster.
  func beginSync() async throws(VisitTrouble) { try await say(.startSync) }

  /// Ends the sync, and ignores errors: a wearable ends it by itself when its link drops.
  func stopSync() async {
    do throws(VisitTrouble) { try await endSync() } catch { link.note("a sync could not be ended") }
  }

  /// Ends the sync, and throws if the wearable could not be notified.
  func endSync() async throws(VisitTrouble) {
    var stop = PbPFtpStopSyncParams()
    stop.completed = true
    guard let parameters = try? stop.wire() else { return }
    try await say(.stopSync, parameters)
    try await say(.terminateSession)
  }

  /// Runs a phase between start and stop; the stop is sent after a failure too.
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
  /// Effect of a RESET. The link drops during the request, which is not an error.
  enum Reset: Sendable, Hashable, CaseIterable {
    case factoryDefaults
    case factoryDefaultsKeepingBond
    case restart
    /// Storage mode, as delivered to a shop.
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
