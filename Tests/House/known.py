"""Exceptions from the rules for structure: by name, with the present figure as their bound. No figure may grow, and
mended entries leave the list.

Rooms are folders below Sources.
"""

# Folders of one room that reach each other: so many at most.
folders_in_circles = {
    "Bluetooth": 2,
    "Drivers/Botz": 2,
    "Drivers/FitCloud": 2,
    "Drivers/Moyoung": 3,
    "Drivers/Polar": 5,
    "Drivers/StandardGATT": 5,
    "Hub": 3,
    "Twins/StandardGATT": 2,
    "Vitals": 2,
    "Wearable": 2,
    "hearth": 8,
    "hearth-bench": 3,
}

# Stored properties of a class.
stored_properties = {
    "Bluetooth GATTClient": 18,
    "Control ControlConnection": 26,
    "Control ControlServer": 16,
    "Daemon DaemonRun": 13,
    "Drivers/FitCloud FitCloudSession": 13,
    "Drivers/Polar PolarFiles": 13,
    "Drivers/Polar PolarSession": 13,
    "Drivers/TopStepNext TopStepChannel": 22,
    "Hub AdvertisedValues": 13,
    "Hub EnrolledWearable": 13,
    "Hub EventKeeper": 15,
    "Hub Hearth": 18,
    "Hub HubContext": 13,
    "Hub HubLink": 14,
    "Hub HubStatus": 14,
    "Hub Lane": 13,
    "Hub LiveIntake": 21,
    "Hub LiveLink": 19,
    "Hub LiveState": 16,
    "Hub PartSink": 16,
    "Hub Strangers": 17,
    "Hub VisitRunner": 17,
    "Hub VitalsRun": 31,
    "Hub VitalsTap": 25,
    "MQTTWire MQTTLink": 15,
    "Simulation HubWatch": 22,
    "Simulation VirtualLink": 21,
    "Simulation VirtualPeripheral": 16,
    "Simulation VirtualRadio": 26,
    "Sink BrokerLane": 16,
    "Twins/Bands VirtualBand": 15,
    "Twins/Bands VirtualFitCloud": 21,
    "Twins/Bands VirtualMoyoungBand": 20,
    "Twins/Bands VirtualTopStepBand": 17,
    "Twins/Botz VirtualInsole": 55,
    "Twins/Hostile HostileTap": 23,
    "Twins/Polar VirtualPolar": 73,
    "Twins/StandardGATT HealthTwin": 22,
    "Twins/StandardGATT VirtualOximeter": 19,
    "Twins/StandardGATT VirtualStrap": 19,
    "Uplink HistoryStream": 14,
    "Uplink MosquittoBroker": 14,
    "Uplink NodeVoice": 16,
    "Uplink Outbox": 19,
    "Uplink UplinkCourse": 22,
    "hearth WatchTerminal": 17,
    "hearth-sim BandMonth": 15,
    "hearth-sim PolarMonth": 13,
    "hearth-sim Siege": 16,
    "hearth-sim SiegeGuest": 13,
    "hearth-sim WardMonth": 13,
}

# Lines of a function.
lines_of_function = {
    "Drivers/Polar/PolarReports.swift recordingsReport": 66,
    "Drivers/Polar/PolarReports.swift settingsReport": 61,
    "Hub/Status/WearableStatus.swift snapshot": 73,
    "Simulation/StoreCheck.swift init": 68,
    "Twins/Botz/InsoleDatabase.swift services": 62,
    "UplinkMessages/UplinkRow.swift init": 88,
    "hearth-sim/BandJudge.swift judge": 82,
    "hearth/Rendering/DeviceText.swift render": 86,
}
