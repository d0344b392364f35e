/*
 * cuda_check.h - no CUDA call goes unchecked.
 *
 * An error ends the program, but for what runs within cuda_check_guarded(): there it ends that one
 * action, and the caller learns why.
 */
#ifndef COMMON_CUDA_CHECK_H
#define COMMON_CUDA_CHECK_H

#include <stdbool.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Exits with status 3 and one line: file:line, the expression and what is wrong. For a library
 * whose calls return a status of its own: `success` is the one of a good call, text(status) puts
 * any other in words, for an int.
 */
#define LIBRARY_CHECK(expression, success, text)                                                   \
    do {                                                                                           \
        int library_status_ = (int)(expression);                                                   \
        if (library_status_ != (int)(success))                                                     \
            library_check_fail(text(library_status_), #expression, __FILE__, __LINE__);            \
    } while (0)

#define CUDA_CHECK(expression) LIBRARY_CHECK(expression, cudaSuccess, cuda_check_text)

/*
 * For what may find no room, or be more than the device can do: NULL, or why, as a phrase, and the
 * error is over. Any other error is as one of CUDA_CHECK.
 */
#define CUDA_REFUSES(expression) cuda_refuses((int)(expression), #expression, __FILE__, __LINE__)

/* CUDA_CHECK for what frees: once the context is lost, nothing is left to be freed. */
#define CUDA_RELEASE(expression)                                                                   \
    do {                                                                                           \
        if (!cuda_context_lost())                                                                  \
            CUDA_CHECK(expression);                                                                \
    } while (0)

/* What they call on an error. The text, name and meaning, lies in static memory. */
const char *cuda_check_text(int error);
const char *cuda_refuses(int error, const char *expression, const char *file, int line);
__attribute__((noreturn)) void library_check_fail(const char *status, const char *expression,
                                                  const char *file, int line);

/* What a library's call that asks for what it does not offer is followed by: the row is skipped. */
__attribute__((noreturn)) void library_refuse(const char *reason);

/* Was the latest failure in cuda_check_guarded() such a refusal? */
bool library_refused(void);

enum { CUDA_FAILURE_SIZE = 256 };

/*
 * Calls action(context), which works on `stream`. Returns true, or false where a CUDA_CHECK failed
 * in it, with CUDA_CHECK's line in `failure`. The failure leaves the action by longjmp, so whatever
 * runs in it must not hold memory or files in local variables, nor fail within an OpenMP region;
 * the labs' launchers do neither. A capture of the stream that was under way is ended.
 */
bool cuda_check_guarded(void (*action)(void *context), void *context, cudaStream_t stream,
                        char failure[CUDA_FAILURE_SIZE]);

/*
 * The failure that no CUDA call of this process survives, such as a kernel's access to memory that
 * is not its own; NULL as long as there was none.
 */
const char *cuda_context_lost(void);

#ifdef __cplusplus
}
#endif

#endif
