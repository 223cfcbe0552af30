#!/usr/bin/env python3
"""The hall in containers, without an engine of containers: its files are made as for a server, and Mosquitto and PostgreSQL take them. Takes ten seconds.

    Tests/Wall/containers.py
"""
import os, pathlib, re, shutil, signal, socket, stat, subprocess, sys, tempfile, time, unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "board/hall.d"), str(ROOT / "Tests/Sink")]
import broker, containers, engines, pages, server, trial  # noqa: E402,E401

FOLDER = ROOT / "board/containers"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
ONCE = ("house", "schema")
# Places of files in the containers, before a test moves them.
PLACES = {name: pathlib.Path(getattr(module, name)) for module, name in (
    (server, "FOLDER"), (server, "ETC"), (server, "WWW"), (server, "SINK_SETTINGS"), (server, "SINK_WORD"), (containers, "OWNER_WORD"),
    (containers, "SETTINGS"), (containers, "PASSES"))}
PORTS = dict(server.PORTS)


def mounts(service):
    """Volumes by their folders, and whether the service may write them."""
    found = {}
    for one in SERVICES[service].get("volumes", []):
        name, folder, *mode = one.split(":")
        found[pathlib.Path(folder)] = (name, mode != ["ro"])
    return found


def volume(service, file):
    return next((name for folder, (name, _) in mounts(service).items() if folder in [file, *file.parents]), None)


class Written(unittest.TestCase):
    """compose.yaml against what hearth-hall writes."""

    def test_every_volume_is_named_and_used(self):
        used = {name for service in SERVICES for name, _ in mounts(service).values()}
        self.assertEqual(used, set(COMPOSE["volumes"]))

    def test_programs_and_house_have_files_in_one_volume(self):
        for service, names in {"broker": ["ETC", "SETTINGS", "WWW"], "sink": ["SINK_SETTINGS", "SINK_WORD", "PASSES"], "database": ["OWNER_WORD"], "schema": ["FOLDER"]}.items():
            for name in names:
                with self.subTest(f"{service} {name}"):
                    self.assertIsNotNone(volume(service, PLACES[name]))
                    self.assertEqual(volume(service, PLACES[name]), volume("house", PLACES[name]))

    def test_what_programs_are_told_to_read_is_what_is_written(self):
        self.assertEqual(SERVICES["broker"]["entrypoint"], ["mosquitto", "-c", str(PLACES["SETTINGS"])])
        self.assertEqual(SERVICES["sink"]["entrypoint"][-1], str(PLACES["SINK_SETTINGS"]))
        self.assertEqual(SERVICES["sink"]["healthcheck"]["test"][-1], str(PLACES["SINK_SETTINGS"]))
        self.assertEqual(SERVICES["database"]["environment"]["POSTGRES_PASSWORD_FILE"], str(PLACES["OWNER_WORD"]))
        self.assertIn(pathlib.Path(containers.DATA), mounts("broker"))

    def test_only_house_writes_secrets_and_only_its_readers_have_them(self):
        for service in SERVICES:
            for name, is_writable in mounts(service).values():
                if is_writable and (service, name) not in {("database", "database"), ("broker", "messages"), ("schema", "house")}:
                    self.assertEqual(service, "house", name)
        self.assertEqual({service for service in SERVICES if "house" in [name for name, _ in mounts(service).values()]}, set(ONCE))
        self.assertEqual({service for service in SERVICES if "owner" in [name for name, _ in mounts(service).values()]}, {"house", "database"})

    def test_ports_of_hubs_and_pages_are_open_and_no_others(self):
        opened = {service: one["ports"] for service, one in SERVICES.items() if "ports" in one}
        self.assertEqual(opened, {"broker": [f"{PORTS[name]}:{PORTS[name]}" for name in ("secure", "pages")]})
        # The port without TLS is open within one network alone: the sink's is the broker's.
        self.assertEqual(SERVICES["sink"]["network_mode"], "service:broker")
        self.assertIn(f"/127.0.0.1/{PORTS['local']}", SERVICES["broker"]["healthcheck"]["test"][-1])

    def test_the_database_has_the_name_that_programs_use(self):
        self.assertEqual(SERVICES["database"]["environment"]["POSTGRES_DB"], server.DATABASE)
        self.assertIn(containers.HOST, SERVICES)
        self.assertEqual(SERVICES["sink"]["user"], containers.SINK)
        self.assertIn(f'"{containers.SINK}"', server.GRANTS)

    def test_images_are_of_one_major_version(self):
        base = re.search(r"^FROM (\S+)$", (FOLDER / "Dockerfile").read_text(), re.M)[1]
        own = {one["image"] for one in SERVICES.values() if "build" in one}
        self.assertEqual(own, {"hearth-hall"})
        for image in [base] + [one["image"] for one in SERVICES.values() if "build" not in one]:
            self.assertRegex(image, r"^(debian:1[2-9]-slim|postgres:[0-9]+-[a-z]+)$")

    def test_whatever_stays_has_a_check_and_starts_again(self):
        for name, one in SERVICES.items():
            with self.subTest(name):
                self.assertEqual("healthcheck" in one, name not in ONCE)
                self.assertEqual(one.get("restart"), None if name in ONCE else "unless-stopped")
                for before, how in one.get("depends_on", {}).items():
                    self.assertEqual(how["condition"], "service_completed_successfully" if before in ONCE else "service_healthy")


class Made(unittest.TestCase):
    """The files of the volumes, in a folder of the test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-containers-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        (self.folder / "packed").mkdir()
        for page in ("index.html", "console.html"):
            (self.folder / "packed" / page).write_text("<title>Hearth</title>")
        (self.folder / "data").mkdir()
        for module, names in ((server, ("FOLDER", "ETC", "WWW", "SINK_SETTINGS", "SINK_WORD")), (containers, ("OWNER_WORD", "SETTINGS", "PASSES"))):
            for name in names:
                self.change(module, name, self.folder / str(PLACES[name])[1:])
        self.change(containers, "DATA", str(self.folder / "data"))
        self.change(server, "PORTS", dict(zip(PORTS, trial.free_ports(len(PORTS)))))
        self.change(server, "give_to_broker", lambda: None)
        self.change(pages, "PACKED", self.folder / "packed")
        self.change(pages, "BUNDLE", self.folder / "none")

    def change(self, module, name, value):
        before = getattr(module, name)
        self.addCleanup(setattr, module, name, before)
        setattr(module, name, value)

    def put(self, host=None, hubs=(), forgotten=()):
        return containers.put(host, None, list(hubs), list(forgotten), [])

    def connects(self, user, word):
        """Whether the broker takes a client of MQTT 3.1.1 with this user."""
        text = lambda value: len(value).to_bytes(2, "big") + value.encode()
        body = text("MQTT") + bytes([4, 0xC2]) + (30).to_bytes(2, "big") + text("a-test") + text(user) + text(word)
        with socket.create_connection(("127.0.0.1", server.PORTS["local"]), 5) as link:
            link.sendall(bytes([0x10, len(body)]) + body)
            return link.recv(4)[3:] == b"\0"

    def start_broker(self):
        settings = self.folder / "started.conf"
        # As root Mosquitto becomes another user, without rights in this folder.
        settings.write_text(("user root\n" if os.getuid() == 0 else "") + containers.SETTINGS.read_text())
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
        child = subprocess.Popen([program, "-c", settings], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        for port in server.PORTS.values():
            server.wait(lambda: child.poll() is not None or server.answers(port), 20, "mosquitto does not answer")
        self.assertIsNone(child.poll(), "mosquitto ended")
        return child

    def test_all_files_are_made_and_those_with_passwords_are_for_few(self):
        self.put("hall.example")
        for name, mode in {"SETTINGS": 0o640, "SINK_SETTINGS": 0o644, "SINK_WORD": 0o640, "PASSES": 0o600, "OWNER_WORD": 0o400}.items():
            file = getattr(server if name.startswith("SINK") else containers, name)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), mode, name)
        self.assertEqual({file.name for file in server.ETC.iterdir()}, {"access", "broker.crt", "broker.key", "ca.crt", "mosquitto.conf", "passwords"})

    def test_it_wants_a_host(self):
        with self.assertRaises(server.Stopped):
            self.put()

    def test_again_is_harmless(self):
        self.put("hall.example", ["gym-a"])
        server.SINK_SETTINGS.write_text(server.SINK_SETTINGS.read_text() + "log:\n  level: debug\n")
        files = lambda: {name: file.read_bytes() for name, file in {
            "authority": server.FOLDER / "ca.crt", "users": server.FOLDER / "words.json", "owner": containers.OWNER_WORD, "sink": containers.PASSES,
            "settings": containers.SETTINGS, "access": server.ETC / "access", "changed by hand": server.SINK_SETTINGS}.items()}
        before = files()
        self.put("hall.example")
        self.assertEqual(files(), before)

    def test_the_sink_has_the_addresses_of_broker_and_database(self):
        house = self.put("hall.example")
        said = yaml.safe_load(server.SINK_SETTINGS.read_text())
        self.assertEqual(said["broker"], {"address": f"localhost:{server.PORTS['local']}", "user": "sink", "password_file": str(server.SINK_WORD)})
        self.assertEqual(said["database"]["address"], f"host=database dbname=hearth user=hearth-sink passfile={containers.PASSES}")
        self.assertEqual(server.SINK_WORD.read_text().strip(), house.words.of("sink"))
        word = containers.words().of("hearth-sink")
        self.assertEqual(containers.PASSES.read_text(), f"database:*:*:hearth-sink:{word}\n")
        self.assertIn(f"PASSWORD '{word}'", containers.statements(word))

    def test_the_database_s_users_are_none_of_the_broker(self):
        self.put("hall.example")
        users = {line.partition(":")[0] for line in (server.ETC / "passwords").read_text().splitlines()}
        self.assertEqual(users, {"sink", "wall", "console"})

    def test_mosquitto_takes_its_file_and_a_new_hub_after_a_hangup(self):
        house = self.put("hall.example", ["gym-a"])
        child = self.start_broker()
        self.assertTrue(self.connects("sink", server.SINK_WORD.read_text().strip()))
        self.assertTrue(self.connects("hub-gym-a", house.words.of("hub-gym-a")))
        self.assertFalse(self.connects("sink", "another"))
        house = self.put(hubs=["gym-b"], forgotten=["gym-a"])
        old, new = broker.Words(server.FOLDER / "words.json").all, house.words.of("hub-gym-b")
        self.assertNotIn("hub-gym-a", old)
        child.send_signal(signal.SIGHUP)
        # Mosquitto does not say when it has read its files again.
        end = time.monotonic() + 10
        while not self.connects("hub-gym-b", new) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertTrue(self.connects("hub-gym-b", new))
        self.assertIsNone(child.poll())

    def test_the_sink_enters_the_database_with_its_password_alone(self):
        self.put("hall.example")
        database = engines.Database(self.folder)
        hba = database.folder / "data/pg_hba.conf"
        hba.write_text(f'local all "{containers.SINK}" scram-sha-256\n' + hba.read_text())
        database.start()
        self.addCleanup(database.stop)
        database.ask(f"CREATE DATABASE {server.DATABASE}")
        self.change(containers, "HOST", str(database.folder))
        run, asked = server.run, []

        def without_sink(program, *words, **more):
            """Instead of the schema there is one table: no program is built for this test."""
            if program != "hearth-sink":
                return run(program, *words, **more)
            asked.append(words)
            return run("psql", "-XAtq", "-d", containers.address("postgres", "none"), "-c",
                       "CREATE SCHEMA IF NOT EXISTS hearth; CREATE TABLE IF NOT EXISTS hearth.rows (row int)")

        self.change(server, "run", without_sink)
        for _ in range(2):
            containers.schema()
        self.assertEqual([words[:2] for words in asked], [("schema", "--apply")] * 2)
        containers.passes(containers.PASSES, containers.SINK, containers.words().of(containers.SINK))
        enters = lambda passes: run("psql", "-XAtqw", "-d", containers.address(containers.SINK, passes), "-c", "INSERT INTO hearth.rows VALUES (1)", ask=True)
        self.assertTrue(enters(containers.PASSES))
        self.assertFalse(enters(self.folder / "none"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
