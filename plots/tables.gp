# tables.gp - reads a table of the report's analysis, `table`. In its figures a variant has the
# colour of its place among the lab's variants, as in the lab's own figures; the lab's rows tell it.
set datafile columnheaders
array L_NAME[100]
array V_NAME[200]
array V_IS_CPU[200]
array V_IS_YARDSTICK[200]
array V_INK[200]
n_labs = 0
n_variants = 0
lab_of(name, i) = i > n_labs ? 0 : L_NAME[i] eq name ? i : lab_of(name, i + 1)
variant_of(name, i) = i > n_variants ? 0 : V_NAME[i] eq name ? i : variant_of(name, i + 1)
new_lab(name) = n_labs == 100 || lab_of(name, 1) ? 0 : (n_labs = n_labs + 1, \
    L_NAME[n_labs] = name, 1)
new_variant(name, is_cpu) = n_variants == 200 || variant_of(name, 1) ? 0 : \
    (n_variants = n_variants + 1, V_NAME[n_variants] = name, V_IS_CPU[n_variants] = is_cpu, \
    V_IS_YARDSTICK[n_variants] = has_role ? strcol("role") eq "yardstick" : 0, \
    place = place + !is_cpu, cpu_place = cpu_place + is_cpu, \
    V_INK[n_variants] = is_cpu ? cpu_ink(cpu_place) : ink(place), 1)
if (strlen(lab)) { dummy = new_lab(lab) } else { \
    stats table using (new_lab(strcol("lab"))) nooutput }
do for [i = 1 : n_labs] {
    place = 0
    cpu_place = 0
    do for [rows in "own gpu"] {
        rows = (rows eq "own" ? own : gpu) . "/" . L_NAME[i] . ".csv"
        if (is_file(rows)) {
            has_role = strstrt(line_of(rows, 1) . ",", ",role,") > 0
            stats rows using (new_variant(L_NAME[i] . "/" . strcol("variant"), \
                strcol("kind") eq "cpu")) nooutput
        }
    }
}
lab_ink(lab, name) = (at = variant_of(lab . "/" . name, 1), at == 0 ? grey : V_INK[at])
short(lab) = strstrt(lab, "_") ? lab[1:strstrt(lab, "_") - 1] : lab
