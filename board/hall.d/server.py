"""A server of Debian's own Mosquitto and PostgreSQL: set up, looked at, taken away again. As root."""
import os, pathlib, pwd, shutil, socket, subprocess, tempfile, time

import pages
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
    """It cannot go on: the sentence says why, and what to type."""


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
    """With systemd; on a machine without one (a container being built) that is left to whoever starts it."""
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


def answers(port):
    try:
        return socket.create_connection(("127.0.0.1", port), 1).close() is None
    except OSError:
        return False


def set_up(host, group, hubs):
    """All of it; again is harmless, and is how a hub comes to it or wall.json is taken."""
    if os.getuid() != 0:
        raise Stopped("it writes below /etc: sudo hearth-hall")
    install(PACKAGES if pages.PACKED.exists() else PACKAGES + pages.NEEDS)
    if not shutil.which("hearth-sink"):
        raise Stopped("hearth-sink is not installed: sudo apt install ./hearth-sink_VERSION_amd64.deb")
    house = House(FOLDER, ETC, WWW, PORTS)
    house.change(host or (None if house.host else socket.getfqdn()), group, hubs)
    is_new = house.write()
    for file in [ETC, *ETC.iterdir()]:
        shutil.chown(file, "root", "mosquitto")
    ETC.chmod(0o750)
    BROKER_SETTINGS.write_text(house.broker_settings())
    service("enable", "mosquitto")
    service("restart", "mosquitto")
    say(f"broker: {house.host}, port {PORTS['secure']} with TLS; the authority is {'new' if is_new else 'as before'}; hubs {' '.join(house.hubs) or 'none yet'}")
    database()
    sink(house)
    if has_systemd():
        wait(lambda: answers(PORTS["secure"]), 60, "mosquitto does not answer: journalctl -u mosquitto")
        say("mosquitto answers")
    return house


def database():
    if not has_systemd() and not as_postgres("psql", "-XAtqc", "SELECT 1", ask=True):
        return say("PostgreSQL does not run; when it does, this program again")
    service("enable", "postgresql")
    service("start", "postgresql")
    wait(lambda: as_postgres("psql", "-XAtqc", "SELECT 1", ask=True), 60, "PostgreSQL does not answer: journalctl -u postgresql@*")
    is_new = not ask_database(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'")
    if is_new:
        as_postgres("createdb", "--template=template0", "--encoding=UTF8", DATABASE)
    # Its own settings, which everybody may read: those of the sink may be another's yet.
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as settings:
        settings.write(f"database:\n  address: dbname={DATABASE}\n")
        settings.flush()
        os.chmod(settings.name, 0o644)
        as_postgres(shutil.which("hearth-sink"), "schema", "--apply", "--config", settings.name)
    if not ask_database("SELECT 1 FROM pg_roles WHERE rolname = 'hearth-sink'"):
        ask_database('CREATE ROLE "hearth-sink" LOGIN')
    ask_database(GRANTS, DATABASE)
    say(f"database {DATABASE}: {'new' if is_new else 'as before'}, its schema is this version's")


def sink(house):
    SINK_SETTINGS.parent.mkdir(exist_ok=True)
    if SINK_SETTINGS.exists() and not SINK_SETTINGS.read_text().startswith(MARK):
        kept = SINK_SETTINGS.with_name("sink.yaml.before-hall")
        if not kept.exists():
            shutil.copy2(SINK_SETTINGS, kept)
    SINK_WORD.touch(mode=0o640)
    SINK_WORD.write_text(house.words.of("sink") + "\n")
    if any(one.pw_name == "hearth-sink" for one in pwd.getpwall()):
        shutil.chown(SINK_WORD, "root", "hearth-sink")
    SINK_SETTINGS.write_text(house.sink_settings(SINK_WORD, f"dbname={DATABASE}"))
    service("enable", "hearth-sink")
    service("restart", "hearth-sink")


def remove(with_database):
    """What it made; the database goes only when that is asked for, for nothing brings it back."""
    if os.getuid() != 0:
        raise Stopped("it changes files below /etc: sudo hearth-hall --remove")
    if not FOLDER.exists():
        raise Stopped("nothing of hearth-hall is here")
    if shutil.which("hearth-sink"):
        service("disable --now", "hearth-sink")
    kept = SINK_SETTINGS.with_name("sink.yaml.before-hall")
    if kept.exists():
        kept.replace(SINK_SETTINGS)
    for file in (BROKER_SETTINGS, SINK_WORD):
        file.unlink(missing_ok=True)
    for folder in (ETC, WWW.parent, FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
    service("restart", "mosquitto")
    if with_database:
        as_postgres("dropdb", "--if-exists", DATABASE)
        ask_database('DROP ROLE IF EXISTS "hearth-sink"')
    say(f"removed; packages stay{'' if with_database else f', and the database {DATABASE}'}")
