set encoding utf8
set terminal svg size 800,992 font 'sans-serif,11' noenhanced background rgb '#ffffff'
set border 15 back lw 1 lc rgb '#888888'
set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'
set tics scale 0 textcolor rgb '#222222'
set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb '#222222'
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5
set lmargin at screen 0.0900
set rmargin at screen 0.9750
set xrange [-1:5]
set format x ''
set multiplot

set tmargin at screen 0.9698
set bmargin at screen 0.6835
set yrange [0.58:8.42]
unset label
set label '[V]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d1 << END; -1 1; 0 2; 1 3; NaN NaN; NaN NaN; 3 6; NaN NaN; 5 8
END
$d2 << END; -1 1; 0 1; 0 2; 1 2; 1 3; NaN NaN; NaN NaN; 3 6; NaN NaN; 5 8
END
$d3 << END; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN
END
$d4 << END; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN
END
$d5 << END
END
set key at screen 0.9750, screen 0.9728 maxcols 4
plot NaN notitle, \
    $d1 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'gaps', \
    $d2 using 1:2 with lines lw 1.6 dt solid lc rgb '#d55e00' title 'stairs', \
    keyentry with lines lw 1.6 dt solid lc rgb '#009e73' title 'nothing', \
    keyentry with points pt 7 ps 0.6 lw 1 lc rgb '#cc79a7' title 'no dots'

set tmargin at screen 0.6452
set bmargin at screen 0.3589
set yrange [0:1]
unset label
set label 'empty' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d6 << END; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN; NaN NaN
END
set key at screen 0.9750, screen 0.6482 maxcols 1
plot NaN notitle, \
    keyentry with lines lw 1.6 dt solid lc rgb '#0072b2' title 'nothing'

set tmargin at screen 0.3367
set bmargin at screen 0.0504
set yrange [0:1]
unset label
set label 'no lines' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
unset key
set format x '%g'
set xlabel 't' noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'
plot NaN notitle

unset multiplot
