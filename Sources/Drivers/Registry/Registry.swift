// Every family of wearables this hub knows. A new one is a folder and a target beside this one, and one line here.

import BotzFamily
import PolarFamily
import StandardGATTFamily
public import Wearable

/// All drivers. Where two claim one wearable, the higher priority wins; equal priorities are a fault that the conformance tests find.
public let registry: [any WearableDriver] = [
  // Of Polar's straps those without streams are claimed here, and they too advertise their heart rate.
  HeartRateDriver { Polar.AdvertisedHeartRate() },
  BotzDriver(),
  PolarDriver(),
  PolarStrapDriver(),
]
