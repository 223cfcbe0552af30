#pragma once
#include <mosquitto.h>
// From 2.1 on a part of the above, and a warning by itself.
#if LIBMOSQUITTO_VERSION_NUMBER < 2001000
#include <mqtt_protocol.h>
#endif
