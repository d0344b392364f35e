/*
 * workspace.h - device memory beside a problem's buffers that the cases of a size share: one
 * workspace, since runs follow one another and it holds nothing between them.
 */
#ifndef COMMON_WORKSPACE_H
#define COMMON_WORKSPACE_H

#include "buffers.h"
#include "variant.h"

/* What a variant needs of it, in bytes. */
size_t workspace_need(const variant *v, const problem *p);

/* Allocates the largest of the needs that the device has room for; none is {NULL}. */
device_memory workspace_create(const size_t *needs, int count);

#endif
