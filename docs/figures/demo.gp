# The README's picture, from the results of the demo (gnuplot-nox of Debian 12):
#
#   weir demo --out out
#   gnuplot -c docs/figures/demo.gp out docs/images/demo.svg
#
# Flows sorted by size in 20 buckets of equal count; of each bucket the largest size and the
# 50th, 95th and 99th percentile of the slowdown, sorted[floor(n p)].
out = ARG1
buckets(dir) = sprintf("<tail -n +2 %s/%s/flows.csv | awk -F, '$9 != \"\" {print $4, $9}' | sort -n | " . \
  "awk '{s[NR]=$1; v[NR]=$2} END {for (b=0; b<20; b++) {first=int(NR*b/20)+1; last=int(NR*(b+1)/20); " . \
  "for (i=first; i<=last; i++) printf \"%%d %%d %%s\\n\", b, s[last], v[i]}}' | sort -k1,1n -k3,3g | " . \
  "awk '{if ($1 != b && NR > 1) flush(); b=$1; x=$2; v[n++]=$3} END {flush()} " . \
  "function flush() {print x, v[int(n*0.5)], v[int(n*0.95)], v[int(n*0.99)]; n=0}'", out, dir)

set terminal svg size 820,400 font "sans-serif,13" background rgb "white"
set output ARG2
set logscale xy
set xrange [200:1.2e7]
set yrange [0.9:20]
set grid ytics lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror
set format x "%.0s%cB"
set xlabel "flow size"
set ylabel "slowdown"
set ytics (1, 2, 3, 5, 10, 20)
set key outside right top reverse Left samplen 2
plot buckets("dcqcn") using 1:4 with lines lw 2 dt 3 lc rgb "#d1495b" title "DCQCN p99", \
     "" using 1:3 with lines lw 2 dt 2 lc rgb "#d1495b" title "DCQCN p95", \
     "" using 1:2 with lines lw 2 lc rgb "#d1495b" title "DCQCN p50", \
     buckets("hpcc") using 1:4 with lines lw 2 dt 3 lc rgb "#00798c" title "HPCC p99", \
     "" using 1:3 with lines lw 2 dt 2 lc rgb "#00798c" title "HPCC p95", \
     "" using 1:2 with lines lw 2 lc rgb "#00798c" title "HPCC p50"
