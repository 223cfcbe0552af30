// Writing of a profile's characteristic: encrypted if the wearable requires that, and only once if a refusal is an
// answer.

import Bluetooth
import EventLoop
import Wearable

extension HubLink {
  /// - Parameter isOnce: a refusal is an answer; otherwise it may mean a full queue, and the write is repeated.
  func writeProfile(_ code: UInt8, _ characteristic: GATTCharacteristic, isOnce: Bool) async throws(VisitTrouble) {
    guard !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      throw .unsupported("its profile cannot be written")
    }
    guard characteristic.properties.contains(.write) else { return try await writeCommand(characteristic, [code]) }
    do throws(VisitTrouble) { try await requestProfile(code, characteristic, isOnce: isOnce) } catch {
      guard case .refused(let answer, _) = error, answer.wantsSecurity, !isSecured, events.maySecure() else {
        throw error
      }
      try await secure()
      try await requestProfile(code, characteristic, isOnce: isOnce)
    }
  }

  /// nil if it cannot be read.
  func readProfile(_ characteristic: GATTCharacteristic) async -> UInt8? {
    characteristic.properties.contains(.read) ? try? await read(characteristic).first : nil
  }

  private func requestProfile(
    _ code: UInt8, _ characteristic: GATTCharacteristic, isOnce: Bool
  ) async throws(VisitTrouble) {
    if isOnce { try await writeOnce(characteristic) { [code] } } else { try await write(characteristic, [code]) }
  }
}
