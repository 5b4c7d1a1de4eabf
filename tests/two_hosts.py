#!/usr/bin/env python3
"""hanxin on two hosts: two network namespaces of this machine, over TCP.

    two_hosts.py --hanxin target/debug/hanxin --tuning target/debug/hanxin-tuning --engine hanxin

Both programs must be built with --features mpi, and Open MPI be installed.
Namespaces need root. Where they are not allowed nothing is checked: the last
line says why and the exit code is 77.

Checked: a match and self-play on three ranks of two hosts come to what one
process comes to, also when a rank or mpirun itself is killed and the same
command is given again; and a search of all of them ends with a legal move, or
soon, if a rank or mpirun is killed. With --delay the cable takes so many milliseconds each
way (two TUN devices and a thread between them); with --run the given program is
run on both hosts instead of the checks, and its time printed.
"""
import argparse
import collections
import fcntl
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SKIPPED = 77
SUBNET = "10.77.0"
GAMES = 24


def shell(text, **options):
    return subprocess.run(text, shell=True, check=True, **options)


def tun(name):
    """A network device whose packets are read from and written to a file."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    request, kind = 0x400454CA, 0x0001 | 0x1000  # TUNSETIFF: TUN, without a header
    fcntl.ioctl(device, request, struct.pack("16sH", name.encode(), kind))
    return device


def carry(devices, delay):
    """Carries packets from each device to the other one."""
    other = dict(zip(devices, reversed(devices)))
    waiting = collections.deque()
    while True:
        left = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        try:
            for device in select.select(devices, [], [], left)[0]:
                waiting.append((time.monotonic() + delay, other[device], os.read(device, 65536)))
        except OSError:
            return  # the hosts have been removed
        while waiting and waiting[0][0] <= time.monotonic():
            _, device, packet = waiting.popleft()
            try:
                os.write(device, packet)
            except OSError:
                pass  # the device is not up yet: lost, as on a real cable


class Hosts:
    """Two namespaces with a cable between them."""

    def __init__(self, folder, delay):
        self.folder = folder
        tail = f"{os.getpid():x}"[-6:]
        self.names = [f"hxa{tail}", f"hxb{tail}"]
        a, b = self.names
        for name in self.names:
            shell(f"ip netns add {name}", capture_output=True)
        if delay:
            devices = [tun(name) for name in self.names]
            for name in self.names:
                shell(f"ip link set {name} netns {name}")
            threading.Thread(target=carry, args=(devices, delay), daemon=True).start()
        else:
            shell(f"ip link add {a} netns {a} type veth peer name {b} netns {b}", capture_output=True)
        for number, name in enumerate(self.names, 1):
            shell(f"ip -n {name} addr add {SUBNET}.{number}/24 dev {name}")
            shell(f"ip -n {name} link set lo up; ip -n {name} link set {name} up")
        # what ssh is elsewhere; a host name of its own makes a node of it
        hop = folder / "hop.sh"
        hop.write_text(f"""#!/bin/sh
case $1 in *.1) host={a};; *) host={b};; esac
shift
exec ip netns exec $host unshare --uts sh -c "hostname $host; $*"
""")
        hop.chmod(0o755)
        self.hop = hop

    def remove(self):
        for name in self.names:
            pids = subprocess.run(f"ip netns pids {name}", shell=True, capture_output=True, text=True)
            for pid in map(int, pids.stdout.split()):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            subprocess.run(f"ip netns del {name}", shell=True, capture_output=True)

    def command(self, program):
        """The command that runs a program on rank 0 and 1 here, 2 there."""
        settings = {
            "plm_rsh_agent": self.hop, "btl": "tcp,self", "mpi_yield_when_idle": 1,
            "btl_tcp_if_include": f"{SUBNET}.0/24", "oob_tcp_if_include": f"{SUBNET}.0/24",
        }
        mca = " ".join(f"--mca {name} {value}" for name, value in settings.items())
        return (f"exec ip netns exec {self.names[0]} unshare --uts sh -c 'hostname "
                f"{self.names[0]}; exec mpirun --host {SUBNET}.1:2,{SUBNET}.2:1 -np 3 "
                f"--bind-to none {mca} {program}'")

    def start(self, program, stdin=subprocess.DEVNULL):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        path = self.folder / "log"
        with open(path, "w") as log:
            process = subprocess.Popen(self.command(program), shell=True, cwd=self.folder,
                                       stdout=log, stderr=subprocess.STDOUT, stdin=stdin,
                                       env=environment)
        # read by its name: this file's place in it is the program's, too, and to
        # move it back for reading lets the next line of output overwrite the first
        process.said = path.read_text
        return process

    def run(self, program, tries=1):
        """Runs a program to its end, again if it fails, and returns what it says."""
        for left in range(tries - 1, -1, -1):
            process = self.start(program)
            code = process.wait(timeout=120)
            said = process.said()
            if code == 0:
                return said
            if left:
                time.sleep(1)
        sys.exit(f"{program} ended with {code}:\n{said}")


class Talk:
    """A conversation in UCI with rank 0 of the engine."""

    def __init__(self, hosts, hanxin):
        self.process = hosts.start(hanxin, subprocess.PIPE)
        self.seen = 0
        self.say("uci", "setoption name Hash value 2", "setoption name OwnBook value false", "isready")
        self.expect("readyok")

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def expect(self, start):
        """The next line that begins like this; lines before it are skipped."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            lines = self.process.said().split("\n")[:-1]
            for number in range(self.seen, len(lines)):
                if lines[number].startswith(start):
                    self.seen = number + 1
                    return lines[number]
            time.sleep(0.02)
        sys.exit(f"two_hosts.py: no `{start}` in\n" + "\n".join(lines[self.seen:]))

    def search(self, position, go):
        """The move that is found in a position, after which another one follows."""
        self.say(f"position {position}", go)
        return self.expect("bestmove").split()[1]


def processes(name, program):
    """Ids of the processes of a host that run a program."""
    found = subprocess.run(f"ip netns pids {name}", shell=True, capture_output=True, text=True)
    for pid in map(int, found.stdout.split()):
        try:
            if os.readlink(f"/proc/{pid}/exe") == str(program):
                yield pid
        except OSError:
            pass


def journal(path):
    """The moves of all games by their numbers."""
    games = {}
    lines = path.read_text().split("\n")[2:-1] if path.exists() else []
    for line in lines:
        game = json.loads(line[9:])
        if game["number"] in games:
            sys.exit(f"game {game['number']} was counted twice")
        games[game["number"]] = [played["move"] for played in game["moves"]]
    return games


def records(path):
    """The bytes of all training games by their numbers; tuning/README.md has the layout."""
    data, place, games = path.read_bytes(), 32, {}
    while place < len(data):
        opening, plies, start = data[place + 6], data[place + 7] + 256 * data[place + 8], data[place + 9]
        end = place + 10 + start + 2 * opening + 4 * plies + 4
        number = int.from_bytes(data[place:place + 4], "little")
        if number in games:
            sys.exit(f"training game {number} was written twice")
        games[number] = data[place:end]
        place = end
    return games


def wait_for(what, count, process):
    """Waits until `what()` has so many entries; whether the process still runs then."""
    deadline = time.monotonic() + 60
    while len(what()) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return process.poll() is None


def expect(condition, text):
    if not condition:
        sys.exit(f"two_hosts.py: {text}")
    print(f"   {text}")


def check_match(hosts, hanxin, engine, folder):
    match = (f"{hanxin} match --engine cmd={engine} name=a --engine cmd={engine} name=b option.hashsize=2 "
             f"--each nodes=300 --rounds {GAMES // 2} --openings file=builtin --concurrency 1")
    shell(f"{match} --journal alone.journal", cwd=folder, stdout=subprocess.DEVNULL)
    alone = journal(folder / "alone.journal")
    command, path = f"{match} --journal hosts.journal", folder / "hosts.journal"

    process = hosts.start(command)
    runs = wait_for(lambda: journal(path), GAMES // 6, process)
    victims = list(processes(hosts.names[1], hanxin))
    expect(runs and len(victims) == 1, "match: games arrive from two hosts")
    os.kill(victims[0], signal.SIGKILL)
    code, first = process.wait(timeout=60), len(journal(path))
    expect(code != 0 and first < GAMES, f"match: a rank killed after {first} games ends it")

    process = hosts.start(command)
    runs = wait_for(lambda: journal(path), first + GAMES // 6, process)
    mpirun = Path(os.path.realpath(shutil.which("mpirun")))
    victims = list(processes(hosts.names[0], mpirun))
    expect(runs and victims, "match: the same command goes on")
    os.kill(victims[0], signal.SIGKILL)
    process.wait(timeout=60)
    second = len(journal(path))
    expect(first < second < GAMES, f"match: mpirun killed after {second} games")

    said = hosts.run(command, tries=10)
    expect(all(name in said for name in hosts.names), "match: the output names both hosts")
    expect(journal(path) == alone, f"match: all {GAMES} games are those of one process")
    began = time.monotonic()
    said = hosts.run(command)
    expect("The match is over" in said and time.monotonic() - began < 30,
           "match: once it is over the same command ends well, and soon")


def check_datagen(hosts, tuning, folder):
    make = f"{tuning} datagen --nodes 40 --seed 3 --games 40 --threads 1 --classical"
    shell(f"{make} --out alone.games", cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    alone = records(folder / "alone.games")
    path = folder / "hosts.games"
    process = hosts.start(f"{make} --out {path}")
    runs = wait_for(lambda: records(path) if path.exists() else {}, 10, process)
    victims = list(processes(hosts.names[1], tuning))
    expect(runs and len(victims) == 1, "datagen: games arrive")
    os.kill(victims[0], signal.SIGKILL)
    expect(process.wait(timeout=60) != 0, "datagen: a killed rank ends it")
    hosts.run(f"{make} --out {path}", tries=10)
    expect(records(path) == alone, "datagen: the games of one process, byte for byte")
    began = time.monotonic()
    process = hosts.start(f"{make} --out {path}".replace("--seed 3", "--seed 4"))
    expect(process.wait(timeout=60) == 1 and time.monotonic() - began < 30,
           "datagen: a file of other games is refused soon")


def check_search(hosts, hanxin):
    talk = Talk(hosts, hanxin)
    everywhere = lambda: [pid for name in hosts.names for pid in processes(name, hanxin)]
    expect(len(everywhere()) == 3, "search: three ranks are ready")
    first = talk.search("startpos", "go depth 6")
    second = talk.search(f"startpos moves {first}", "go movetime 500")
    talk.say(f"position startpos moves {first} {second}", "d", "quit")
    code = talk.process.wait(timeout=60)
    expect(code == 0 and "info string" not in talk.process.said(), f"search: {first} and {second} are legal")

    talk = Talk(hosts, hanxin)
    talk.say("go infinite")
    talk.expect("info depth 3")
    os.kill(next(processes(hosts.names[1], hanxin)), signal.SIGKILL)
    expect(talk.process.wait(timeout=60) != 0, "search: a killed rank ends it")

    talk = Talk(hosts, hanxin)
    talk.say("go infinite")
    talk.expect("info depth 3")
    mpirun = Path(os.path.realpath(shutil.which("mpirun")))
    os.kill(next(processes(hosts.names[0], mpirun)), signal.SIGKILL)
    deadline = time.monotonic() + 60
    while everywhere() and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(not everywhere(), "search: without mpirun all ranks end")

    talk = Talk(hosts, hanxin)
    expect(talk.search("startpos", "go depth 5"), "search: started again it goes on")
    talk.say("quit")
    expect(talk.process.wait(timeout=60) == 0, "search: all ranks leave")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ["hanxin", "tuning", "engine"]:
        parser.add_argument(f"--{name}", type=lambda text: Path(text).resolve())
    parser.add_argument("--delay", type=float, default=0.0, help="milliseconds each way")
    parser.add_argument("--run", help="a program with its arguments")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("two_hosts.py: ended from outside"))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        hosts = None
        try:
            hosts = Hosts(folder, args.delay / 1000)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            reason = getattr(error, "stderr", None) or str(error).encode()
            print(f"two_hosts.py: nothing checked, no network namespaces: {reason.decode().strip()}")
            return SKIPPED
        try:
            if args.run:
                began = time.monotonic()
                print(hosts.run(args.run) + f"{time.monotonic() - began:.2f} s")
                return 0
            check_search(hosts, args.hanxin)
            check_match(hosts, args.hanxin, args.engine, folder)
            check_datagen(hosts, args.tuning, folder)
        finally:
            hosts.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
