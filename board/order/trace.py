#!/usr/bin/env python3
"""Which functions of a program are run: a breakpoint at each of them, gone with its first hit.

    trace.py LIST SECONDS PROGRAM ARGUMENT...

Writes their names until the program ends (SIGTERM is passed on): first those that are run when SECONDS are over, which is
what it does for months, then those that only starting needs; each in the order of its first run. x86-64, one process.
"""
import ctypes, os, signal, subprocess, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
# <sys/ptrace.h>; a wait for threads too is __WALL of <sys/wait.h>.
TRACE_ME, CONTINUE, GET_REGISTERS, SET_REGISTERS, SET_OPTIONS = 0, 7, 12, 13, 0x4200
TRACE_CLONE, EXIT_KILL, WAIT_ALL = 1 << 3, 1 << 20, 0x40000000
# rip is the 17th of the 27 words of user_regs_struct.
INSTRUCTION, WORDS = 16, 27
BREAKPOINT = 0xCC

out, seconds, program = sys.argv[1], float(sys.argv[2]), os.path.realpath(sys.argv[3])
functions = {}
for line in subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines():
    parts = line.split()
    if len(parts) == 4 and parts[2] in "tTwW" and int(parts[1], 16) > 0:
        functions.setdefault(int(parts[0], 16), parts[3])

child = os.fork()
if child == 0:
    libc.ptrace(TRACE_ME, 0, None, None)
    os.execv(program, sys.argv[3:])
os.waitpid(child, 0)
libc.ptrace(SET_OPTIONS, child, None, TRACE_CLONE | EXIT_KILL)
mappings = [line.split() for line in open(f"/proc/{child}/maps") if line.rstrip().endswith(program)]
spans = [tuple(int(bound, 16) for bound in mapping[0].split("-")) + (mapping[1],) for mapping in mappings]
base = min(begin for begin, _, _ in spans)
memory = os.open(f"/proc/{child}/mem", os.O_RDWR)
original, armed = {}, set()


def arm():
    for begin, end, how in spans:
        if how != "r-xp":
            continue
        code = bytearray(os.pread(memory, end - begin, begin))
        for address in functions:
            place = base + address - begin
            if 0 <= place < len(code):
                original.setdefault(base + address, code[place])
                armed.add(base + address)
                code[place] = BREAKPOINT
        os.pwrite(memory, bytes(code), begin)


starting, lasting, registers = {}, {}, (ctypes.c_ulonglong * WORDS)()
run = starting
arm()
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: os.kill(child, signal.SIGTERM))
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGSTOP))
signal.setitimer(signal.ITIMER_REAL, seconds)
libc.ptrace(CONTINUE, child, None, 0)
while True:
    thread, status = os.waitpid(-1, WAIT_ALL)
    if not os.WIFSTOPPED(status):
        if thread == child:
            break
        continue
    given = os.WSTOPSIG(status)
    if given == signal.SIGTRAP:
        given = 0
        libc.ptrace(GET_REGISTERS, thread, None, ctypes.byref(registers))
        address = registers[INSTRUCTION] - 1
        # Two threads may have run into the same one before it was gone.
        if status >> 16 == 0 and address in original:
            if address in armed:
                armed.discard(address)
                os.pwrite(memory, bytes([original[address]]), address)
            registers[INSTRUCTION] = address
            libc.ptrace(SET_REGISTERS, thread, None, ctypes.byref(registers))
            run[functions[address - base]] = True
    elif given == signal.SIGSTOP:
        given = 0
        if thread == child and run is starting and not signal.getitimer(signal.ITIMER_REAL)[0]:
            run = lasting
            arm()
    libc.ptrace(CONTINUE, thread, None, given)
with open(out, "w") as file:
    file.writelines(name + "\n" for name in {**lasting, **starting})
print(f"{len(lasting)} functions go on to be run of {len({**lasting, **starting})}", file=sys.stderr)
