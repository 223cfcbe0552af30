"""Mosquitto: its users, their access list, and the settings of the broker."""
import json, re, secrets, subprocess

import files

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Words:
    """Users of the broker with their passwords, kept in one file, so that the line of a hub can be printed again."""

    def __init__(self, file):
        self.file = file
        self.all = json.loads(file.read_text()) if file.exists() else {}

    def of(self, user):
        if user not in self.all:
            self.all[user] = secrets.token_urlsafe(18)
            self._keep()
        return self.all[user]

    def forget(self, user):
        if self.all.pop(user, None):
            self._keep()

    def _keep(self):
        files.write(self.file, json.dumps(self.all, indent=1) + "\n", 0o600)

    def write_for_mosquitto(self, file):
        """Hashed, as mosquitto wants them: whole or not at all."""
        plain = file.with_name(file.name + ".plain")
        try:
            files.write(plain, "".join(f"{user}:{word}\n" for user, word in self.all.items()), 0o600)
            subprocess.run(["mosquitto_passwd", "-U", plain], check=True)
            files.write(file, plain.read_text(), 0o640)
        finally:
            plain.unlink(missing_ok=True)


def access(group, hubs, hidden=()):
    """The access list. `hidden`: wearables, `HUB/NAME` or NAME as topics have them, that the wall must not receive.

    A hub publishes only its own topics and hears requests for its births. The sink reads all. The wall reads live values and asks for births;
    reports of hubs about themselves name missing wearables, so the wall gets none. The console gets those reports, and no values.
    """
    lines = ["# Made by hearth-hall: what is changed here is lost at its next run."]
    for hub in hubs:
        lines += ["", f"user hub-{hub}", f"topic write hearth/1/{group}/{hub}/#"]
        lines += [f"topic write spBv1.0/{group}/{kind}/{hub}" for kind in ("NBIRTH", "NDATA", "NDEATH")]
        lines += [f"topic write spBv1.0/{group}/{kind}/{hub}/+" for kind in ("DBIRTH", "DDATA", "DDEATH")]
        lines += [f"topic read spBv1.0/{group}/NCMD/{hub}"]
    lines += ["", "user sink", f"topic read hearth/1/{group}/#", f"topic read spBv1.0/{group}/#", f"topic write spBv1.0/{group}/NCMD/+"]
    lines += ["", "user wall"]
    for name in hidden:
        hub, _, device = name.rpartition("/")
        # Older settings name `strap.05` as `strap_05`: it stays hidden.
        devices = sorted({device, device.replace("_", "~")})
        lines += [f"topic deny spBv1.0/{group}/{kind}/{hub or '+'}/{each}" for each in devices for kind in ("DBIRTH", "DDATA", "DDEATH")]
    lines += [f"topic read spBv1.0/{group}/NDEATH/+", f"topic write spBv1.0/{group}/NCMD/+"]
    lines += [f"topic read spBv1.0/{group}/{kind}/+/+" for kind in ("DBIRTH", "DDATA", "DDEATH")]
    lines += ["", "user console"]
    lines += [f"topic read spBv1.0/{group}/{kind}/+" for kind in ("NBIRTH", "NDATA", "NDEATH")]
    lines += [f"topic read hearth/1/{group}/+/status"]
    return "\n".join(lines) + "\n"


def settings(ports, files, pages, data=None, bind="", log=None):
    """What a broker of hubs needs, and why.

    `ports`: secure (hubs), local (the sink, this machine alone), pages (web sockets with TLS), local_pages. `files`: the folder of certificates, of
    `passwords` and of `access`. `data`: folder of the broker's data, unless Debian's own settings say it. `bind`: the address of all listeners, if
    there is one. `log`: where Mosquitto's log goes, unless to a file beside its data.
    """
    kept = f"persistence true\npersistence_location {data}/\nlog_dest {log or f'file {data}/mosquitto.log'}\n" if data else ""
    secure = f"cafile {files}/ca.crt\ncertfile {files}/broker.crt\nkeyfile {files}/broker.key\ntls_version tlsv1.2\n"
    return f"""# Made by hearth-hall: what is changed here is lost at its next run.
{kept}per_listener_settings false
allow_anonymous false
password_file {files}/passwords
acl_file {files}/access
# Each save writes all waiting messages, and blocks meanwhile. Messages that a killed broker lost since then are a gap, and hubs send them again.
autosave_on_changes false
autosave_interval 30
# A sink that is away for a night gets all messages afterwards. By default a broker silently drops those beyond 1,000.
max_queued_messages 0
max_queued_bytes 500000000
max_inflight_messages 256
# A session without its client ends after two weeks.
persistent_client_expiration 14d

# Hubs.
listener {ports['secure']} {bind}
{secure}
# The sink: this machine alone.
listener {ports['local']} 127.0.0.1

# The pages, with TLS for screens elsewhere, and in clear for a screen of this machine.
listener {ports['pages']} {bind}
protocol websockets
http_dir {pages}
{secure}
# Mosquitto 2.0.11 keeps to the address of such a listener only with a socket_domain.
listener {ports['local_pages']} 127.0.0.1
socket_domain ipv4
protocol websockets
http_dir {pages}
"""
