# The sets of collective algorithms that tests run with, as texts for WEFT_COLL; `tested` has all. A set has one entry
# for an operation: a new algorithm goes into a set without one, or into a new set, whose name stands in `sets`.

# Every algorithm, where it fits; the others serve where it does not.
set(sets trees wide_trees halves rings doubling wide_pipes shared)
set(set_trees
  "barrier=dissemination:3,broadcast=tree:2,scatter=tree:2,gather=tree:2,gather_all=bruck:2,exchange=bruck:2,"
              "exchange_v=put,gather_v=tree:2,scatter_v=tree:2,gather_all_v=bruck:2,permute=eager,"
              "reduce=tree:2,reduce_all=tree:2,reduce_scatter=flat,prefix=doubling")
set(set_wide_trees "barrier=dissemination:4,broadcast=tree:3,scatter=tree:3,gather=tree:3,gather_all=bruck:3,"
                   "exchange=bruck:3,gather_v=tree:3,scatter_v=tree:3,gather_all_v=bruck:3,permute=put,"
                   "reduce=tree:3,reduce_all=tree:3,reduce_scatter=ring,prefix=flat")
set(set_halves "broadcast=pipeline:2:4096,scatter=put,gather=put,gather_all=ring,exchange=pairwise,gather_v=flat,"
               "scatter_v=flat,gather_all_v=ring,reduce=halving,"
               "reduce_all=halving,reduce_scatter=ring,prefix=doubling")
set(set_rings "broadcast=kary:1:4096,scatter=put,gather=put,gather_all=put,exchange=put,gather_all_v=put,"
              "reduce=chain:0:4096,reduce_all=ring,reduce_scatter=flat,prefix=flat")
set(set_doubling "broadcast=scatter-gather,gather=flat,gather_all=flat,exchange=flat,gather_all_v=flat,"
                 "reduce_all=doubling")
set(set_wide_pipes "broadcast=kary:3:16384,reduce_all=flat,reduce=flat")
set(set_shared "broadcast=shared,scatter=shared,gather=put,reduce=shared,reduce_all=shared,reduce_scatter=shared,"
               "prefix=shared")

# What serves only where memory is not mapped.
set(unmapped_sets scratch chains halves)
set(set_unmapped_scratch "broadcast=kary_tree:2,reduce=kary_tree:2,reduce_all=halving")
set(set_unmapped_chains "broadcast=kary_tree:1,reduce=kary_tree:1")
set(set_unmapped_halves "reduce=halving")

# What the conduit has itself.
string(JOIN , set_native barrier=native broadcast=native gather_all=native exchange=native reduce_all=native)
# Inside hosts and then between them.
string(JOIN , set_hosts barrier=hosts broadcast=hosts scatter=hosts gather=hosts reduce=hosts reduce_all=hosts
       gather_all=hosts exchange=hosts gather_all_v=hosts)

list(TRANSFORM unmapped_sets PREPEND unmapped_ OUTPUT_VARIABLE unmapped_names)
set(tested)
foreach(name IN LISTS sets unmapped_names ITEMS native hosts)
  string(REPLACE ";" "" algorithms "${set_${name}}")
  list(APPEND tested "${algorithms}")
endforeach()
