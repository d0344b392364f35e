/*
 * stream.h - a stream of frames through the pipeline: the time from end to end that a frame takes
 * when many follow one another, beside that of the copies of one way alone.
 *
 * Frames are in turn CONTENTS different ones: the lab's input and that of the seeds that follow, or
 * a picture turned down by some rows. Their number and that of the slots have no common divisor, so
 * that a frame that is lost, repeated, exchanged with its neighbour or left in a slot by the one
 * before gives another result than its own. The first CONTENTS results are what the lab checks;
 * each later one must be the same bits as the one of its content. Of a timed pass pieces of each
 * frame are compared while it goes on, and the last frames whole.
 */
#ifndef COMMON_STREAM_H
#define COMMON_STREAM_H

#include "pipeline.h"
#include "measure/buffers.h"
#include "transfer.h"

enum { STREAM_SLOTS = 4, STREAM_CONTENTS = 3 };

typedef struct frame_stream {
    const lab *lab;
    int frames;                       /* 0: there is no stream */
    int contents;                     /* STREAM_CONTENTS, or as many as there are frames */
    bool files;                       /* a file a frame, and they are still to be read */
    problem content[STREAM_CONTENTS]; /* the first is another's */
    void *in[STREAM_SLOTS][LAB_MAX_BUFFERS], *out[STREAM_SLOTS][LAB_MAX_BUFFERS]; /* pinned */
    device_memory device[STREAM_SLOTS][LAB_MAX_BUFFERS];
    pipeline line;
} frame_stream;

/*
 * Makes the frames and their memory; what is resident or scratch is that of the sets' first.
 * Returns NULL, or why this machine cannot, as a phrase.
 */
const char *stream_create(frame_stream *s, const lab *definition, const problem *p, int frames,
                          const device_sets *sets);
void stream_free(frame_stream *s);

/* One variant's slots; to be released before the next one's. */
void stream_bind(frame_stream *s, runner *r);
void stream_release(frame_stream *s, const runner *r);

/* All frames, untimed and compared whole. False where one is wrong; the reason says which. */
bool stream_check(frame_stream *s, const runner *r, char reason[RESULT_TEXT]);

/* Seconds a frame, the median of several passes; the reason as above where one is wrong, else "".
 */
double stream_time(frame_stream *s, const runner *r, char reason[RESULT_TEXT]);

/* The copies alone, a frame: of one way, and of both at once. */
copy_times stream_time_copies(frame_stream *s, cudaStream_t launches);

/* The first frames' steps by events. */
void stream_trace(frame_stream *s, const runner *r, const pipeline_trace *trace);

/*
 * Reads each frame's file, checks its result and has the lab present it. A file that is bad ends
 * the program when the frames before it are written. False where a result is wrong: the frames
 * before it are written.
 */
bool stream_files(frame_stream *s, const runner *r, char reason[RESULT_TEXT]);

#endif
