"""The process that owns an embedded desktop: it starts the X server, bus and window manager, and ends with its owner.

Run as a script, by path, with a stream socket as descriptor 0. It imports nothing of deskhand, so that it is up in a
few milliseconds. Every process of the desktop, whatever it forks, stays below this one (it is
a child subreaper), so nothing survives the end: not after end-of-file, SIGTERM, or SIGKILL of the owner.

Lines it writes: {"ready": environment, "pids": {name: pid}}, {"pid": n}, {"error": text}, {"gone": name}.
Lines it reads: first its options (see `Keeper.start`), then {"start": argv, "environment": {…}, "directory": path}.
They come by the socket, not as arguments: any user of the machine can read the arguments of a process.
"""

import contextlib
import ctypes
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FAMILY_LOCAL = 256
_FAMILY_WILD = 0xFFFF
_KEYRINGS = ("org.freedesktop.secrets", "org.gnome.keyring", "org.kde.kwalletd5", "org.kde.kwalletd6")
_libc = ctypes.CDLL(None)


class Keeper:
    """One desktop and its processes."""

    def __init__(self, owner: socket.socket) -> None:
        self.owner = owner
        self.lines = owner.makefile("rb")
        self.options: dict[str, Any] = json.loads(self.lines.readline())
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.directory = tempfile.mkdtemp(prefix="deskhand-", dir=self.options["parent"])
        self.environment: dict[str, str] = self.options["environment"]
        self.sound: socket.socket | None = None
        self.sound_pid = 0

    def run(self) -> None:
        try:
            self.start()
            self.tell({"ready": self.environment, "pids": {name: p.pid for name, p in self.children.items()}})
            self.serve()
        except (OSError, EOFError) as error:
            self.tell({"error": f"the embedded desktop did not start: {error}{self.last_words()}"})
        finally:
            self.end()

    # ------------------------------------------------------------ starting

    def start(self) -> None:
        home = self.options["home"] or os.path.join(self.directory, "home")
        os.makedirs(home, mode=0o700, exist_ok=True)
        self.environment.update(
            HOME=home,
            XDG_RUNTIME_DIR=self.directory,
            XAUTHORITY=os.path.join(self.directory, "Xauthority"),
        )
        cookie = secrets.token_bytes(16)
        self.write_authority(cookie, b"")
        number = self.first_line(self.start_x_server(), "the X server")
        # The server takes any host and number; clients look for theirs.
        self.write_authority(cookie, number.encode())
        self.environment["DISPLAY"] = f":{number}"
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.first_line(self.start_bus(), "the session bus")
        self.offer_sound()
        if self.options["window_manager"]:
            self.start_child("window manager", self.options["window_manager"])

    def start_x_server(self) -> int:
        reader, writer = os.pipe()
        width, height = self.options["size"]
        command = [self.options["x_server"], "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24"]
        command += ["-auth", self.environment["XAUTHORITY"], "-nolisten", "tcp", "-noreset", "-s", "0", "-dpi", "96"]
        self.start_child("X server", command, passed=writer)
        os.close(writer)
        return reader

    def start_bus(self) -> int:
        self.leave_out_keyrings()
        reader, writer = os.pipe()
        command = [self.options["bus"], "--session", "--nofork", "--nopidfile"]
        command += [f"--address=unix:dir={self.directory}", "--print-address", str(writer)]
        self.start_child("session bus", command, passed=writer)
        os.close(writer)
        return reader

    def leave_out_keyrings(self) -> None:
        """Have the bus start no keyring, which would ask for a new password before a browser opens: nobody is there.

        Programs do without, as where none is installed. The first folder in which a bus looks for services counts.
        """
        folder = os.path.join(self.directory, "dbus-1", "services")
        os.makedirs(folder, mode=0o700)
        for name in _KEYRINGS:
            with open(os.path.join(folder, f"{name}.service"), "w", encoding="ascii") as file:
                file.write(f"[D-BUS Service]\nName={name}\nExec=/bin/false\n")

    def start_child(self, name: str, command: list[str], passed: int | None = None) -> None:
        with open(os.path.join(self.directory, f"{name.replace(' ', '-')}.log"), "wb") as log:
            self.children[name] = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=() if passed is None else (passed,),
                preexec_fn=lambda: die_with_keeper(signal.SIGTERM),  # noqa: PLW1509 - this process has one thread
            )

    def first_line(self, descriptor: int, what: str) -> str:
        """One line from a pipe that a starting process writes to, while the owner still waits for it."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.register(self.owner, select.POLLIN)  # which says nothing before it has heard that all is ready
        data = b""
        while not data.endswith(b"\n"):
            if any(ready == self.owner.fileno() for ready, _ in poll.poll()):
                raise EOFError(f"nobody waits for {what} any more")
            piece = os.read(descriptor, 512)
            if not piece:
                raise EOFError(f"{what} ended before it was ready")
            data += piece
        os.close(descriptor)
        return data.decode().strip()

    def offer_sound(self) -> None:
        """Listen where programs look for a sound server: there is none before the first of them connects."""
        if self.options["sound_server"]:
            folder = os.path.join(self.directory, "pulse")
            os.mkdir(folder, 0o700)
            self.sound = socket.socket(socket.AF_UNIX)
            self.sound.bind(os.path.join(folder, "native"))
            self.sound.listen()
            self.environment["PULSE_SERVER"] = f"unix:{self.sound.getsockname()}"

    def start_sound(self, sound: socket.socket) -> None:
        """Give the socket to a sound server whose only device plays to nobody; it ends when it has nothing to do."""
        command = [self.options["sound_server"], "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=20"]
        command += ["--high-priority=no", "--realtime=no", "--log-level=error"]
        command += [
            "-L",
            f"module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket={sound.getsockname()}",
        ]
        command += ["-L", "module-null-sink sink_name=embedded sink_properties=device.description=Embedded"]
        self.sound_pid = os.fork()
        if self.sound_pid == 0:
            try:
                # As systemd does: it is told its own number, and finds the socket at descriptor 3.
                os.dup2(os.open(os.path.join(self.directory, "sound-server.log"), os.O_WRONLY | os.O_CREAT), 2)
                os.dup2(2, 1)
                os.dup2(sound.fileno(), 3)
                os.set_inheritable(3, True)
                die_with_keeper(signal.SIGTERM)
                told = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
                os.execve(command[0], command, self.environment | told)
            finally:
                os._exit(127)

    def write_authority(self, cookie: bytes, number: bytes) -> None:
        def text(data: bytes) -> bytes:
            return struct.pack(">H", len(data)) + data

        def entry(family: int, host: bytes) -> bytes:
            return struct.pack(">H", family) + text(host) + text(number) + text(b"MIT-MAGIC-COOKIE-1") + text(cookie)

        # python-xlib clients ignore the wild family, so the host is named as well.
        host = socket.gethostname().encode()
        descriptor = os.open(self.environment["XAUTHORITY"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(entry(_FAMILY_LOCAL, host) + entry(_FAMILY_WILD, b""))

    # ------------------------------------------------------------ serving

    def serve(self) -> None:
        """Start what the owner asks for, until it or the X server is gone."""
        poll = select.poll()
        poll.register(self.owner, select.POLLIN)
        wake, signals = socket.socketpair()  # the interpreter writes the number of each signal here
        signals.setblocking(False)
        signal.set_wakeup_fd(signals.fileno())
        poll.register(wake, select.POLLIN)
        while True:
            if self.sound is not None and not self.sound_pid:
                poll.register(self.sound, select.POLLIN)
            for descriptor, _ in poll.poll():
                if self.sound is not None and descriptor == self.sound.fileno():
                    poll.unregister(descriptor)  # while a sound server runs, that is its business
                    self.start_sound(self.sound)
                elif descriptor == wake.fileno():
                    if signal.SIGTERM in wake.recv(256) or self.reap():
                        return
                else:
                    line = self.lines.readline()
                    if not line:
                        return
                    self.answer(json.loads(line))

    def answer(self, request: dict[str, Any]) -> None:
        try:
            child = subprocess.Popen(
                request["start"],
                env=request["environment"],
                cwd=request["directory"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=lambda: die_with_keeper(signal.SIGKILL),  # noqa: PLW1509 - as above
            )
        except OSError as error:
            self.tell({"error": str(error)})
        else:
            self.tell({"pid": child.pid})
            child.returncode = 0  # reaped below with all others; Popen must not wait for it

    def reap(self) -> bool:
        """Collect dead children; True when the desktop cannot live on."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                pid, status = ended
                if pid == self.sound_pid:
                    self.sound_ended(well=status == 0)
                for name, child in self.children.items():
                    if child.pid == pid and name != "window manager":
                        self.tell({"gone": name})
                        return True
        return False

    def sound_ended(self, *, well: bool) -> None:
        """Listen again; a sound server that fails is not started for ever."""
        self.sound_pid = 0
        if not well and self.sound is not None:
            os.unlink(self.sound.getsockname())
            self.sound.close()
            self.sound = None

    def tell(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            self.owner.sendall(json.dumps(message).encode() + b"\n")

    def last_words(self) -> str:
        """The last line that one of the processes wrote before it gave up."""
        for name in self.children:
            path = os.path.join(self.directory, f"{name.replace(' ', '-')}.log")
            with open(path, "rb") as log:
                lines = log.read().decode("utf-8", "replace").split("\n")
            said = [line.removeprefix("(EE)").strip() for line in lines]
            said = [line for line in said if line]
            if said:
                return f" ({name}: {said[-1][:200]})"
        return ""

    # ------------------------------------------------------------ ending

    def end(self) -> None:
        """Ask every process to end, apps before the X server, then make sure; remove the directory."""
        signal.set_wakeup_fd(-1)
        server = self.children.get("X server")
        keep = {server.pid} if server else set()
        self.signal_all(signal.SIGTERM, keep)
        self.wait_for_all(time.monotonic() + 0.3, keep)
        self.signal_all(signal.SIGKILL, keep)
        # The X server removes its lock and socket files when it is asked to end, and never when it is killed.
        self.signal_all(signal.SIGTERM, set())
        self.wait_for_all(time.monotonic() + 1.0, set())
        while True:
            self.signal_all(signal.SIGKILL, set())
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        shutil.rmtree(self.directory, ignore_errors=True)

    def signal_all(self, number: int, keep: set[int]) -> None:
        for pid in descendants(os.getpid()):
            if pid not in keep:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)

    def wait_for_all(self, deadline: float, keep: set[int]) -> None:
        while time.monotonic() < deadline:
            try:
                pid = os.waitpid(-1, os.WNOHANG)[0]
            except ChildProcessError:
                return
            if pid == 0:
                if not set(descendants(os.getpid())) - keep:
                    return
                signal.sigtimedwait([signal.SIGCHLD], max(0.0, min(0.02, deadline - time.monotonic())))


def descendants(root: int) -> list[int]:
    """Every process below this one, the youngest generation last."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    children.setdefault(int(fields[1]), []).append(int(entry))
    found, waiting = [], [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def die_with_keeper(number: int) -> None:
    """In a new child: end by this signal when the keeper is killed outright."""
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    owner = socket.socket(fileno=os.dup(0))
    os.set_inheritable(owner.fileno(), False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    Keeper(owner).run()


if __name__ == "__main__":
    main()
