# Completion of boids for fish, by the script for bash, which `make install` puts into ../../bash-completion/completions.
set -g __boids_script (status dirname)/../../bash-completion/completions/boids

function __boids
    bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _boids_by_whole_words; printf "%s\n" "${COMPREPLY[@]}"' \
        bash $__boids_script (commandline -opc) (commandline -ct)
end

complete -c boids -f -a '(__boids)'
