// Known defects of the insole's firmware, as data. NOTES.md documents how the hub handles each.

import Wearable

extension BotzDriver {
  static let knownQuirks: [Quirk] = [
    Quirk(
      "idle-illegal", affects: "all builds known",
      effect:
        """
        the published idle parameters (200 to 500 ms, latency 10, 10 s) break the timeout rule: a write ends in \
        error 0x0E, or within the first 5 s of a 
        """
          + "link succeeds without effect; background takes its place",
      source: firmwareSource + " src/bluetooth/ble_conn_params.cpp; Zephyr subsys/bluetooth/host/conn.c"),
    Quirk(
      "profile-deferred", affects: "all builds known",
      effect: "a profile written in the first 5 s of a link takes effect at 5 s; the last one written counts",
      source: firmwareSource + " src/bluetooth/ble_conn_params.cpp"),
    Quirk(
      "profile-eras", affects: "builds from 2025-06-27 on",
      effect:
        """
        the profile characteristic is read and written over an encrypted link (until 2025-08-12), read and written \
        in the clear (until 2025-09-15), or only written
        """,
      source: "commits f4c82290, 9c51c459, 380adda5 of the firmware"),
    Quirk(
      "smp-disturbs-link", affects: "all builds known",
      effect:
        """
        the first management frame makes it ask for 10 to 11.25 ms with a timeout of 420 ms, and 5 s after the last \
        one for 30 to 50 ms: the profile is asked for again after 6 s
        """,
      source: firmwareSource + " prj.conf (MCUMGR_TRANSPORT_BT_CONN_PARAM_CONTROL)"),
    Quirk(
      "clock-falls-back", affects: "all builds known, by arithmetic",
      effect:
        """
        the clock falls back by 512 s each time they have passed since it was set: it is set every two minutes on a \
        link
        """,
      source: firmwareSource + " src/data (24-bit RTC counter at 32,768 Hz, one wrap handled)"),
    Quirk(
      "announced-suffix", affects: "all builds known",
      effect: "the announced path ends in .pb after a restart, the file in .dat: the path is made from the number",
      source: firmwareSource + " src/data/data.cpp"),
    Quirk(
      "delete-ineffective", affects: "all builds known",
      effect: "deleting one file is acknowledged, closes a running session and deletes no file: never sent",
      source: firmwareSource + " src/data/data.cpp"),
    Quirk(
      "erase-once-per-boot", affects: "all builds known",
      effect: "a second erase in the same boot is acknowledged and ignored",
      source: firmwareSource + " src/data/data.cpp"),
    Quirk(
      "erase-uuid-twice", affects: "all builds known",
      effect: "erase and cadence have one number in two services: characteristics are looked up in their service",
      source: firmwareSource + " src/bluetooth/control_service.cpp, activity_metrics_service.cpp"),
    Quirk(
      "start-stops-streams", affects: "all builds known",
      effect:
        """
        any write to Start suspends the sensors, any write to Stop resets the distance: only allowed steps are \
        written
        """,
      source: firmwareSource + " src/bluetooth/control_service.cpp"),
    Quirk(
      "notifications-lost", affects: "all builds known",
      effect: "queues are emptied by any new link and by sensor samples: everything is read back",
      source: firmwareSource + " src/bluetooth/bluetooth.cpp, src/foot_sensor"),
    Quirk(
      "stream-repeats", affects: "all builds known",
      effect:
        """
        a packet of the left foot makes another notification with an unchanged time stamp, which takes the place of \
        the one before
        """,
      source: firmwareSource + " src/bluetooth/information_service.cpp"),
    Quirk(
      "invented-values", affects: "1.7.1",
      effect: "battery 80 %, temperature, weight, free storage and serial number are constants: they are not kept",
      source: firmwareSource + " src/bluetooth/information_service.cpp, device_info_service.cpp"),
    Quirk(
      "linked-bit", affects: "all builds known",
      effect: "bit 30 of the status says that any link is up, the hub's own too: ignored",
      source: firmwareSource + " src/bluetooth/bluetooth.cpp"),
    Quirk(
      "no-protection", affects: "builds from 2025-09 on",
      effect: "any device in range can start, stop and erase: the hub cannot change that, only notice it",
      source: firmwareSource + " src/bluetooth/control_service.cpp"),
  ]

  private static let firmwareSource = "Botz-Limited/sensing_system-Zephyr 95d68331 (1.7.1):"
}
