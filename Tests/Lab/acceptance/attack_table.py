"""The attacks: a name, what the hostile side does, its wearables (models of world/hostile_control.py) and what it does from the air."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Attack:
    name: str
    does: str
    models: tuple = ()
    deaf: bool = False  # no link to them is ever established
    air: str = ""  # an attack of world/hostile_air.py
    lasts: float = 0.0  # s that it goes on before the good strap loses its link, beyond what it needs to begin
    is_long: bool = False  # for figures, not for each run
    losses: int = 1
    joins: bool = False  # a good strap that is new to the hub joins meanwhile
    impossible: bool = False  # it tells what no wearable can have measured, which is to be counted
    absent: bool = False  # the good strap is away meanwhile, and loses its link by that
    goes_on: bool = False  # also when that is back


def one(model, does, **more):
    return Attack(model, does, (model,), **more)


FILES = dict(lasts=6.0)
MASS = ("mute", "mute-at-mtu", "mute-at-services", "mute-in-services", "mute-at-characteristics", "mute-at-values", "mute-at-subscription", "slow", "pairing-stalls-0", "pairing-stalls-1")

ATTACKS = [
    # What the figures of others are to be held against: no attack, and losses as quick as theirs.
    Attack("nothing", "nothing happens", losses=6, is_long=True),
    Attack("deaf", "takes no connection", ("silent-strap",), deaf=True, joins=True),
    one("mute", "answers nothing"),
    one("mute-at-mtu", "answers no exchange of the MTU"),
    one("mute-at-services", "answers no search for services"),
    one("mute-in-services", "falls silent in the middle of discovery"),
    one("mute-at-characteristics", "answers no search for characteristics"),
    one("mute-at-values", "answers no read"),
    one("mute-at-subscription", "answers no subscription"),
    one("silent-strap", "is subscribed to and tells nothing"),
    one("slow", "answers each request after 29 s"),
    one("refusing", "answers each request with an error"),
    one("leaving-at-once", "ends each link at once"),
    one("leaving-each-second", "ends each link after a second"),
    one("empty-packets", "sends packets of no length at full speed"),
    one("one-byte-packets", "sends packets of one byte at full speed"),
    one("oversized-packets", "sends packets of 600 bytes at full speed"),
    one("unknown-opcodes", "sends opcodes that nobody knows"),
    one("answers-unasked", "sends answers that nobody asked for"),
    one("answers-thrice", "gives each answer three times"),
    one("indications", "indicates without waiting for a confirmation"),
    one("notifications-unasked", "notifies handles that nobody subscribed to"),
    one("requests", "searches the hub's own services without end"),
    one("prepared-writes", "prepares writes to the hub without end"),
    one("mtu-requests", "asks for an MTU without end"),
    one("rubbish", "sends random bytes"),
    one("mtu-0", "agrees to an MTU of 0"),
    one("mtu-22", "agrees to an MTU of 22"),
    one("mtu-65535", "agrees to an MTU of 65535"),
    one("security-requests", "asks for security without end"),
    one("pairing-rubbish", "sends packets of a pairing that nobody began"),
    one("pairing-refused", "asks for pairing, refuses it, and asks again"),
    *(one(f"pairing-stalls-{step}", f"falls silent in pairing after packet {step}") for step in range(4)),
    one("parameter-updates", "asks for illegal link parameters without end"),
    one("signalling-rubbish", "sends rubbish on the signalling channel"),
    one("endless-services", "has services without end"),
    one("repeating-services", "has the same service again and again"),
    one("overlapping-services", "has services that overlap"),
    one("backward-services", "has services that end before they begin"),
    one("no-services", "answers the search for services with none"),
    one("cut-services", "answers it with half of one"),
    one("services-of-no-length", "answers it with entries of no length"),
    one("endless-characteristics", "has characteristics without end"),
    one("repeating-characteristics", "has the same characteristic again and again"),
    one("endless-descriptors", "has descriptors without end"),
    one("long-name", "has a name of 512 bytes of control characters"),
    one("endless-values", "has values without end"),
    one("changing-database", "says all the time that its database has changed"),
    one("intervals", "tells as many intervals as fit, ten times a second", lasts=2.0),
    one("impossible-rates", "tells heart rates of 0, 255 and 65535", lasts=1.0, impossible=True),
    one("impossible-intervals", "tells intervals of 0, 1 and 65535", lasts=1.0, impossible=True),
    Attack("values", "one tells heart rates that cannot be, another as many intervals as fit", ("impossible-rates", "intervals"), lasts=2.0, impossible=True),
    one("cut-values", "tells values that are cut or of all flags"),
    one("thermometer", "measures a thousand temperatures a second", lasts=1.0),
    one("battery-255", "has a battery of 255 %"),
    one("polar-bomb", "has a file of 200 kB that inflates to 200 MB", **FILES),
    one("polar-empty-fields", "has a file of 125,000 empty fields", **FILES),
    one("polar-nested", "has a file of messages within messages", **FILES),
    one("polar-varints", "has a file of numbers without end", **FILES),
    one("polar-silent", "answers no request for a file", **FILES),
    one("polar-stalls", "stops before the end of each file", **FILES),
    one("polar-maze", "has folders in folders for ever", **FILES),
    one("polar-crowded", "has folders of ten thousand files", **FILES),
    one("polar-2100", "shows the year 2100", **FILES),
    one("insole-stalls", "stalls in each transfer", **FILES),
    one("insole-silent", "answers no request for a file", **FILES),
    one("insole-4-gigabytes", "announces files of 4 GB and gives a byte at a time", **FILES),
    one("insole-stands", "gives the same nothing again and again", **FILES),
    one("insole-counts", "announces new files without end", **FILES),
    Attack("two-insoles-stall", "two insoles stall in a transfer", ("insole-stalls",) * 2, **FILES),
    one("cuff-pairs", "pairs for ever, forgets each key and refuses each value", lasts=4.0),
    one("band-never-bound", "wants to be bound, and nobody ever confirms it", lasts=4.0),
    one("band-answers-nothing", "acknowledges each frame and answers none", lasts=4.0),
    one("band-refuses-frames", "refuses each frame", lasts=4.0),
    one("band-mute", "takes what is written and answers nothing", lasts=4.0),
    Attack("crowd", "a thousand straps that take no connection advertise", air="crowd 1000", lasts=2.0),
    Attack("renaming", "one has another name in each advertisement", air="renaming", lasts=1.0),
    Attack("rotating", "one has another address in each advertisement", air="rotating", lasts=1.0),
    Attack("broken-advertisements", "advertisements have lengths that are not there", air="broken", lasts=1.0),
    Attack("forging", "the good strap is away, and a heart rate is advertised under its address", air="forging F0:F1:F2:F3:F4:00", lasts=2.0, absent=True),
    Attack("forging-on", "the same goes on when it is back", air="forging F0:F1:F2:F3:F4:00", lasts=2.0, absent=True, goes_on=True),
    Attack("forging-a-minute", "the good strap is away for a minute, and a heart rate is advertised under its address", air="forging F0:F1:F2:F3:F4:00", lasts=60.0, absent=True, is_long=True),
    Attack("five-mute", "five are mute at different steps", MASS[2:7], lasts=2.0, joins=True),
    Attack("five-slow", "five answer after 29 s", ("slow",) * 5, lasts=2.0, is_long=True),
    Attack("ten-mute", "ten are mute at different steps", MASS, lasts=2.0, losses=2, is_long=True),
    Attack("forty", "forty are mute, slow or stall in pairing", MASS * 4, lasts=5.0, losses=100, is_long=True, joins=True),
    one("polar-bomb-large", "has a file of 1 MB that inflates to 1 GB", lasts=20.0, is_long=True),
]
