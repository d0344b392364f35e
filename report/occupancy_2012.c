/* occupancy_2012.c - see occupancy_2012.h. */
#include "occupancy_2012.h"
#include "occupancy.h"
#include "study.h"
#include "table.h"

#include <math.h>

enum { N_BLOCKS = 6 }; /* 1 x 1 to 32 x 32 */

static void program_rows(table *t, const char *program, int registers, int shared_bytes)
{
    static const char *const names[] = {"threads_per_sm", "warps_per_sm", "blocks_per_sm",
                                        "occupancy_percent"};
    const sm_limits *card = occupancy_card(PAST_MACHINE);
    for (int k = 0; k < 4 && card; k++) {
        table_text(t, program);
        table_int(t, registers);
        table_int(t, shared_bytes);
        table_text(t, names[k]);
        for (int i = 0; i < N_BLOCKS; i++) {
            occupancy o;
            occupancy_of(card, registers, (size_t)shared_bytes, 1 << (2 * i), &o);
            const double values[] = {o.threads_per_sm, o.warps_per_sm, o.blocks_per_sm,
                                     o.share < 0 ? -1 : round(o.share * 100)};
            table_number(t, values[k] < 0 ? NAN : values[k]);
        }
        table_end_row(t);
    }
}

void occupancy_2012_table(const char *folder)
{
    table t;
    table_start(&t, folder, "occupancy_2012", "program,registers,shared_bytes,row,1,2,4,8,16,32");
    program_rows(&t, "matprod", 9, 2092);
    program_rows(&t, "bilateral", 18, 2108);
    program_rows(&t, "template", 14, 2112);
    table_finish(&t);
}
