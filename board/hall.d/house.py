"""A house's folder: its facts, and the files made from them. The same for a Debian server and for a trial."""
import json

import authority, broker, files, joining, pages


class House:
    """`folder` keeps what must not be lost (authority, users, hubs); `etc` is what the broker reads; `www` what it serves."""

    def __init__(self, folder, etc, www, ports, data=None):
        self.folder, self.etc, self.www, self.ports, self.data = folder, etc, www, ports, data
        files.folder(folder, 0o700)
        files.folder(etc, 0o750)
        self.file = folder / "house.json"
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.words = broker.Words(folder / "words.json")
        self.wall = folder / "wall.json"

    @property
    def hosts(self):
        """The newest first: hubs may know this server by each."""
        return self.known.get("hosts", [])

    @property
    def host(self):
        return self.hosts[0] if self.hosts else None

    @property
    def group(self):
        return self.known.get("group", "hearth")

    @property
    def hubs(self):
        return self.known.get("hubs", [])

    def change(self, host=None, group=None, hubs=(), forgotten=(), renewed=()):
        """Throws `authority.Refused` for an invalid host, and for another group if hubs have joined: they would be shut out."""
        hosts = [authority.checked(host), *(one for one in self.hosts if one != host)] if host else self.hosts
        if group and group != self.group and self.hubs:
            raise authority.Refused(f"the hubs of this server are of group {self.group}: --forget each first, and let them join again")
        for one in forgotten:
            if one not in self.hubs:
                raise authority.Refused(f"no hub {one} has joined; there are {' '.join(self.hubs) or 'none'}")
        left = sorted({*self.hubs, *hubs} - set(forgotten))
        self.keep(hosts=hosts, group=group or self.group, hubs=left)
        for user in [f"hub-{hub}" for hub in forgotten] + list(renewed):
            self.words.forget(user)

    def keep(self, **what):
        self.known |= what
        files.write(self.file, json.dumps(self.known, indent=1) + "\n", 0o600)

    def write(self):
        """Writes all files of the broker again, with the same content unless something changed. Throws `pages.Refused`.

        True: the authority is new, and hubs have to join again.
        """
        said = pages.read(self.wall)
        is_new = authority.make(self.folder, self.hosts)
        for user in [f"hub-{hub}" for hub in self.hubs] + ["sink", "wall", "console"]:
            self.words.of(user)
        for name in ("ca.crt", "broker.crt", "broker.key"):
            files.write(self.etc / name, (self.folder / name).read_text(), 0o640)
        self.words.write_for_mosquitto(self.etc / "passwords")
        files.write(self.etc / "access", broker.access(self.group, self.hubs, pages.hidden(said)), 0o640)
        pages.put(self.www, said, self.group, self.hubs, self.words)
        return is_new

    def broker_settings(self, bind="", log=None):
        return broker.settings(self.ports, self.etc, self.www, self.data, bind, log)

    def sink_settings(self, word, database):
        return f"""# Made by hearth-hall, and left alone from now on. All keys: man sink.yaml.
broker:
  address: localhost:{self.ports['local']}
  user: sink
  password_file: {word}
database:
  address: {database}
"""

    def line(self, hub):
        return joining.line(self.host, self.ports["secure"], hub, self.group, self.words.of(f"hub-{hub}"), (self.folder / "ca.crt").read_text())

    def addresses(self, is_secure=True):
        """Of the wall and of the console, each with its user and password behind the '#', which no server sees."""
        start = f"https://{authority.in_address(self.host)}:{self.ports['pages']}" if is_secure else f"http://localhost:{self.ports['local_pages']}"
        return [f"{start}/#wall:{self.words.of('wall')}", f"{start}/console.html#console:{self.words.of('console')}"]
