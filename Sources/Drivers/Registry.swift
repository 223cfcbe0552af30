// Every family of wearables this hub knows. A new one is a folder beside this file and one line in it.

public import Wearable

/// All drivers. Where two claim one wearable, the higher priority wins; equal priorities are a fault that the conformance tests find.
public let registry: [any WearableDriver] = [
  HeartRateDriver(),
  BotzDriver(),
  PolarDriver(),
  PolarStrapDriver(),
]

/// The driver for an advertiser, and what it says about it; nil if none claims it.
public func recognise(_ sighting: Sighting) -> (driver: any WearableDriver, recognition: Recognition)? {
  Wearable.recognise(sighting, among: registry)
}

/// The driver that was chosen at enrolment, by its stable identity; nil if this hub no longer has it.
public func driver(id: String) -> (any WearableDriver)? {
  registry.first { $0.id == id }
}
