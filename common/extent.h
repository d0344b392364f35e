/*
 * extent.h - how large a problem is, in up to three directions.
 */
#ifndef COMMON_EXTENT_H
#define COMMON_EXTENT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct extent {
    int width, height; /* n x 1 for vectors, pixels for images, columns x rows of C for products */
    int depth;         /* of a product what is summed over; 0 or -1 where there is no third one */
} extent;

enum { EXTENT_TEXT = 40 };

/*
 * WIDTHxHEIGHT, as also of a product of square matrices; of another product MxNxK, which is
 * HEIGHTxWIDTHxDEPTH. Returns text.
 */
const char *extent_text(extent size, char text[EXTENT_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
