# lens_sums.awk - sums of the lens's rows, a kernel each, by the names that Nsight Compute has for them.
# usage: awk -f csv.awk -f lens_sums.awk ROWS.csv

function add(metric, value)
{
    if (!((id, metric) in sum))
        order[id, ++metrics[id]] = metric
    sum[id, metric] += value
}

function count_access(where, does, op,    requests)
{
    requests = csv("requests")
    if (where == "shared") {
        add("smsp__inst_executed_op_shared_" op ".sum", requests)
        add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" op ".sum", csv("sectors") - csv("least_sectors"))
        return
    }
    if (where == "constant")
        return
    add("l1tex__t_requests_pipe_lsu_mem_" where "_op_" op ".sum", requests)
    add("l1tex__t_sectors_pipe_lsu_mem_" where "_op_" op ".sum", csv("sectors"))
    add(does == "load" ? "l1tex__m_xbar2l1tex_read_sectors.sum" : "l1tex__m_l1tex2xbar_write_sectors.sum", csv("l2_sectors"))
    add(does == "load" ? "dram__bytes_read.sum (at least)" : "dram__bytes_write.sum (at least)", 32 * csv("dram_sectors"))
}

record > 0 {
    id = csv("variant") " " csv("width") "x" csv("height") (csv("depth") == "" ? "" : "x" csv("depth")) \
        "  " csv("kernel") ", block " csv("block")
    if (!(id in seen)) {
        seen[id] = ++ids
        name[ids] = id
        said[id] = csv("sampled") " of " csv("blocks") " blocks looked at"
    }
    if (csv("access") == "barrier")
        add("barriers of blocks", csv("requests"))
    else if (csv("space") != "code")
        count_access(csv("space"), csv("access"), csv("access") == "load" ? "ld" : csv("access") == "store" ? "st" : "atom")
}
END {
    for (k = 1; k <= ids; k++) {
        id = name[k]
        print id ": " said[id]
        for (m = 1; m <= metrics[id]; m++)
            printf "  %-66s %16.0f\n", order[id, m], sum[id, order[id, m]]
    }
}
