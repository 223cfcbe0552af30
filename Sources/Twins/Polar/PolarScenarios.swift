// What checkers and scenarios read of a simulated Polar wearable, and how they add a file.

public import Bluetooth
import Simulation

extension VirtualPolar {
  /// Whether a measurement is being recorded, or an exercise by a strap.
  public var isRecording: Bool { !recordings.isEmpty || strapExercise != nil }
  /// Measurements that are recorded now.
  public var runningRecordings: [PolarKind] { PolarKind.allCases.filter { recordings[$0] != nil } }
  /// Whether files are unavailable because of a training.
  var isBusy: Bool { isTraining }
  /// Handle of a characteristic's value, if any.
  public func handle(_ characteristic: BluetoothUUID) -> UInt16? { server.valueHandle(of: characteristic) }
  /// Adds a complete file.
  public func put(_ path: String, _ bytes: [UInt8]) { files.put(path, bytes) }
}
