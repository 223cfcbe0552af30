"""A certificate authority in a folder, for servers and clients of tests. Needs openssl."""
import datetime, subprocess

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# What `openssl ca` wants to know before it says from when to when a certificate is good.
DATABASE = "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n"


class Authority:
    """`ca.pem` with `ca.key`, and for each name `NAME.pem` with `NAME.key`, which servers that gave up root may read."""

    def __init__(self, folder, days=2):
        self.folder, self.days = folder, days
        folder.mkdir(exist_ok=True)
        self._openssl("req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", str(days))

    def certificate(self, name, common=None, alternative="", is_over=False, times=None):
        """`alternative`: names of a server, such as `DNS:localhost,IP:127.0.0.1`; `is_over`: since yesterday; `times`: from when to when, as
        openssl says it."""
        self._openssl("req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={common or name}")
        (self.folder / "extensions").write_text(f"subjectAltName={alternative}\n" if alternative else "basicConstraints=CA:FALSE\n")
        into = ("-in", f"{name}.csr", "-out", f"{name}.pem", "-extfile", "extensions")
        if is_over or times:
            day = lambda ago: (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=ago)).strftime("%y%m%d%H%M%SZ")
            (self.folder / "index").write_text("")
            (self.folder / "ca.conf").write_text(DATABASE)
            self._openssl("ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-startdate", times[0] if times else day(9), "-enddate", times[1] if times else day(1), *into)
        else:
            self._openssl("x509", "-req", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", str(self.days), *into)
        (self.folder / f"{name}.key").chmod(0o644)

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
