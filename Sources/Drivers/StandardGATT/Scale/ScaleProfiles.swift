// The Weight Scale Service and the Body Composition Service as profiles of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum Scale {
  static let weightService: BluetoothUUID = 0x181D
  static let weight: BluetoothUUID = 0x2A9D
  static let weightFeature: BluetoothUUID = 0x2A9E

  static let compositionService: BluetoothUUID = 0x181B
  static let composition: BluetoothUUID = 0x2A9C
  static let compositionFeature: BluetoothUUID = 0x2A9B
}

extension ServiceProfile {
  /// Weight Scale Service 1.0.1.
  public static let weightScale = ServiceProfile(
    service: Scale.weightService, kind: "scale", hasShortPresence: true, dependsOnModel: true,
    sources: [
      LiveSource(
        service: Scale.weightService, characteristic: Scale.weight, mode: .subscribe, isRequired: true, isKept: true),
      LiveSource(service: Scale.weightService, characteristic: Scale.weightFeature, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.weight), .live(.bodyMassIndex), .live(.userIndex)], feature: Scale.weightFeature,
    liveSeries: { ScaleFeatures($0.feature).weightSeries }, makeDecoder: { WeightDecoder() })

  /// Body Composition Service 1.0.
  public static let bodyComposition = ServiceProfile(
    service: Scale.compositionService, kind: "body scale", hasShortPresence: true, dependsOnModel: true,
    sources: [
      LiveSource(
        service: Scale.compositionService, characteristic: Scale.composition, mode: .subscribe, isRequired: true,
        isKept: true),
      LiveSource(
        service: Scale.compositionService, characteristic: Scale.compositionFeature, mode: .read, isRequired: false),
    ],
    capabilities: [
      .live(.bodyFat), .live(.basalMetabolism), .live(.musclePercentage), .live(.muscleMass), .live(.fatFreeMass),
      .live(.softLeanMass), .live(.bodyWaterMass), .live(.bodyImpedance), .live(.weight), .live(.userIndex),
    ],
    feature: Scale.compositionFeature, liveSeries: { ScaleFeatures($0.feature).compositionSeries },
    makeDecoder: { BodyCompositionDecoder() })
}
