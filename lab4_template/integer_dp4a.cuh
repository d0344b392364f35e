/*
 * integer_dp4a.cuh - products of the image with a piece of the template on the integer lanes, four
 * bytes an instruction; and the pieces, which the tensor cores' kernels take, too.
 */
#ifndef LAB4_INTEGER_DP4A_CUH
#define LAB4_INTEGER_DP4A_CUH

/*
 * The kernels of the products take the template in pieces, since tiles and sums are made for such a
 * size; a piece's sums fit 32 bits. Each subtracts twice its piece's from the map.
 */
enum { PIECE_SIDE = 64 };
typedef struct piece {
    int left, top, width, height;
} piece;

/* Pixels x to x+3 of row y as the bytes of a word, 0 outside [0, width) x [0, height). */
__device__ static uint32_t four_pixels(const uint8_t *pixels, int pitch, int x, int y, int width,
                                       int height)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        if (x + i < width && y < height)
            word |= (uint32_t)pixels[y * pitch + x + i] << 8 * i;
    return word;
}

/* The same of the template, 0 outside the piece, whose corner is (0, 0). */
__device__ static uint32_t four_of_piece(const uint8_t *templ, shapes s, piece part, int x, int y)
{
    return four_pixels(templ + part.top * s.template_width + part.left, s.template_width, x, y,
                       part.width, part.height);
}

/*
 * Takes twice the sums from places of the map, -1 for none. All are loaded before one is stored:
 * for all the compiler knows a store may change what a later load reads, so that it would wait.
 */
template <int COUNT, typename value>
__device__ static void subtract_twice(value *map, const int (&places)[COUNT], const uint32_t *sums)
{
    value before[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        before[i] = places[i] >= 0 ? map[places[i]] : 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (places[i] >= 0)
            map[places[i]] = before[i] - 2 * sums[i];
}

/* Where (x, y) lies in the map; -1 if it is outside. */
__device__ static int place_of(int x, int y, shapes s)
{
    return x < s.map_width && y < s.map_height ? y * s.map_width + x : -1;
}

/* integer_dp4a's thread makes 4 positions by 8, which lie in 4-byte words side by side. */
enum {
    WORD = 4,
    HIGH = 8,
    PIECE_WORDS = PIECE_SIDE / WORD,
    PIECE_STEPS = PIECE_SIDE + HIGH /* rows of the image that it walks over, at most */
};

/* Words of a row of its tile: narrow blocks' rows of 8 or of 16 threads must not share banks. */
__host__ __device__ static int dp4a_pitch(int block_x)
{
    return block_x + PIECE_WORDS + (block_x <= 8 ? 1 : 2);
}

/*
 * sums[k][i] += what the template's rows have in common with the image's, k rows and i pixels from
 * the thread's first position on: for each word of the template's rows, down the rows of the image.
 * A word of the image is shifted to 4 places, where it meets 8 words of the template, one of them
 * new: 3 loads and 3 shifts serve 32 instructions of 4 taps.
 */
__device__ static void correlate_words(uint32_t (&sums)[HIGH][WORD], const uint32_t *tile,
                                       int pitch, const uint32_t *templ, int words, int steps)
{
    for (int m = 0; m < words; m++) {
        uint32_t recent[HIGH] = {0}; /* the template's last rows: row r in place r % HIGH */
        for (int r = 0; r < steps; r += HIGH) {
#pragma unroll
            for (int u = 0; u < HIGH; u++) {
                const uint32_t *row = tile + (r + u) * pitch + m;
                uint32_t low = row[0], high = row[1];
                recent[u] = templ[(r + u) * PIECE_WORDS + m];
#pragma unroll
                for (int i = 0; i < WORD; i++) {
                    uint32_t pixels = __funnelshift_r(low, high, 8 * i);
#pragma unroll
                    for (int k = 0; k < HIGH; k++)
                        sums[k][i] = __dp4a(pixels, recent[(u - k + HIGH) % HIGH], sums[k][i]);
                }
            }
        }
    }
}

/* Rows of the image that a thread walks over, in whole rounds. */
__device__ static int steps_of(piece part)
{
    return (part.height + HIGH - 1 + HIGH - 1) / HIGH * HIGH;
}

/* All threads of the block copy the piece and what its positions touch of the image, as words. */
__device__ static void copy_words(uint32_t *words_of_piece, uint32_t *tile, int pitch,
                                  const uint8_t *image, const uint8_t *templ, shapes s, piece part)
{
    int words = (part.width + WORD - 1) / WORD, steps = steps_of(part);
    int left = WORD * blockIdx.x * blockDim.x + part.left;
    int top = HIGH * blockIdx.y * blockDim.y + part.top;
    for (int ty = threadIdx.y; ty < steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < words; tx += blockDim.x)
            words_of_piece[ty * PIECE_WORDS + tx] = four_of_piece(templ, s, part, WORD * tx, ty);
    for (int ty = threadIdx.y; ty < HIGH * ((int)blockDim.y - 1) + steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < (int)blockDim.x + words; tx += blockDim.x)
            tile[ty * pitch + tx] = four_pixels(image, s.image_width, left + WORD * tx, top + ty,
                                                s.image_width, s.image_height);
}

#endif
