"""A house's folder: what is known of it, and the files that follow from that. The same for a server of Debian's and for a trial."""
import json, pathlib

import authority, broker, joining, pages


class House:
    """`folder` keeps what must not be lost (authority, users, hubs); `etc` is what the broker reads; `www` what it serves."""

    def __init__(self, folder, etc, www, ports, data=None):
        self.folder, self.etc, self.www, self.ports, self.data = folder, etc, www, ports, data
        for one in (folder, etc, www):
            one.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.file = folder / "house.json"
        known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.host, self.group, self.hubs = known.get("host"), known.get("group", "hearth"), known.get("hubs", [])
        self.words = broker.Words(folder / "words.json")
        self.wall = folder / "wall.json"

    def change(self, host, group, hubs):
        self.host, self.group = host or self.host, group or self.group
        self.hubs = sorted({*self.hubs, *hubs})
        self.file.write_text(json.dumps({"host": self.host, "group": self.group, "hubs": self.hubs}, indent=1) + "\n")

    def write(self):
        """All files of the broker, anew: what was there before is what would come again. Throws `pages.Refused`.

        True: the authority is new, and hubs have to join anew.
        """
        said = pages.read(self.wall)
        is_new = authority.make(self.folder, self.host)
        for user in [f"hub-{hub}" for hub in self.hubs] + ["sink", "wall", "console"]:
            self.words.of(user)
        for name in ("ca.crt", "broker.crt", "broker.key"):
            (self.etc / name).write_bytes((self.folder / name).read_bytes())
            (self.etc / name).chmod(0o640)
        self.words.write_for_mosquitto(self.etc / "passwords")
        (self.etc / "access").write_text(broker.access(self.group, self.hubs, pages.hidden(said)))
        (self.etc / "access").chmod(0o640)
        pages.put(self.www, said, self.group, self.hubs)
        return is_new

    def broker_settings(self):
        return broker.settings(self.ports, self.etc, self.www, self.data)

    def sink_settings(self, word, database):
        return f"""# Made by hearth-hall. sink.yaml(5) tells all keys.
broker:
  address: localhost:{self.ports['local']}
  user: sink
  password_file: {word}
database:
  address: {database}
"""

    def line(self, hub):
        return joining.line(self.host, self.ports["secure"], hub, self.group, self.words.of(f"hub-{hub}"), (self.folder / "ca.crt").read_text())

    def addresses(self, host=None, is_secure=True):
        """Of the wall and of the console, each with its user and password behind the '#', which no server sees."""
        start = f"https://{host or self.host}:{self.ports['pages']}" if is_secure else f"http://localhost:{self.ports['local_pages']}"
        return [f"{start}/#wall:{self.words.of('wall')}", f"{start}/console.html#console:{self.words.of('console')}"]
