"""A slow network between network namespaces that loses packets.

    python3 lossy_net.py DEVICE MILLISECONDS PERCENT NAMESPACE...

Each namespace gets a DEVICE (a TAP). All others receive its packets after so many milliseconds, except the PERCENT that are lost.
The program prints "ready" when the devices exist. It ends at the end of its standard input and prints how many packets it
delivered and how many it lost.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

CLONE_NEWNET, TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x40000000, 0x400454CA, 0x0002, 0x1000
LONGEST_FRAME = 65536


def plug_in(device, namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/run/netns/" + namespace) as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
    return tap


def carry(taps, delay, loss):
    draws, under_way, carried, lost = random.Random(1), [], 0, 0
    while True:
        now = time.monotonic()
        while under_way and under_way[0][0] <= now:
            _, _, to, frame = heapq.heappop(under_way)
            try:
                os.write(to, frame)
            except (BlockingIOError, OSError):
                pass  # a device that is not up yet
        wait = max(0, under_way[0][0] - now) if under_way else None
        for ready in select.select([*taps, sys.stdin], [], [], wait)[0]:
            if ready is sys.stdin:
                return carried, lost
            frame = os.read(ready, LONGEST_FRAME)
            if draws.random() < loss:
                lost += 1
                continue
            carried += 1
            for to in taps:
                if to != ready:
                    heapq.heappush(under_way, (time.monotonic() + delay, carried, to, frame))


def main(device, milliseconds, percent, *namespaces):
    taps = [plug_in(device, namespace) for namespace in namespaces]
    print("ready", flush=True)
    print(*carry(taps, float(milliseconds) / 1000, float(percent) / 100))


if __name__ == "__main__":
    main(*sys.argv[1:])
