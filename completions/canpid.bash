# bash completion for canpid: asks the tool itself
_canpid() {
    local line words=("${COMP_WORDS[@]:1:COMP_CWORD-1}") current=${COMP_WORDS[COMP_CWORD]}
    if declare -F _get_comp_words_by_ref >/dev/null; then
        local cur all cword
        _get_comp_words_by_ref -n =: -w all -i cword -c cur
        words=("${all[@]:1:cword-1}") current=$cur
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        ::files) compopt -o default ;;
        *)
            COMPREPLY+=("${line%%$'\t'*}")
            case $line in *=$'\t'* | *:$'\t'* | *[=:]) compopt -o nospace ;; esac
            ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" "$current" 2>/dev/null)
    declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$current"
}
complete -F _canpid canpid
