"""A server of Debian's own Mosquitto and PostgreSQL: set up, looked at, taken away again. As root."""
import os, pathlib, pwd, re, shutil, socket, subprocess, tempfile, time

import authority, files, pages
from house import House

PORTS = {"secure": 8883, "local": 1883, "pages": 8443, "local_pages": 8080}
FOLDER, ETC, WWW = pathlib.Path("/etc/hearth-hall"), pathlib.Path("/etc/mosquitto/hearth"), pathlib.Path("/var/lib/hearth-hall/www")
BROKER_SETTINGS = pathlib.Path("/etc/mosquitto/conf.d/hearth.conf")
SINK_SETTINGS, SINK_WORD = pathlib.Path("/etc/hearth/sink.yaml"), pathlib.Path("/etc/hearth/hall-sink-password")
MARK = "# Made by hearth-hall"
PACKAGES = ["mosquitto", "postgresql", "openssl"]
DATABASE = "hearth"
GRANTS = """GRANT USAGE ON SCHEMA hearth TO "hearth-sink";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hearth TO "hearth-sink";"""


class Stopped(Exception):
    """An obstacle; the sentence has the reason and what to type."""


def say(what):
    print(f"    {what}", flush=True)


def run(*words, ask=False, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode and not ask:
        raise Stopped(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip() if not ask else done.returncode == 0


def has_systemd():
    return pathlib.Path("/run/systemd/system").is_dir()


def service(verb, unit):
    """With systemd; on a machine without one (a container being built) that is left to the caller."""
    if has_systemd():
        run("systemctl", *verb.split(), unit)
    else:
        say(f"no systemd runs here; later: systemctl {verb} {unit}")


def install(names):
    missing = [name for name in names if "installed" not in subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status}", name], capture_output=True, text=True).stdout.split()]  # fmt: skip
    if missing:
        say(f"installing {' '.join(missing)}")
        more = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        run("apt-get", "-qq", "update", **more)
        run("apt-get", "-qq", "-y", "--no-install-recommends", "install", *missing, **more)


def as_postgres(*words, **more):
    return run("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *words, cwd="/", **more)


def ask_database(statement, database="postgres"):
    return as_postgres("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", statement)


def wait(true, seconds, what):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise Stopped(what)
        time.sleep(0.2)


def answers(port, host="127.0.0.1"):
    try:
        return socket.create_connection((host, port), 1).close() is None
    except OSError:
        return False


# Settings of another broker that two brokers cannot share: each with the reason.
ELSEWHERE = re.compile(r"\s*(listener|port|password_file|acl_file|allow_anonymous|per_listener_settings|persistence\s+false)\b")


def look_at_broker():
    """Refuses a Mosquitto that serves other clients: its settings and these are not compatible."""
    for file in [pathlib.Path("/etc/mosquitto/mosquitto.conf"), *sorted(pathlib.Path("/etc/mosquitto/conf.d").glob("*.conf"))]:
        if not file.exists() or file == BROKER_SETTINGS:
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            if ELSEWHERE.match(line):
                raise Stopped(f"{file}:{number} has '{line.strip()}': this Mosquitto serves somebody already. Take a server of its own, "
                              "or do by hand what /usr/share/doc/hearth-hall/MANY-HUBS.md says")  # fmt: skip


def give_to_broker():
    for file in [ETC, *ETC.iterdir()]:
        shutil.chown(file, "root", "mosquitto")


def broker(house):
    """Applies its settings, or goes back to the former ones."""
    give_to_broker()
    before = BROKER_SETTINGS.read_text() if BROKER_SETTINGS.exists() else None
    files.write(BROKER_SETTINGS, house.broker_settings())
    service("enable", "mosquitto")
    try:
        service("restart", "mosquitto")
        if has_systemd():
            wait(lambda: answers(PORTS["secure"]), 60, "mosquitto does not answer: journalctl -u mosquitto")
    except Stopped:
        if before is None:
            BROKER_SETTINGS.unlink()
        else:
            files.write(BROKER_SETTINGS, before)
        run("systemctl", "restart", "mosquitto", ask=True)
        raise
    say(f"broker: {house.host}, port {PORTS['secure']} with TLS until {authority.ends(FOLDER)}; hubs {' '.join(house.hubs) or 'none yet'}")


def set_up(host, group, hubs, forgotten, renewed):
    """All of it; again is harmless, and is how a hub comes to it or wall.json is taken."""
    if os.getuid() != 0:
        raise Stopped("it writes below /etc: sudo hearth-hall")
    # Files for other users are readable, whatever the umask of root's shell is.
    os.umask(0o022)
    install(PACKAGES if pages.PACKED.exists() else PACKAGES + pages.NEEDS)
    if not shutil.which("hearth-sink"):
        raise Stopped("hearth-sink is not installed: sudo apt install ./hearth-sink_VERSION_amd64.deb")
    look_at_broker()
    house = House(FOLDER, ETC, WWW, PORTS)
    house.change(host or (None if house.host else socket.getfqdn()), group, hubs, forgotten, renewed)
    if house.write() and house.hubs:
        say("the authority is new: each hub has to join again")
    broker(house)
    database(house)
    sink(house)
    return house


def renew():
    """A new certificate for the broker, as a timer wants it each month: hubs and screens connect again."""
    if FOLDER.exists():
        os.umask(0o022)
        house = House(FOLDER, ETC, WWW, PORTS)
        house.write()
        broker(house)


def database(house):
    if not has_systemd() and not as_postgres("psql", "-XAtqc", "SELECT 1", ask=True):
        return say("PostgreSQL does not run; when it does, this program again")
    service("enable", "postgresql")
    service("start", "postgresql")
    wait(lambda: as_postgres("psql", "-XAtqc", "SELECT 1", ask=True), 60, "PostgreSQL does not answer: journalctl -u postgresql@*")
    is_new = not ask_database(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'")
    if is_new:
        as_postgres("createdb", "--template=template0", "--encoding=UTF8", DATABASE)
    # Settings of its own, readable for all users: those of the sink may belong to another server.
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as settings:
        settings.write(f"database:\n  address: dbname={DATABASE}\n")
        settings.flush()
        os.chmod(settings.name, 0o644)
        as_postgres(shutil.which("hearth-sink"), "schema", "--apply", "--config", settings.name)
    if not ask_database("SELECT 1 FROM pg_roles WHERE rolname = 'hearth-sink'"):
        ask_database('CREATE ROLE "hearth-sink" LOGIN')
    ask_database(GRANTS, DATABASE)
    house.keep(made_database=house.known.get("made_database", False) or is_new)
    say(f"database {DATABASE}: {'new' if is_new else 'as before'}, its schema is this version's")


def sink_files(house, address):
    """Writes the settings of the sink once: later changes by people stay."""
    SINK_SETTINGS.parent.mkdir(exist_ok=True)
    is_ours = SINK_SETTINGS.exists() and SINK_SETTINGS.read_text().startswith(MARK)
    if SINK_SETTINGS.exists() and not is_ours:
        kept = SINK_SETTINGS.with_name("sink.yaml.before-hall")
        if not kept.exists():
            shutil.copy2(SINK_SETTINGS, kept)
    files.write(SINK_WORD, house.words.of("sink") + "\n", 0o640)
    if any(one.pw_name == "hearth-sink" for one in pwd.getpwall()):
        shutil.chown(SINK_WORD, "root", "hearth-sink")
    if not is_ours:
        files.write(SINK_SETTINGS, house.sink_settings(SINK_WORD, address))


def sink(house):
    sink_files(house, f"dbname={DATABASE}")
    service("enable", "hearth-sink")
    service("restart", "hearth-sink")


def remove(with_database):
    """Removes what it made. The database is removed only by order, and only if this program made it: it cannot be restored."""
    if os.getuid() != 0:
        raise Stopped("it changes files below /etc: sudo hearth-hall --remove")
    if not FOLDER.exists():
        raise Stopped("nothing of hearth-hall is here")
    os.umask(0o022)
    house = House(FOLDER, ETC, WWW, PORTS)
    if with_database and not house.known.get("made_database"):
        raise Stopped(f"the database {DATABASE} was there before hearth-hall; without --with-database all else is removed")
    if shutil.which("hearth-sink"):
        service("disable --now", "hearth-sink")
    # Steps that may fail come first: until then everything is still here.
    if with_database:
        as_postgres("dropdb", "--if-exists", "--force", DATABASE)
        ask_database('DROP ROLE IF EXISTS "hearth-sink"')
    kept = SINK_SETTINGS.with_name("sink.yaml.before-hall")
    if kept.exists():
        kept.replace(SINK_SETTINGS)
    elif SINK_SETTINGS.exists() and SINK_SETTINGS.read_text().startswith(MARK):
        SINK_SETTINGS.unlink()
    for file in (BROKER_SETTINGS, SINK_WORD):
        file.unlink(missing_ok=True)
    for folder in (ETC, WWW.parent, FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
    service("restart", "mosquitto")
    say(f"removed; packages stay{'' if with_database else f', and the database {DATABASE}'}")
