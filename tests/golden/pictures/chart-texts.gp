set encoding utf8
set terminal svg size 800,376 font 'sans-serif,11' noenhanced background rgb '#ffffff'
set border 15 back lw 1 lc rgb '#888888'
set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'
set tics scale 0 textcolor rgb '#222222'
set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb '#222222'
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5
set lmargin at screen 0.0900
set rmargin at screen 0.9750
set xrange [0.9:1.1]
set format x ''
set multiplot title 'it'."\047".'s `date` "$x" @a {b}_1^2 \n \'."\047".' %d & <ü> ? ??|\' noenhanced font ',14' textcolor rgb '#222222'

set tmargin at screen 0.8617
set bmargin at screen 0.1330
set yrange [0.9:1.1]
unset label
set label 'it'."\047".'s `date` "$x" @a {b}_1^2 \n \'."\047".' %d & <ü> ? ??|\ ['."\047".']' at screen 0.0225, graph 0.5 center rotate noenhanced font ',12' textcolor rgb '#222222'
$d1 << END; 1 1 7
END
set label 'it'."\047".'s `date` "$x" @a {b}_1^2 \n \'."\047".' %d & <ü> ? ??|\' at 1, 1 left offset char 1, 0.5 front boxed noenhanced textcolor rgb '#222222'
set key at screen 0.9750, screen 0.8697 maxcols 1
set format x '%g'
set xlabel 'it'."\047".'s `date` "$x" @a {b}_1^2 \n \'."\047".' %d & <ü> ? ??|\ [`]' noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'
plot NaN notitle, \
    $d1 using 1:2:3 with points pt variable ps 0.6 lw 1 lc rgb '#0072b2' notitle, \
    keyentry with points pt 7 ps 0.6 lw 1 lc rgb '#0072b2' title 'it'."\047".'s `date` "$x" @a {b}_1^2 \n \'."\047".' %d & <ü> ? ??|\'

unset multiplot
