"""The same server in containers (board/containers/compose.yaml): files for its volumes, and the roles of its database."""
import os, pathlib, pwd, shutil, tempfile

import broker, files, server
from house import House

# Password of the database's owner, for the first start of PostgreSQL's image, and the number of the user postgres in that image.
OWNER_WORD, OWNER = pathlib.Path("/etc/hearth-hall-owner/password"), 999
DATA, SETTINGS, PASSES = "/var/lib/mosquitto", server.ETC / "mosquitto.conf", server.SINK_SETTINGS.with_name("hall-sink-database")
HOST, SINK = "database", "hearth-sink"


def address(user, passes):
    return f"host={HOST} dbname={server.DATABASE} user={user} passfile={passes}"


def passes(file, user, word):
    """The form in which PostgreSQL's clients read a password. They refuse a file that others can read."""
    files.write(file, f"{HOST}:*:*:{user}:{word}\n", 0o600)


def words():
    """Passwords of the database's users, apart from those of the broker's."""
    return broker.Words(server.FOLDER / "database.json")


def put(host, group, hubs, forgotten, renewed):
    """Writes the files of all volumes; again is harmless. Throws as `House.change` and `House.write` do."""
    os.umask(0o022)
    house = House(server.FOLDER, server.ETC, server.WWW, server.PORTS, DATA)
    joined = house.hubs
    house.change(host, group, hubs, forgotten, renewed)
    if not house.host:
        raise server.Stopped("hubs and screens need a name of this server: HEARTH_HOST=NAME in .env")
    if house.write() and joined:
        server.say("the authority is new: each hub has to join again")
    files.write(SETTINGS, house.broker_settings(log="stdout"), 0o640)
    server.give_to_broker()
    server.sink_files(house, address(SINK, PASSES))
    passes(PASSES, SINK, words().of(SINK))
    if any(one.pw_name == SINK for one in pwd.getpwall()):
        shutil.chown(PASSES, SINK)
    files.folder(OWNER_WORD.parent)
    files.write(OWNER_WORD, words().of("postgres") + "\n", 0o400)
    if os.getuid() == 0:
        os.chown(OWNER_WORD, OWNER, OWNER)
    return house


def statements(word):
    """The role of the sink, made or as it was, with its password."""
    role = f'"{SINK}"'
    made = f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{SINK}') THEN CREATE ROLE {role} LOGIN; END IF; END $$"
    return f"{made};\nALTER ROLE {role} PASSWORD '{word}';\n{server.GRANTS}\n"


def schema():
    """The schema of this version, and the sink's role; again is harmless."""
    with tempfile.TemporaryDirectory() as folder:
        own_passes, settings = pathlib.Path(folder) / "passes", pathlib.Path(folder) / "sink.yaml"
        passes(own_passes, "postgres", words().of("postgres"))
        settings.write_text(f"database:\n  address: {address('postgres', own_passes)}\n")
        server.run("hearth-sink", "schema", "--apply", "--config", settings)
        # As input: arguments of processes, and a password among them, are readable for all users.
        server.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address("postgres", own_passes), input=statements(words().of(SINK)))
    server.say(f"database {server.DATABASE}: its schema is this version's")
