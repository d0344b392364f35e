import os
m=open('lab2_matprod/matprod.cu').read()
m=m.replace('if (isfinite(error))\n','if (isfinite(error)) bias += (fabs(value)-fabs(r->product[i]))/r->scale[i]; if (isfinite(error))\n')
m=m.replace('size_t count = 0, all','double bias = 0; size_t count = 0, all')
m=m.replace('"median error %.2g", count ? errors[count / 2] : 0)','"median %.3g bias %+.2g", count ? errors[count / 2] : 0, bias / (count ? count : 1))')
m=m.replace('''static void release_cublas(''','''static void *plan_cublas_tf32(const problem *p, const launch *l)
{
    void *h = plan_cublas(p, l);
    CUBLAS_CHECK(cublasSetMathMode((cublasHandle_t)h, CUBLAS_TF32_TENSOR_OP_MATH));
    return h;
}
static void release_cublas(''')
m=m.replace('''    GPU_VARIANT("tensor_tf32",''','''    VENDOR_VARIANT("cublas_tf32", "cuBLAS sgemm, TF32", launch_cublas, .needs = "cuBLAS",
                   .plan = plan_cublas_tf32, .release = release_cublas),
    GPU_VARIANT("tensor_tf32",''')
d=os.environ.get("DEFS","")
m="".join("#define %s\n"%x for x in d.split())+m
open('lab2_matprod/matprod.cu','w').write(m)
p='lab2_matprod/tensor_split.cuh'
s=open(p).read()
a='''    if (p->first < p->end)
        wait_for_two(r);
'''
assert a in s
s=s.replace(a,a+'''#if OFFSET == 1
    if (group == 1 && p->first + 2 < p->end) {
        const int next = (r->stage + 2) % T::STAGES, phase = r->stage + 2 >= T::STAGES ? r->phase ^ 1 : r->phase;
        barrier_wait(r->full + 8 * next + 8, phase);
    }
#elif OFFSET == 2
    if (group == 1) __nanosleep(400);
#elif OFFSET == 3
    if (group == 1 && blockIdx.x / cluster_blocks() * 1 >= 0 && r->phase == 0 && r->stage == 0) { long long t0 = clock64(); while (clock64() - t0 < 800) ; }
#endif
''')
open(p,'w').write(s)
