"""A go-between on TCP that a test puts into a link: it can be cut, stopped and slowed."""
import socket, threading, time


class Relay:
    """Listens on this machine and hands every connection on to a port of it. What a test does beside that, a class of its own says."""

    piece = 4096
    # Small buffers of the kernel: the sender soon notices a stopped or slow relay. `None`: as the kernel likes.
    buffer = None

    def __init__(self, target, port=0):
        self.target, self.is_cut, self.is_frozen, self.rate = target, False, False, None
        self.connections, self.links = 0, set()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            self.connections += 1
            for link in (near, far):
                link.settimeout(None)
                if self.buffer:
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.buffer)
                self.links.add(link)
            for source, to, is_up in ((near, far, True), (far, near, False)):
                threading.Thread(target=self.carry, args=(source, to, self.passing(is_up)), daemon=True).start()

    def passing(self, is_up):
        """What of the bytes of one direction of a new connection goes on."""
        return lambda data: data

    def carry(self, source, to, passing):
        try:
            while data := source.recv(self.piece):
                while self.is_frozen:
                    time.sleep(0.05)
                if self.rate:
                    time.sleep(len(data) / self.rate)
                to.sendall(passing(data))
        except OSError:
            pass
        for link in (source, to):
            self.links.discard(link)
            self.shut(link)
            link.close()

    @staticmethod
    def shut(link):
        try:
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def cut(self):
        self.is_cut = True
        for link in list(self.links):
            self.shut(link)

    def mend(self):
        self.is_cut, self.rate = False, None

    def end(self):
        self.listener.close()
        self.cut()
