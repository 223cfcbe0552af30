"""Attacks that are not one hostile wearable in its own name: impostors, a controller that hangs, readers that do not read, keys in the store."""
import json
import pathlib
import socket
import time

from attack_meter import GIVEN_UP, GOOD
from report import demand, eventually, stalls
from scene import address_of

NOTICED_WITHIN, STREAMS_WITHIN = 15.0, 10.0  # s
READERS = 16
IMPOSTOR = "H2250"


class HubAttacks:
    """Methods whose names are the attacks'; each takes a begun row."""

    def __init__(self, attacks):
        self.report, self.world, self.hub, self.meter = attacks.report, attacks.world, attacks.hub, attacks.meter
        self.attacks = attacks

    def impostor(self, row, model="impostor"):
        """somebody else is at the good strap's address with another database"""
        said, moment = self.hub.log().count(IMPOSTOR), time.monotonic()
        self.meter.cuts.append((moment - 0.5, moment))
        self.world.ask("absent", GOOD, 1)
        one = json.loads(self.world.ask("hostile", model, 0, address_of(GOOD)))
        time.sleep(6)
        row.links = self.attacks.links([one])
        self.world.ask("hostile-end", one["number"])
        self.world.ask("absent", GOOD, 0)
        row.regained.append(self.meter.back_since(moment))
        demand(not row.links or self.hub.log().count(IMPOSTOR) > said, f"it was linked, and the log has no {IMPOSTOR}")

    def impostor_same_tables(self, row):
        """somebody else is there with the same database, another name and another serial number"""
        self.impostor(row, "impostor-same-tables")

    def readers(self, row):
        """sixteen ask for live values and read none"""
        clients = []
        try:
            for _ in range(READERS):
                client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                client.connect(str(self.hub.socket))
                client.sendall(b'{"method":"%s.Live","more":true,"parameters":{}}\0' % self.interface())
                clients.append(client)
            row.regained.append(self.meter.lose())
            answer = self.hub.shell("status")
            demand(answer.returncode in (0, 1), f"root is not answered: {answer.stdout}{answer.stderr}")
        finally:
            for client in clients:
                client.close()

    def interface(self):
        text = (pathlib.Path(__file__).resolve().parents[3] / "Sources/HubProtocol/InterfaceText.swift").read_text()
        return text.split("interface ", 1)[1].split()[0].encode()

    def controller_hangs(self, row, seconds=20.0):
        """the controller takes everything and answers nothing for twenty seconds"""
        said, moment = len(self.hub.log()), time.monotonic()
        self.meter.cuts.append((moment - 0.5, moment))
        self.world.ask("black-hole", 1)
        try:
            eventually(lambda: "H31" in self.hub.log()[said:], NOTICED_WITHIN + stalls.longest(), "nothing is said of the radio")
        finally:
            time.sleep(max(0.0, moment + seconds - time.monotonic()))
            self.world.ask("black-hole", 0)
            answers = time.monotonic()
        try:
            eventually(lambda: self.meter.moments("subscribe", since=answers), 60, "not back")
        finally:
            took = time.monotonic() - answers
            self.report.measured("from the controller's answer to the stream", f"{took:.1f} s")
        demand(took <= STREAMS_WITHIN, f"it streams {took:.1f} s after the controller answers again")

    def keys(self, row):
        """a member of the group reads the store's files: no key of a bonded strap is in them"""
        strap, self.attacks.straps = self.attacks.straps, self.attacks.straps + 1
        self.world.ask("add", strap)
        self.world.ask("pairing", strap, "just-works")
        self.hub.json("enroll", "open", "--for", "600s")
        self.hub.accept(address_of(strap), "bonded")
        eventually(lambda: self.meter.moments("subscribe", strap=strap), GIVEN_UP, "the strap that is to be bonded is not live")
        self.world.ask("pair", strap)
        keys = eventually(lambda: json.loads(self.world.ask("keys", strap)), GIVEN_UP, "it does not get a bond", every=0.5)
        row.regained.append(self.meter.lose())
        time.sleep(3)
        for file in self.hub.store.rglob("*"):
            if file.is_file() and file.stat().st_mode & 0o040:
                content = file.read_bytes()
                for key in map(bytes.fromhex, keys):
                    demand(key not in content and key[::-1] not in content, f"{file.name}, which the group may read, has the strap's key")


ALL = ["impostor", "impostor_same_tables", "readers", "controller_hangs", "keys"]
