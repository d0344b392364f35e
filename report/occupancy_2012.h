/*
 * occupancy_2012.h - tables 21 to 23 of 2012, computed anew from the rules of its card.
 */
#ifndef REPORT_OCCUPANCY_2012_H
#define REPORT_OCCUPANCY_2012_H

/*
 * Table occupancy_2012: for the report's three programs, with the registers and the shared memory
 * that its tables 21 to 23 name, what a multiprocessor of the Tesla C2050 holds at blocks of 1 x 1
 * to 32 x 32. Occupancy is in whole per cent, as printed.
 */
void occupancy_2012_table(const char *folder);

#endif
