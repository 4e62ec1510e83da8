set encoding utf8
set terminal svg size 800,724 font 'sans-serif,11' noenhanced background rgb '#ffffff'
set border 15 back lw 1 lc rgb '#888888'
set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'
set tics scale 0 textcolor rgb '#222222'
set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb '#222222'
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5
set lmargin at screen 0.0900
set rmargin at screen 0.9750
set xrange [0:2]
set format x ''
set multiplot title 'targets' noenhanced font ',14' textcolor rgb '#222222'

set tmargin at screen 0.8840
set bmargin at screen 0.5028
set yrange [-0.48:8.48]
unset label
set label '[deg]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d1 << END; 0 0; 1 1; 2 0
END
$d2 << END; 0 1; 1 2; 2 1
END
$d3 << END; 0 2; 1 3; 2 2
END
$d4 << END; 0 3; 1 4; 2 3
END
$d5 << END; 0 4; 1 5; 2 4
END
$d6 << END; 0 6; 1 7; 2 6
END
$d7 << END; 0 7; 1 8; 2 7
END
set key at screen 0.9750, screen 0.8881 maxcols 3
plot NaN notitle, \
    $d1 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#d55e00' title 'positions.m1.setpoint', \
    $d2 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'm1.output', \
    $d3 using 1:2 with lines lw 1.6 dt solid lc rgb '#d55e00' title 'm1.position', \
    $d4 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#d55e00' title 'm1_target', \
    $d5 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#009e73' title 'm2.goal', \
    $d6 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#cc79a7' title 'm3.desired', \
    $d7 using 1:2 with lines lw 1.6 dt solid lc rgb '#cc79a7' title 'm3.position'

set tmargin at screen 0.4503
set bmargin at screen 0.0691
set yrange [4.76:9.24]
unset label
set label 'velocity [deg/s]' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d8 << END; 0 5; 1 6; 2 5
END
$d9 << END; 0 8; 1 9; 2 8
END
set key at screen 0.9750, screen 0.4544 maxcols 2
set format x '%g'
set xlabel 'time [s]' noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'
plot NaN notitle, \
    $d8 using 1:2 with lines lw 1.6 dt solid lc rgb '#0072b2' title 'm1.velocity', \
    $d9 using 1:2 with lines lw 1.2 dt (5, 3) lc rgb '#0072b2' title 'm1.setpoint'

unset multiplot
