/*
 * tensor_int8.h - the two ways to make a map by tensor cores, without the search, which divided
 * takes, too: tensor_int8.cu, tensor_int8_hopper.cu.
 */
#ifndef LAB4_TENSOR_INT8_H
#define LAB4_TENSOR_INT8_H

#include "template.h"

enum { TENSOR_INT8_THREADS = 128, TENSOR_INT8_HOPPER_THREADS = 256 };

/* ---- rows of the image at multiples of 16 bytes ---------------------------------------------- */

/* Returns the bytes from one such row to the next. */
int pitch_of(const problem *p);

/* Returns the room for a copy of the image; 0 if its own rows lie so. */
size_t padded_bytes(const problem *p);

/* Returns the image with such rows: itself, or a copy in `room`, which it launches. */
const uint8_t *aligned_image(const problem *p, const launch *l, void *room);

/* ---- maps ----------------------------------------------------------------------------------- */

size_t tensor_bytes(const problem *p); /* of workspace */
void launch_tensor_int8(const problem *p, const launch *l);

/* Says whether launch_hopper() can run on the current device with the current settings. */
bool has_wgmma(void);
size_t hopper_workspace(const problem *p); /* no more than tensor_bytes() */
void launch_hopper(const problem *p, const launch *l);

#endif
