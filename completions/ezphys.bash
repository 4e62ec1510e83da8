# bash completion for ezphys: asks the tool itself
_ezphys() {
    local line found word words current head= breaks=${COMP_WORDBREAKS//[^=:]/}
    read -r -a words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=("")
    current=${words[${#words[@]}-1]}
    # bash puts what is found behind the last = or : of the word
    [[ -z $breaks ]] || head=${current%"${current##*[$breaks]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        ::files) compopt -o default ;;
        '::files '*) # those with these endings; folders; else any
            for found in ${line#::files }; do
                while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
                    compgen -f -X "!*.$found" -- "$current")
            done
            [[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
                compgen -d -- "$current")
            compopt -o filenames
            ;;
        *)
            found=${line%%$'\t'*}
            COMPREPLY+=("${found:${#head}}")
            case $line in *=$'\t'* | *:$'\t'* | *[=:]) compopt -o nospace ;; esac
            ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${words[@]:1:${#words[@]}-2}" "$current" 2>/dev/null)
}
complete -F _ezphys ezphys
