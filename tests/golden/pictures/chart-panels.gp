set encoding utf8
set terminal svg size 800,692 font 'sans-serif,11' noenhanced background rgb '#ffffff'
set border 15 back lw 1 lc rgb '#888888'
set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'
set tics scale 0 textcolor rgb '#222222'
set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb '#222222'
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5
set lmargin at screen 0.0900
set rmargin at screen 0.9750
set xrange [0:7]
set format x ''
set multiplot title 'a step' noenhanced font ',14' textcolor rgb '#222222'

set tmargin at screen 0.9249
set bmargin at screen 0.5260
set yrange [-0.21:3.71]
unset label
set label 'angle [deg]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d1 << END; 0 0; 1 0.5; 2 1; 3 1.5; 4 2; 5 2.5; 6 3; 7 3.5
END
$d2 << END; 0 0; 1 0; 1 0; 2 0; 2 0; 3 0; 3 3.5; 4 3.5; 4 3.5; 5 3.5; 5 3.5; 6 3.5; 6 3.5; 7 3.5; 7 3.5
END
$d3 << END; 2 3.4 7; 6.5 1 7
END
set label 'the peak' at 2, 3.4 left offset char 1, -0.9 front boxed noenhanced textcolor rgb '#222222'
set label 'right' at 6.5, 1 right offset char -1, 0.5 front boxed noenhanced textcolor rgb '#222222'
set key at screen 0.9750, screen 0.9292 maxcols 2
plot NaN notitle, \
    $d1 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'measured', \
    $d2 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#0072b2' title 'setpoint', \
    $d3 using 1:2:3 with points pt variable ps 0.6 lw 1 lc rgb '#d55e00' notitle

set tmargin at screen 0.4711
set bmargin at screen 0.0723
set yrange [-0.21:3.71]
unset label
set label 'coherence' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d4 << END; 0 0 7; 1 0.5 7; 2 1 6; 3 1.5 7; 4 2 7; 5 2.5 7; 6 3 7; 7 3.5 7
END
$d5 << END; 0 0; 7 0
END
set key at screen 0.9750, screen 0.4754 maxcols 2
set format x '%g'
set xlabel 'time [s]' noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'
plot NaN notitle, \
    $d4 using 1:2:3 with points pt variable ps 0.6 lw 1 lc rgb '#0072b2' notitle, \
    keyentry with points pt 7 ps 0.6 lw 1 lc rgb '#0072b2' title 'coherence', \
    $d5 using 1:2 with lines lw 1 dt (2, 2) lc rgb '#777777' title 'trusted above'

unset multiplot
