/* image.c - pictures in memory, and the choice of a file format. See image.h. */
#include "image.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "image_format.h"

#ifdef HAVE_PNG
#define LEGAL_TO_READ  "BMP, PGM (P2, P5), PPM (P3, P6) and PNG"
#define LEGAL_TO_WRITE ".bmp, .pgm, .ppm and .png"
#else
#define LEGAL_TO_READ  "BMP, PGM (P2, P5) and PPM (P3, P6)"
#define LEGAL_TO_WRITE ".bmp, .pgm and .ppm"
#endif

_Static_assert((int)IMAGE_ERROR_SIZE >= (int)FILE_ERROR_SIZE, "image errors come from file_error");

/* ------------------------------------------------------------------ pictures in memory ---- */

static int is_side(int64_t side)
{
    return side >= 1 && side <= IMAGE_MAX_SIDE;
}

int image_create(image *out, int width, int height, int channels)
{
    memset(out, 0, sizeof *out);
    if (!is_side(width) || !is_side(height) || !(channels == 1 || channels == 3 || channels == 4))
        return -1;
    uint64_t size = (uint64_t)width * (uint64_t)height * (uint64_t)channels;
    if (size > SIZE_MAX)
        return -1;
    out->pixels = malloc((size_t)size);
    if (!out->pixels)
        return -1;
    out->width = width;
    out->height = height;
    out->channels = channels;
    return 0;
}

void image_free(image *picture)
{
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

static const uint8_t *pixel_at(const image *picture, int x, int y)
{
    size_t index = (size_t)y * (size_t)picture->width + (size_t)x;
    return picture->pixels + index * (size_t)picture->channels;
}

int image_to_gray(const image *in, image *out)
{
    if (image_create(out, in->width, in->height, 1) != 0)
        return -1;
    size_t count = (size_t)in->width * (size_t)in->height;
    if (in->channels == 1) {
        memcpy(out->pixels, in->pixels, count);
        return 0;
    }
    const uint8_t *pixel = in->pixels;
    for (size_t i = 0; i < count; i++, pixel += in->channels)
        out->pixels[i] = (uint8_t)((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
    return 0;
}

int image_crop(const image *in, int x, int y, int width, int height, image *out)
{
    memset(out, 0, sizeof *out);
    if (x < 0 || y < 0 || width < 1 || height < 1 || width > in->width - x ||
        height > in->height - y)
        return -1;
    if (image_create(out, width, height, in->channels) != 0)
        return -1;
    size_t row_size = (size_t)width * (size_t)in->channels;
    for (int row = 0; row < height; row++)
        memcpy(out->pixels + (size_t)row * row_size, pixel_at(in, x, y + row), row_size);
    return 0;
}

/* -------------------------------------------------------------------------- resampling ---- */

/*
 * One output sample of one axis: count input samples from first on, with whole-number weights that
 * stand from weights[start] on. All samples of an axis have the same sum of weights, total, so a
 * pixel is one exact sum divided once: nothing is rounded on the way.
 */
typedef struct axis_sample {
    int first, count, start;
} axis_sample;

typedef struct axis {
    axis_sample *samples; /* one per output sample */
    uint32_t *weights;
    uint32_t total;
} axis;

static void axis_free(axis *a)
{
    free(a->samples);
    free(a->weights);
}

/* In units of 1 / size_out input samples, output i covers [i size_in, (i + 1) size_in). */
static void axis_shrink(axis *a, int size_in, int size_out)
{
    int used = 0;
    a->total = (uint32_t)size_in;
    for (int i = 0; i < size_out; i++) {
        int64_t begin = (int64_t)i * size_in, end = begin + size_in;
        int first = (int)(begin / size_out), last = (int)((end - 1) / size_out);
        a->samples[i] = (axis_sample){first, last - first + 1, used};
        for (int64_t j = first; j <= last; j++) {
            int64_t left = j * size_out, right = left + size_out;
            int64_t overlap = (right < end ? right : end) - (left > begin ? left : begin);
            a->weights[used++] = (uint32_t)overlap;
        }
    }
}

/* Output i lies at (i + 1/2) size_in / size_out - 1/2, here in units of 1 / (2 size_out). */
static void axis_grow(axis *a, int size_in, int size_out)
{
    int64_t unit = 2 * (int64_t)size_out, end = (size_in - 1) * unit;
    a->total = (uint32_t)unit;
    for (int i = 0; i < size_out; i++) {
        int64_t position = (2 * (int64_t)i + 1) * size_in - size_out;
        position = position < 0 ? 0 : position > end ? end : position;
        int64_t fraction = position % unit;
        a->samples[i] = (axis_sample){(int)(position / unit), fraction ? 2 : 1, 2 * i};
        a->weights[2 * i] = (uint32_t)(unit - fraction);
        a->weights[2 * i + 1] = (uint32_t)fraction;
    }
}

static int axis_create(axis *a, int size_in, int size_out)
{
    a->samples = malloc((size_t)size_out * sizeof *a->samples);
    /* Shrinking, neighbours share at most one input sample; growing, each has two weights. */
    a->weights = malloc(((size_t)size_in + 2 * (size_t)size_out) * sizeof *a->weights);
    if (!a->samples || !a->weights)
        return -1;
    (size_out <= size_in ? axis_shrink : axis_grow)(a, size_in, size_out);
    return 0;
}

/* Adds row y of the input, resampled along x and times weight, to sums. */
static void add_row(const image *in, int y, uint32_t weight, const axis *across, int width,
                    uint64_t *sums)
{
    for (int x = 0; x < width; x++) {
        axis_sample sample = across->samples[x];
        const uint8_t *pixel = pixel_at(in, sample.first, y);
        for (int channel = 0; channel < in->channels; channel++) {
            uint64_t sum = 0;
            for (int k = 0; k < sample.count; k++)
                sum +=
                    (uint64_t)across->weights[sample.start + k] * pixel[k * in->channels + channel];
            sums[x * in->channels + channel] += weight * sum;
        }
    }
}

int image_resample(const image *in, int width, int height, image *out)
{
    axis across = {0}, down = {0};
    uint64_t *sums = NULL;
    int result = -1;
    if (image_create(out, width, height, in->channels) != 0)
        return -1;
    size_t row_size = (size_t)width * (size_t)in->channels;
    if (axis_create(&across, in->width, width) != 0 || axis_create(&down, in->height, height) != 0)
        goto done;
    sums = malloc(row_size * sizeof *sums);
    if (!sums)
        goto done;
    uint64_t total = (uint64_t)across.total * down.total;
    for (int y = 0; y < height; y++) {
        axis_sample sample = down.samples[y];
        memset(sums, 0, row_size * sizeof *sums);
        for (int k = 0; k < sample.count; k++)
            add_row(in, sample.first + k, down.weights[sample.start + k], &across, width, sums);
        for (size_t i = 0; i < row_size; i++)
            out->pixels[(size_t)y * row_size + i] = (uint8_t)((sums[i] + total / 2) / total);
    }
    result = 0;
done:
    free(sums);
    axis_free(&across);
    axis_free(&down);
    if (result != 0)
        image_free(out);
    return result;
}

/* ------------------------------------------------------------------------------- files ---- */

int image_check_header(const image_source *source, int64_t width, int64_t height, char *error)
{
    if (!is_side(width) || !is_side(height))
        return file_error(error, source->path,
                          "its header says %lld x %lld pixels; legal are 1 to %d each way",
                          (long long)width, (long long)height, IMAGE_MAX_SIDE);
    return 0;
}

int image_create_from_header(const image_source *source, int64_t width, int64_t height,
                             int channels, image *out, char *error)
{
    if (image_check_header(source, width, height, error) != 0)
        return -1;
    if (image_create(out, (int)width, (int)height, channels) != 0)
        return file_error(error, source->path, "out of memory for %d x %d pixels of %d channels",
                          (int)width, (int)height, channels);
    return 0;
}

static int refuse_unknown(const image_source *source, image *out, char *error)
{
    memset(out, 0, sizeof *out);
    return file_error(error, source->path,
                      "not a picture of a known format (it starts with bytes %02X %02X); legal "
                      "are " LEGAL_TO_READ,
                      source->bytes[0], source->size > 1 ? source->bytes[1] : 0);
}

typedef int decoder(const image_source *source, image *out, char *error);
typedef int encoder(const image *picture, file_draft *draft, char *error);

static decoder *find_decoder(const image_source *source)
{
    static const struct {
        const char *magic;
        decoder *decode;
    } formats[] = {
        {"BM", image_decode_bmp}, {"P1", image_decode_pnm}, {"P2", image_decode_pnm},
        {"P3", image_decode_pnm}, {"P4", image_decode_pnm}, {"P5", image_decode_pnm},
        {"P6", image_decode_pnm}, {"P7", image_decode_pnm}, {"\x89PNG\r\n\x1a\n", image_decode_png},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t length = strlen(formats[i].magic);
        if (source->size >= length && memcmp(source->bytes, formats[i].magic, length) == 0)
            return formats[i].decode;
    }
    return refuse_unknown;
}

int image_read(const char *path, image *out, char *error)
{
    uint8_t *bytes;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(path, &bytes, &size, error) != 0)
        return -1;
    int result;
    if (size == 0) {
        result = file_error(error, path, "the file is empty; legal are " LEGAL_TO_READ);
    } else {
        image_source source = {path, bytes, size};
        result = find_decoder(&source)(&source, out, error);
    }
    free(bytes);
    return result;
}

static int ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    if (length < tail)
        return 0;
    for (size_t i = 0; i < tail; i++)
        if (tolower((unsigned char)text[length - tail + i]) != ending[i])
            return 0;
    return 1;
}

static encoder *find_encoder(const char *path)
{
    static const struct {
        const char *ending;
        encoder *encode;
    } formats[] = {
        {".bmp", image_encode_bmp},
        {".pgm", image_encode_pgm},
        {".ppm", image_encode_ppm},
        {".png", image_encode_png},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ends_with(path, formats[i].ending))
            return formats[i].encode;
    return NULL;
}

int image_check_writable(const char *path, char *error)
{
    if (!find_encoder(path))
        return file_error(error, path, "unknown ending; legal are " LEGAL_TO_WRITE);
    return file_check_writable(path, error);
}

int image_write(const char *path, const image *picture, char *error)
{
    file_draft draft;
    encoder *encode = find_encoder(path);
    if (!encode)
        return file_error(error, path, "unknown ending; legal are " LEGAL_TO_WRITE);
    if (file_create(&draft, path, error) != 0)
        return -1;
    if (encode(picture, &draft, error) != 0) {
        file_abandon(&draft);
        return -1;
    }
    return file_commit(&draft, error);
}
