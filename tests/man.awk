# A manual page from the --help of a program without tables: a line with name and purpose, then
# sections of indented lines. What is typed stands two spaces or more before what it does.
function text(s)
{
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    return s ~ /^[.']/ ? "\\\\\\&" s : s
}
NR == 1 {
    split($0, part, " — ")
    printf ".TH %s 1 \"\" armwire\n.SH NAME\n%s \\- %s\n", toupper(part[1]), part[1], text(part[2])
    next
}
/^$/ { next }
/^[^ ]/ { print ".SH " toupper(text($0)); next }
/^   / { sub(/^ +/, ""); print text($0); next }
match($0, /^  [^ 0-9][^ ]*( [^ ]+)*  +/) {
    typed = substr($0, 3, RLENGTH - 2)
    sub(/ +$/, "", typed)
    printf ".TP\n.B %s\n%s\n", text(typed), text(substr($0, RLENGTH + 1))
    next
}
{ printf ".PP\n%s\n", text(substr($0, 3)) }
