# fish completion for ezphys: asks the tool itself
function __ezphys_complete
    set -l words (commandline -opc)
    for line in ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
        if string match -q '::files *' -- $line
            for ending in (string split ' ' -- $line)[2..-1]
                __fish_complete_suffix .$ending
            end
        else if test "$line" = ::files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c ezphys -f -a '(__ezphys_complete)'
