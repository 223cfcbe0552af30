"""What bonds and connection parameters need of a strap: pairing of every kind, private addresses, wishes of its own."""
import asyncio

from bumble import hci
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate

INTERVAL = 1.25  # ms
TIMEOUT = 10  # ms
KINDS = {
    "just-works": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "display": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "compare": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
}


class Person(PairingDelegate):
    """The person with the strap: reads what it shows, types what is wanted."""

    def __init__(self, strap, kind):
        super().__init__(KINDS[kind])
        self.strap = strap
        self.shown = None
        self.typed = asyncio.get_running_loop().create_future()

    async def compare_numbers(self, number, digits):
        self.shown = number
        self.strap.log("compare", number=number)
        return True

    async def get_number(self):
        return await self.typed

    async def display_number(self, number, digits):
        self.shown = number
        self.strap.log("show", number=number)


def set_pairing(strap, kind):
    """How the strap pairs from now on, always with Secure Connections."""
    strap.person = Person(strap, kind)
    # Bumble's own is all zero, which is no valid key.
    strap.device.irk = bytes([0x5A, strap.number] * 8)
    strap.device.pairing_config_factory = lambda _connection: PairingConfig(
        sc=True,
        mitm=kind != "just-works",
        bonding=True,
        delegate=strap.person,
        identity_address_type=PairingConfig.AddressType.PUBLIC if getattr(strap, "claimed", None) else PairingConfig.AddressType.RANDOM,
    )


def claim(strap, address):
    """What it gives as its identity address when it pairs (Core specification, volume 3, part H, 3.6.5): any, as the address is not proven."""
    strap.claimed = strap.device.public_address = Address(address)


async def forget_bonds(strap):
    await strap.device.keystore.delete_all()
    # A pairing that was never answered leaves its session behind.
    strap.device.smp_manager.sessions.clear()
    strap.log("bonds forgotten")


async def move(strap, address):
    """From now on the strap advertises under another address."""
    if strap.device.is_advertising:
        await strap.device.stop_advertising()
    strap.air.rssi[address] = strap.air.loudness(strap.address)
    await strap.device.send_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
    strap.device.random_address = strap.address = address
    strap.log("address", address=address.to_string(with_type_qualifier=False))
    if strap.connection is None:
        await strap.advertise()
    return address.to_string(with_type_qualifier=False)


async def hide(strap):
    """A fresh resolvable address, as after the quarter of an hour that one lasts."""
    strap.device.irk = bytes([0x5A, strap.number] * 8)
    return await move(strap, Address.generate_private_address(strap.device.irk))


async def show(strap):
    """The identity address again, its own."""
    strap.claimed = None
    if strap.address != strap.device.static_address:
        await move(strap, strap.device.static_address)


async def ask_parameters(strap, minimum, maximum, latency, timeout):
    """Over L2CAP, as most wearables do. Units of the air: 1.25 ms, 10 ms."""
    await strap.connection.update_parameters(
        minimum * INTERVAL, maximum * INTERVAL, latency, timeout * TIMEOUT, use_l2cap=True
    )


def security(strap):
    connection = strap.connection
    return {"encrypted": bool(connection and connection.is_encrypted), "shown": getattr(getattr(strap, "person", None), "shown", None)}
