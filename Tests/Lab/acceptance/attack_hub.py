"""Attacks that are not one hostile wearable in its own name: impostors, a controller that hangs, readers that do not read, keys in the store."""
import json
import os
import pathlib
import subprocess
import sys
import time

from attack_meter import GIVEN_UP, GOOD
from report import demand, eventually, stalls
from scene import COMMIT_EVERY, address_of

NOTICED_WITHIN, STREAMS_WITHIN = 15.0, 10.0  # s
READERS, READING_USERS = 16, (1001, 1002, 1003)
READER = """
import os, socket, sys, time
os.setgroups([])
os.setuid(int(sys.argv[4]))  # the group stays root's, which the lab's socket lets in
held = [socket.socket(socket.AF_UNIX) for _ in range(int(sys.argv[2]))]
for client in held:
    client.connect(sys.argv[1])
    try:
        client.sendall(sys.argv[3].encode() + b"\\0")
    except OSError:
        pass  # it was refused
print(len(held), flush=True)
time.sleep(600)
"""
IMPOSTOR = "H2250"
VISITED = 3.0  # s in which a small file is fetched, and told
COPIES, COPY_STAYS = 8, (8.0, 120.0)  # so many times, once at real speed; s
FAKES, FAR = 512, -62  # dBm: a little farther than a strap that is put on


class HubAttacks:
    """Methods with the names of the attacks; each takes a begun row."""

    def __init__(self, attacks):
        self.report, self.world, self.hub, self.meter = attacks.report, attacks.world, attacks.hub, attacks.meter
        self.attacks = attacks

    def impostor(self, row, model="impostor", stays=6):
        """another device is at the good strap's address with another database"""
        said = self.hub.log().count(IMPOSTOR)
        self.meter.leave()
        one = json.loads(self.world.ask("hostile", model, 0, address_of(GOOD)))
        time.sleep(stays)
        row.links = self.attacks.links([one])
        self.world.ask("hostile-end", one["number"])
        row.regained.append(self.meter.come_back())
        demand(not row.links or self.hub.log().count(IMPOSTOR) > said, f"it was linked, and the log has no {IMPOSTOR}")

    def impostor_that_stays(self, row):
        """an impostor stays at the good strap's address for two minutes"""
        self.impostor(row, stays=120)

    def impostor_same_tables(self, row):
        """another device is there with the same database, another name and another serial number"""
        self.impostor(row, "impostor-same-tables")

    def copies(self, row):
        """one after the other has the absent strap's address and name for 8 to 120 s"""
        for _ in range(1 if os.environ.get("HEARTH_LAB") == "real" else COPIES):
            stays = self.attacks.draw.uniform(*COPY_STAYS)
            self.impostor(row, "copy", stays=stays)
            back = row.regained[-1]
            self.report.measured(f"back after a copy that stayed for {stays:.1f} s", "not in time" if back is None else f"{back:.1f} s")

    def readers(self, row):
        """three users take all the places at the socket that they get, ask for live values and never read them"""
        call = '{"method":"%s.Live","more":true,"parameters":{}}' % self.interface()
        readers = []
        try:
            for user in READING_USERS:
                command = [sys.executable, "-c", READER, self.hub.socket, str(READERS), call, str(user)]
                readers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            row.links = sum(int(reader.stdout.readline()) for reader in readers)
            row.regained.append(self.meter.lose())
            answer = self.hub.shell("status")
            demand(answer.returncode in (0, 1), f"root is not answered: {answer.stdout}{answer.stderr}")
            demand("H6006" in self.hub.log(), "no place was refused to anybody: nothing is proven")
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()

    def interface(self):
        text = (pathlib.Path(__file__).resolve().parents[3] / "Sources/HubProtocol/InterfaceText.swift").read_text()
        return text.split("interface ", 1)[1].split()[0]

    def controller_hangs(self, row, seconds=20.0):
        """the controller takes everything and stays silent for twenty seconds"""
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

    def fakes(self, row):
        """every recognised wearable may join, and five hundred and twelve that take no connection advertise"""
        text = self.hub.configuration.read_text()
        self.hub.configuration.write_text(text.replace("mode: window", "mode: all"))
        self.attacks.restart()
        self.meter.begin(row)
        strap, self.attacks.straps = self.attacks.straps, self.attacks.straps + 1
        try:
            self.world.ask("hostile-air", "crowd", FAKES, FAR)
            time.sleep(3)
            self.world.ask("add", strap)
            began = time.monotonic()
            row.regained.append(self.meter.lose())
            back = eventually(lambda: self.meter.moments("subscribe", strap=strap), GIVEN_UP, "a strap that joins by itself is not live")[0]
            row.joined = back - began
            # Straps of attacks before this one are on the air, too.
            real = {address_of(number) for number in range(self.attacks.straps)}
            false = [device for device in self.enrolled() if device["address"] not in real]
            demand(not false, f"{len(false)} are enrolled that take no connection, first {false[:1]}")
        finally:
            self.world.ask("hostile-air", "none")
            for device in self.enrolled():
                if device["name"] != "good":
                    self.attacks.forget(device["name"])
            self.hub.configuration.write_text(text)
            self.attacks.is_stale = True

    def enrolled(self):
        return [device for device in self.hub.devices().values() if device["enrolled"]]

    def keys(self, row):
        """a member of the group reads the store's files, which have no key of a wearable that just bonded"""
        self.hub.json("enroll", "open", "--for", "600s")
        one = json.loads(self.world.ask("hostile", "insole-good", 0))
        try:
            self.hub.accept(one["address"], "bonded")
            keys = eventually(lambda: self.keys_of(one), GIVEN_UP, "an insole that joins gets no bond", every=0.5)
            row.links = self.attacks.links([one])
            row.regained.append(self.meter.lose())
            time.sleep(COMMIT_EVERY + 1)
            self.search(keys, one["address"])
        finally:
            self.attacks.forget("bonded")
            self.world.ask("hostile-end", one["number"])

    def impostor_of_a_bond(self, row):
        """an insole that bonded is gone, and another is at its address that has all that it shows but its key"""
        self.hub.json("enroll", "open", "--for", "600s")
        one = json.loads(self.world.ask("hostile", "insole-good", 0))
        self.hub.accept(one["address"], "bonded")
        try:
            eventually(lambda: self.keys_of(one) and self.samples_of("bonded"), GIVEN_UP, "an insole that joins gets no bond, or gives nothing")
            self.hub.json("enroll", "close")
            time.sleep(VISITED)
            self.world.ask("hostile-end", one["number"])
            before = self.samples_of("bonded")
            one = json.loads(self.world.ask("hostile", "insole-good", 0, one["address"]))
            row.regained.append(self.meter.lose())
            row.links = eventually(lambda: self.attacks.links([one]), GIVEN_UP, "the impostor is never linked: nothing is proven")
            time.sleep(VISITED)
            demand(not self.keys_of(one), "the impostor has a key")
            after = self.samples_of("bonded")
            demand(after == before, f"{after - before} values of the impostor are stored")
        finally:
            self.attacks.forget("bonded")
            self.world.ask("hostile-end", one["number"])

    def keys_of(self, one):
        return json.loads(self.world.ask("keys", one["number"]))

    def samples_of(self, name):
        return len(self.hub.say("export", "--device", name, "--format", "ndjson").splitlines())

    def search(self, keys, address):
        """What the group may read has the bonded wearable, and not its key."""
        place, is_there = bytes.fromhex(address.replace(":", "")), False
        for file in self.hub.store.rglob("*"):
            if file.is_file() and file.stat().st_mode & 0o040:
                content = file.read_bytes()
                is_there = is_there or place in content or place[::-1] in content
                for key in map(bytes.fromhex, keys):
                    demand(key not in content and key[::-1] not in content, f"{file.name}, which the group may read, has a wearable's key")
        demand(is_there, "what the group may read has nothing of a wearable that is bonded: nothing is proven")


ALL = ["impostor", "impostor_that_stays", "impostor_same_tables", "copies", "readers", "controller_hangs", "fakes", "keys", "impostor_of_a_bond"]
