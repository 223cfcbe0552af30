#pragma once
#include <nettle/aes.h>
