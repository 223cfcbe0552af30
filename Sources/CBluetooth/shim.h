#pragma once
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

// The ioctl numbers are function-like macros, which Swift does not import.
static const unsigned long hearth_hci_device_down = HCIDEVDOWN;
static const unsigned long hearth_hci_device_up = HCIDEVUP;
static const unsigned long hearth_hci_device_reset = HCIDEVRESET;
