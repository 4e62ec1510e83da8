set encoding utf8
set terminal svg size 800,1324 font 'sans-serif,11' noenhanced background rgb '#ffffff'
set border 15 back lw 1 lc rgb '#888888'
set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'
set tics scale 0 textcolor rgb '#222222'
set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb '#222222'
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5
set lmargin at screen 0.0900
set rmargin at screen 0.9750
set xrange [0:2]
set format x ''
set multiplot title 'eight values' noenhanced font ',14' textcolor rgb '#222222'

set tmargin at screen 0.9607
set bmargin at screen 0.7515
set yrange [-0.24:4.24]
unset label
set label '[deg]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d1 << END; 0 0; 1 1; 2 0
END
$d2 << END; 0 3; 1 4; 2 3
END
set key at screen 0.9750, screen 0.9630 maxcols 2
plot NaN notitle, \
    $d1 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'x0', \
    $d2 using 1:2 with lines lw 1.6 dt solid lc rgb '#d55e00' title 'x3'

set tmargin at screen 0.7228
set bmargin at screen 0.5136
set yrange [0.64:7.36]
unset label
set label '[Nm]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d3 << END; 0 1; 1 2; 2 1
END
$d4 << END; 0 6; 1 7; 2 6
END
set key at screen 0.9750, screen 0.7251 maxcols 2
plot NaN notitle, \
    $d3 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'x1', \
    $d4 using 1:2 with lines lw 1.6 dt solid lc rgb '#d55e00' title 'x6'

set tmargin at screen 0.4849
set bmargin at screen 0.2757
set yrange [1.94:3.06]
unset label
set label 'x2' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d5 << END; 0 2; 1 3; 2 2
END
set key at screen 0.9750, screen 0.4872 maxcols 1
plot NaN notitle, \
    $d5 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'x2'

set tmargin at screen 0.2470
set bmargin at screen 0.0378
set yrange [3.76:8.24]
unset label
set label 'x4 [A], x5 [V], x7 [W]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d6 << END; 0 4; 1 5; 2 4
END
$d7 << END; 0 5; 1 6; 2 5
END
$d8 << END; 0 7; 1 8; 2 7
END
set key at screen 0.9750, screen 0.2492 maxcols 3
set format x '%g'
set xlabel 'time [s]' noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'
plot NaN notitle, \
    $d6 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'x4', \
    $d7 using 1:2 with lines lw 1.6 dt solid lc rgb '#d55e00' title 'x5', \
    $d8 using 1:2 with lines lw 1.6 dt solid lc rgb '#009e73' title 'x7'

unset multiplot
