"""What the C library keeps of freed memory. Each test is a process of its own: the limits cannot be taken back."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not hasattr(__import__("ctypes").CDLL(None), "mallinfo2"), reason="only glibc counts its blocks and heaps"
)
_BEGIN = """
import ctypes, threading
from inforadar.pipeline.freed_memory import MAX_HEAPS, OWN_MAPPING_BYTES, limit_freed_memory
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
class Info(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]
library.mallinfo2.restype = Info
limit_freed_memory()
"""
_BLOCKS = """
library.free(library.malloc(19 * 2**20))  # after this, the library would cut the next ones from its heap
before = library.mallinfo2().hblks
blocks = [library.malloc(OWN_MAPPING_BYTES) for _ in range(100)]
# A few fit into what the imports left free in the heap: the library uses that first.
print(library.mallinfo2().hblks - before > 50)
"""
_HEAPS = """
all_there = threading.Barrier(9)
def work():
    library.malloc(1000)
    all_there.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
all_there.wait()
library.fopen.restype = ctypes.c_void_p
library.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
library.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
library.fclose.argtypes = [ctypes.c_void_p]
import tempfile
with tempfile.NamedTemporaryFile() as file:
    stream = library.fopen(file.name.encode(), b"w")
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(file.read().count(b"<heap nr=") <= MAX_HEAPS)
"""


def printed(script: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", _BEGIN + script], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_large_blocks_are_mapped_alone_even_after_a_larger_one_was_freed() -> None:
    assert printed(_BLOCKS) == "True"


def test_threads_share_a_few_heaps() -> None:
    assert printed(_HEAPS) == "True"
