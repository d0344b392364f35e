"""time_matmul.py - torch.matmul or cupy.matmul in FP32, as anybody calls it.

usage: python3 tests/fp32_gemm/time_matmul.py torch|cupy N...

Prints for each N the median time of 20 products of normal numbers and the greatest error of 32 rows, in
2^-24 of |A||B|. Exit status 1 where that is above 8. With LD_PRELOAD=build/cuda/fp32_gemm_preload.so the
same program takes the tensor cores.
"""
import statistics
import sys

library, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]]
if library == "torch":
    import torch

    def matrix(n, seed):
        return torch.randn(n, n, device="cuda", generator=torch.Generator("cuda").manual_seed(seed))

    def wide(x):
        return x.double()

    matmul, wait = torch.matmul, torch.cuda.synchronize

    def event():
        return torch.cuda.Event(enable_timing=True)

    def between(a, b):
        return a.elapsed_time(b)
else:
    import cupy

    def matrix(n, seed):
        return cupy.random.default_rng(seed).standard_normal((n, n), dtype=cupy.float32)

    def wide(x):
        return x.astype(cupy.float64)

    matmul, wait, event = cupy.matmul, cupy.cuda.Device().synchronize, cupy.cuda.Event
    between = cupy.cuda.get_elapsed_time

worst = 0
for n in sizes:
    a, b = matrix(n, 1), matrix(n, 2)
    times = []
    for _ in range(23):
        begin, end = event(), event()
        begin.record()
        c = matmul(a, b)
        end.record()
        wait()
        times.append(between(begin, end))
    rows = slice(0, n, max(1, n // 32))
    error = abs(wide(c[rows]) - wide(a[rows]) @ wide(b)) / (abs(wide(a[rows])) @ abs(wide(b)))
    error = float(error.max()) * 2**24
    worst = max(worst, error)
    print(f"{library} {n}: {statistics.median(times[3:]):.4f} ms, error {error:.2f} u")
sys.exit(worst > 8)
