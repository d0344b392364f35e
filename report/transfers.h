/*
 * transfers.h - lab 5's ways for data to get to the device and back.
 */
#ifndef REPORT_TRANSFERS_H
#define REPORT_TRANSFERS_H

#include "facts.h"
#include "study.h"

/*
 * Table transfers: rows of gray pixels of one variant, size and block, that which most ways of
 * transfer were measured at, of equals the largest; and the row of it that names no way, called
 * pageable. Facts lab5.transfer_best, _worst and _pageable_ms, by the time from end to end.
 */
void transfers_analyse(const study *s, const char *folder, facts *f);

#endif
