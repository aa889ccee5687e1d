"""Many Python threads at once."""
import ctypes
import threading

import numpy as np

import onepass_scan as scan
from onepass_scan import _library


def test_the_lock_is_released():
    assert isinstance(_library.lib, ctypes.CDLL) and not isinstance(_library.lib, ctypes.PyDLL)


def test_calls_do_not_meet():
    failures, start = [], threading.Barrier(8)

    def work(seed):
        rng = np.random.default_rng(seed)
        start.wait()
        try:
            for _ in range(200):
                shape = (int(rng.integers(1, 4)), int(rng.integers(1, 50)))
                x = rng.integers(-9, 9, shape)
                init = int(rng.integers(-9, 9))
                out, total = scan.inclusive(x, init=init, total=True)
                np.testing.assert_array_equal(out, np.cumsum(x, 1) + init)
                np.testing.assert_array_equal(total, x.sum(1) + init)
                np.testing.assert_array_equal(scan.cumsum(x, 0), np.cumsum(x, 0))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_large_ones_side_by_side():
    x = np.random.default_rng(0).integers(-9, 9, (4, 300_000))
    wanted, results = np.cumsum(x, 1), [None] * 4

    def work(i):
        results[i] = scan.cumsum(x)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, wanted)
