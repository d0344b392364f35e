/*
 * reference.cuh - what the map should be, in whole numbers up to the last division, and whether it
 * is; and whether the positions that were found are the best of it.
 */
#ifndef LAB4_REFERENCE_CUH
#define LAB4_REFERENCE_CUH

/* What the map should be, and what bounds the errors of those in FP32. */
typedef struct match_reference {
    uint64_t *sums; /* for each position R, sum |I - T|, or sum I T */
    /* (W+1) x (H+1) each: sum I and sum I^2 of what is left of and above each corner */
    uint64_t *before, *squares_before;
    uint64_t template_sum, template_squares;
} match_reference;

/* A row of sums gets what a pixel of the template adds to each. */
static void add_taps(uint32_t *sums, const uint8_t *row, int pixel, int count)
{
    if (measure == SSD)
        for (int x = 0; x < count; x++)
            sums[x] += (row[x] - pixel) * (row[x] - pixel);
    else if (measure == SAD)
        for (int x = 0; x < count; x++)
            sums[x] += row[x] > pixel ? row[x] - pixel : pixel - row[x];
    else
        for (int x = 0; x < count; x++)
            sums[x] += row[x] * pixel;
}

/*
 * The map once more, summed in another order and with other loops than the variants': a row of
 * sums takes one template pixel at a time, so that the compiler can keep many sums in a register.
 * Sums of 32 bits over a row of the template go to those of 64.
 */
static void sum_row(const problem *p, int y, uint32_t *sums, uint64_t *totals)
{
    shapes s = shapes_of(p);
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    memset(totals, 0, (size_t)s.map_width * sizeof *totals);
    for (int j = 0; j < s.template_height; j++) {
        memset(sums, 0, (size_t)s.map_width * sizeof *sums);
        for (int i = 0; i < s.template_width; i++)
            add_taps(sums, image + (y + j) * s.image_width + i, templ[j * s.template_width + i],
                     s.map_width);
        for (int x = 0; x < s.map_width; x++)
            totals[x] += sums[x];
    }
}

static void sum_boxes(const problem *p, match_reference *r)
{
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    size_t row = (size_t)p->width + 1;
    memset(r->before, 0, row * sizeof *r->before);
    memset(r->squares_before, 0, row * sizeof *r->squares_before);
    for (int y = 0; y < p->height; y++) {
        uint64_t sum = 0, squares = 0, *above = r->before + y * row;
        uint64_t *squares_above = r->squares_before + y * row;
        above[row] = squares_above[row] = 0;
        for (int x = 0; x < p->width; x++) {
            int pixel = image[(size_t)y * p->width + x];
            sum += pixel;
            squares += pixel * pixel;
            above[row + x + 1] = above[x + 1] + sum;
            squares_above[row + x + 1] = squares_above[x + 1] + squares;
        }
    }
    for (int i = 0; i < template_width * template_height; i++) {
        r->template_sum += templ[i];
        r->template_squares += templ[i] * templ[i];
    }
}

static void *reference(const problem *p)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    size_t corners = ((size_t)p->width + 1) * ((size_t)p->height + 1);
    match_reference *r =
        (match_reference *)allocate(sizeof *r + (count + 2 * corners) * sizeof(uint64_t));
    uint64_t *room = (uint64_t *)(r + 1);
    *r = {room, room + count, room + count + corners, 0, 0};
    sum_boxes(p, r);
#pragma omp parallel
    {
        uint32_t *sums = (uint32_t *)allocate((size_t)s.map_width * sizeof *sums);
#pragma omp for schedule(dynamic)
        for (int y = 0; y < s.map_height; y++)
            sum_row(p, y, sums, r->sums + (size_t)y * s.map_width);
        free(sums);
    }
    return r;
}

static bool is_npp(const variant *v)
{
    return strcmp(v->name, "npp") == 0;
}

static bool is_fft(const variant *v)
{
    return strcmp(v->name, "fft") == 0;
}

/* Whole numbers below 2^53. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {get_value(p->buffer[MAP].host, i),
            (double)((const match_reference *)p->reference)->sums[i], 1};
}

/* Over the window at position i, of what lies left of and above each corner. */
static uint64_t over_window(const problem *p, const uint64_t *before, size_t i)
{
    shapes s = shapes_of(p);
    size_t row = (size_t)p->width + 1;
    const uint64_t *corner = before + i / s.map_width * row + i % s.map_width;
    const uint64_t *below = corner + template_height * row;
    return below[template_width] - below[0] - corner[template_width] + corner[0];
}

/* ncc and zncc, from whole numbers in FP64; the error is relative. */
static checked correlation_value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const match_reference *r = (const match_reference *)p->reference;
    double pixels = template_width * template_height;
    double image = (double)over_window(p, r->before, i), templ = (double)r->template_sum;
    double products = (double)r->sums[i];
    double squares = (double)over_window(p, r->squares_before, i);
    double template_squares = (double)r->template_squares;
    if (measure == ZNCC) { /* whole numbers below 2^53 still */
        products = pixels * products - image * templ;
        squares = pixels * squares - image * image;
        template_squares = pixels * template_squares - templ * templ;
    }
    double root = sqrt(squares) * sqrt(template_squares);
    double expected = root > 0 ? products / root : 0;
    return {get_value(p->buffer[MAP].host, i), expected, fabs(expected)};
}

/* NPP's, which says nothing of black on black. Its error is one of a sum of squares, divided. */
static checked npp_value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const match_reference *r = (const match_reference *)p->reference;
    double image = (double)over_window(p, r->squares_before, i);
    double templ = (double)r->template_squares, root = sqrt(image * templ);
    if (root == 0)
        return {0, 0, 1};
    return {get_npp_value(p->buffer[MAP].host, i), (double)r->sums[i] / root,
            (image + templ) / root};
}

/*
 * A transform of N numbers in FP32 is off by at most 6 u log2 N of its 2-norm, u = 2^-24 (Higham,
 * Accuracy and Stability of Numerical Algorithms, section 24.1). Here are three, each as large as
 * sqrt(sum I^2) sum T at most; of the correlation R has twice, rounded to a whole number.
 */
static double fft_bound(const problem *p)
{
    const match_reference *r = (const match_reference *)p->reference;
    double squares = (double)r->squares_before[((size_t)p->width + 1) * (p->height + 1) - 1];
    double transform = 6 * 0x1p-24 * (log2(p->width) + log2(p->height) + 1);
    return 2 * (3 * transform * sqrt(squares) * (double)r->template_sum + 1);
}

/* The places found must be those that the variant's own map has. */
static void check_matches(const problem *p, check_result *result)
{
    shapes s = shapes_of(p);
    const uint32_t *places = (const uint32_t *)p->buffer[MATCHES].host;
    uint32_t expected[TOP_MAX];
    find_matches(p->buffer[MAP].host, expected, s);
    for (int i = 0; i < top; i++)
        check_scaled(result, places[i], expected[i], 0, (size_t)s.map_width * s.map_height + i);
}

static check_result check_map(const problem *p, const variant *v)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    if (is_npp(v)) /* three sums of so many terms in FP32 */
        return check_all(3 * (taps + 2) * 0x1p-24, s.map_width, count, npp_value_at, p);
    if (is_normalised())
        return check_all(CORRELATION_BOUND, s.map_width, count, correlation_value_at, p);
    return check_all(is_fft(v) ? fft_bound(p) : 0, s.map_width, count, value_at, p);
}

/* Equality is demanded of all that is in integers. */
static check_result check(const problem *p, const variant *v)
{
    check_result result = check_map(p, v);
    if (top > 0)
        check_matches(p, &result);
    if (v->part)
        note_local_map(&result);
    return result;
}

#endif
