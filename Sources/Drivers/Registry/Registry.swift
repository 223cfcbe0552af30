// Every family of wearables this hub knows. A new one is a folder and a target beside this one, and one line here.

import BotzFamily
import FitCloudFamily
import GATTServices
import MoyoungFamily
import PolarFamily
import StandardGATTFamily
import TopStepNextFamily
public import Wearable

/// Drivers of all kinds. If two claim one wearable, the higher priority wins; equal priorities are a fault that the
/// conformance tests find.
public let registry: [any WearableDriver] = [
  // Of Polar's straps those without streams are claimed here, and they too advertise their heart rate.
  StandardDriver(standardProfiles, shows: Polar.isShown) { Polar.AdvertisedHeartRate() },
  BotzDriver(),
  PolarDriver(),
  PolarStrapDriver(),
  FitCloudDriver(),
  TopStepNextDriver(),
  MoyoungDriver(),
]

/// Services of the Bluetooth SIG, one line each: a wearable is served in all that it has. Those that measure come
/// first.
let standardProfiles: [ServiceProfile] = [
  .heartRate,
  .pulseOximeter,
  .thermometer,
  .bloodPressure,
  .running,
  .cycling,
  .weightScale,
  .bodyComposition,
  .genericHealthSensor,
  .battery,
  .deviceInformation,
  .currentTime,
  .reconnection,
]
