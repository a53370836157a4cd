#!/bin/sh
# A sweep: one run for each point of a grid of keys and values and each seed, several at a time, into one table with a
# row a run. `sh scripts/sweep.sh --help` tells how to call it.
#
# The list of runs goes through xargs, which calls this script again with --one for each. That one flies the run and
# appends its row to the table in a single write, so that whatever is killed, and when, the table holds whole rows. A
# row begins with all that tells the run: the values, the seed, a checksum of the rest of the configuration (with the states
# from files that flocks begin with) and the version; a run whose beginning stands in the table already is not flown
# again.
set -u
export LC_ALL=C

most_without_asking=100000
tab=$(printf '\t')
newline='
'

usage() {
    cat <<'END'
Example:  sh scripts/sweep.sh --config adams --vary flock.cohesion.factor=0.0001,0.0005,0.001 \
              --vary flock.count=100,400 --seeds 1..10 -o table.csv

  -c, --config FILE       the configuration that all runs share, or a preset
      --vary KEY=A,B,...  a key and its values; repeatable: all combinations are flown
      --seeds A..B        seeds, as a range or a list A,B,C; default: 1
  -n, --steps N           steps of each run
  -s, --set KEY=VALUE     a key for all runs; repeatable
  -o, --output TABLE.csv  one row a run; what it holds already is not flown again
  -j N                    runs at a time; default: one a processor
      --boids PROGRAM     the program; default: the one beside this script, or on PATH
      --yes               do it, however many runs it makes
  -q, --quiet             no progress, no closing line

Draw the table with: python3 scripts/plot.py table.csv --kind sweep --save table.png

Exit status: 0 all runs are in the table (also those that failed), 1 it could not go on, 2 refused before any run,
130 or 143 stopped. A stopped sweep goes on where it was when the same command is given again.
END
}

say() {
    printf 'sweep: %s\n' "$*" >&2
}

refuse() {
    say "$@"
    exit 2
}

# One run. It is told in the environment what the sweep is, and by its argument which run: by tabs, how its row begins,
# the values and the seed. Its standard error is the file descriptor 3, for xargs has remarks of its own.

# The rest of a row from a --summary on standard input: status, seconds, hash and observables. null is an empty cell.
row_end() {
    awk -v names="$SWEEP_OBSERVABLES" '
        function part(name) {
            return match($0, "\"" name "\": *[{][^}]*[}]") ? substr($0, RSTART, RLENGTH) : ""
        }
        function get(text, name, value) {
            if (!match(text, "\"" name "\": *[^,}]*"))
                return ""
            value = substr(text, RSTART, RLENGTH)
            sub(/^[^:]*: */, "", value)
            gsub(/"/, "", value)
            return value == "null" ? "" : value
        }
        {
            n = split(names, name, " ")
            row = "done," get($0, "wall_seconds") "," get($0, "state_hash")
            final = part("final"); mean = part("mean")
            for (i = 1; i <= n; i++) row = row "," get(final, name[i])
            for (i = 1; i <= n; i++) row = row "," get(mean, name[i])
            print row
            exit
        }'
}

# A failed run has a row too: as many empty cells.
failed_end() {
    printf 'failed,,'
    for _ in $SWEEP_OBSERVABLES; do printf ',,'; done
}

# Leaves what it printed in $SWEEP_WORK/PID.out and .err. In the background, so that a sweep that is to stop can end it.
fly() {
    "$SWEEP_BOIDS" "$@" >"$SWEEP_WORK/$$.out" 2>"$SWEEP_WORK/$$.err" &
    echo $! >"$SWEEP_WORK/$$.pid"
    wait $!
    status=$?
    : >"$SWEEP_WORK/$$.pid"
    return $status
}

# Whether the sweep that this run belongs to goes on. Killed, it takes its results no more: another may have begun.
goes_on() {
    [ ! -e "$SWEEP_WORK/stop" ] && kill -0 "$SWEEP_PID" 2>/dev/null
}

fly_one() {
    goes_on || exit 255
    IFS=$tab
    set -f
    # shellcheck disable=SC2086 # Words, by tabs.
    set -- $1
    begin=$1
    shift
    IFS=$newline
    words='' name=''
    for key in $SWEEP_KEYS; do
        words="$words--set$newline$key=$1$newline"
        name="$name$key=$1 "
        shift
    done
    # shellcheck disable=SC2086 # Words, by newlines.
    fly $SWEEP_SHARED $words --seed "$1" --threads 1 -q -o none --summary
    status=$?
    unset IFS
    goes_on || exit 255
    if [ $status -eq 0 ]; then
        end=$(row_end <"$SWEEP_WORK/$$.out")
    else
        [ $status -ne 130 ] && [ $status -ne 143 ] || exit 255
        say "${name}seed $1: $(head -n 1 "$SWEEP_WORK/$$.err")" 2>&3
        end=$(failed_end)
    fi
    if ! { printf '%s%s\n' "$begin" "$end" >>"$SWEEP_TABLE"; } 2>/dev/null; then
        exit 255
    fi
    rm -f "$SWEEP_WORK/$$.out" "$SWEEP_WORK/$$.err" "$SWEEP_WORK/$$.pid"
    printf '%s\n' "${end%%,*}"
}

if [ "${1-}" = --one ]; then
    fly_one "$2"
    exit 0
fi

# What was asked for.

here=$(dirname "$0")
config='' steps='' table='' jobs='' boids=${BOIDS-}
seeds=1
is_sure=false is_quiet=false
keys='' # one to a line, as are the values of each in `lists`, by tabs
lists=''
shared=''

# add_vary KEY=A,B,...: commas within brackets do not separate values.
add_vary() {
    case $1 in
    *"$tab"*) refuse "--vary ${1%%=*}: a value holds a tab, which separates values here" ;;
    ?*=*) ;;
    *) refuse "--vary $1 is not KEY=A,B,..." ;;
    esac
    key=${1%%=*}
    [ "$key" != seed ] || refuse '--vary seed: seeds are given with --seeds'
    values=$(printf '%s\n' "${1#*=}" | awk '{
        depth = 0
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "[" || c == "{") depth++
            if (c == "]" || c == "}") depth--
            printf "%s", c == "," && depth == 0 ? "\t" : c
        }
    }')
    case "$tab$values$tab" in
    *"$tab$tab"*) refuse "--vary $1: a value is empty; it must be $key=A,B,..." ;;
    esac
    case "$newline$keys" in
    *"$newline$key$newline"*) refuse "--vary $key is given twice; give its values together" ;;
    esac
    keys=$keys$key$newline
    lists=$lists$values$newline
}

# needs_value OPTION WORDS VALUE: line breaks separate words here, so no value may hold one.
needs_value() {
    [ "$2" -gt 1 ] || refuse "$1 wants a value; see --help"
    case $3 in *"$newline"*) refuse "$1 is given a value with a line break; it must be one line" ;; esac
}

while [ $# -gt 0 ]; do
    case $1 in
    -c | --config) needs_value "$1" $# "${2-}"; config=$2; shift ;;
    --vary) needs_value "$1" $# "${2-}"; add_vary "$2"; shift ;;
    --seeds) needs_value "$1" $# "${2-}"; seeds=$2; shift ;;
    -n | --steps) needs_value "$1" $# "${2-}"; steps=$2; shift ;;
    -s | --set) needs_value "$1" $# "${2-}"; shared=$shared--set$newline$2$newline; shift ;;
    -o | --output) needs_value "$1" $# "${2-}"; table=$2; shift ;;
    -j) needs_value "$1" $# "${2-}"; jobs=$2; shift ;;
    --boids) needs_value "$1" $# "${2-}"; boids=$2; shift ;;
    --yes) is_sure=true ;;
    -q | --quiet) is_quiet=true ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "$1 is not an option; see --help" ;;
    esac
    shift
done

find_boids() {
    for program in "$boids" "$here/../boids" "$here/../../../bin/boids" boids; do
        if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then
            boids=$program
            return
        fi
    done
    refuse 'there is no program boids; --boids names it'
}

# Sets `seeds` to the list, by tabs, and `seed_count`, without writing a long range out.
read_seeds() {
    case $seeds in
    *[!0-9.,]* | '' | *,,* | ,* | *,) refuse "--seeds is $seeds; it must be A..B or A,B,C" ;;
    *..*)
        first=${seeds%%..*} last=${seeds#*..}
        case $first.$last in *[!0-9]*.* | *.*[!0-9]* | .* | *.) refuse "--seeds is $seeds; it must be A..B" ;; esac
        seed_count=$(awk -v a="$first" -v b="$last" 'BEGIN { if (b < 2 ^ 53) printf "%.0f", b - a + 1 }')
        case $seed_count in
        '') refuse "--seeds is $seeds; a range ends below 2^53, larger seeds are given one by one, as A,B,C" ;;
        0 | -*) refuse "--seeds is $seeds; it must rise" ;;
        esac
        ;;
    *.*) refuse "--seeds is $seeds; it must be A..B or A,B,C" ;;
    *)
        seeds=$(printf '%s' "$seeds" | tr ',' '\t')
        seed_count=$(printf '%s\n' "$seeds" | awk -F '\t' '{ print NF }')
        ;;
    esac
}

# Each key has to be one, and each value one that it takes. A sentence that names another key of the sweep is let
# through: the two may well fit together at some points of the grid, and a run that they do not fit is recorded.
check_values() {
    IFS=$newline
    set -f
    remaining=$lists
    for key in $keys; do
        values=${remaining%%"$newline"*}
        remaining=${remaining#*"$newline"}
        IFS=$tab
        for value in $values; do
            IFS=$newline
            # shellcheck disable=SC2086
            sentence=$("$boids" -c "$config" $shared --set "$key=$value" --check -q 2>&1) || check_sentence
            IFS=$tab
        done
        IFS=$newline
    done
    unset IFS
    set +f
}

check_sentence() {
    for other in $keys; do
        case $sentence in
        *"$other"*) [ "$other" = "$key" ] || return 0 ;;
        esac
    done
    refuse "--vary $key=$value: ${sentence#boids: }"
}

# A configuration names the file that its flock begins with and does not tell what is in it: the hash of that state does.
# The arguments are options besides the shared ones. A flock that is placed at random follows from the configuration.
hash_state() {
    # shellcheck disable=SC2086 # Words, by newlines.
    case $("$boids" -c "$config" $shared "$@" --print-config 2>/dev/null) in
    *'"file": "'*)
        "$boids" -c "$config" $shared "$@" --steps 0 -q -o none --summary 2>/dev/null |
            sed 's/.*"initial_hash": "\([0-9a-f]*\)".*/\1/'
        ;;
    esac
}

# The hashes of all states from files that the sweep begins with, one to a line.
hash_states() {
    IFS=$newline
    set -f
    hash_state
    remaining=$lists
    for key in $keys; do
        values=${remaining%%"$newline"*}
        remaining=${remaining#*"$newline"}
        case $key in flock | flock.init | flock.init.file) ;; *) continue ;; esac
        IFS=$tab
        for value in $values; do
            IFS=$newline
            hash_state --set "$key=$value"
            IFS=$tab
        done
        IFS=$newline
    done
    unset IFS
    set +f
}

# The number of runs, exact up to 2^53.
count_runs() {
    printf '%s' "$lists" | awk -F '\t' -v n="$seed_count" '{ n *= NF } END { printf "%.0f\n", n }'
}

# All runs, one to a line: by tabs, how the row begins (values, seed, configuration, version), the values and the seed.
# The last key changes fastest, then the seed.
list_runs() {
    case $seeds in
    *..*) seed_list=$(awk -v a="${seeds%%..*}" -v b="${seeds#*..}" 'BEGIN {
              for (i = a + 0; i <= b + 0; i++) printf "%s%.0f", (i > a + 0 ? "\t" : ""), i }') ;;
    *) seed_list=$seeds ;;
    esac
    printf '%s%s\n' "$lists" "$seed_list" | awk -F '\t' '
        function cell(text) {
            if (text !~ /[,"]/) return text
            gsub(/"/, "\"\"", text)
            return "\"" text "\""
        }
        function write(level, row, words, i) {
            if (level > NR) { print row substr(ENVIRON["SWEEP_MARK"], 2) words; return }
            for (i = 1; i <= count[level]; i++)
                write(level + 1, row cell(value[level, i]) ",", words "\t" value[level, i])
        }
        { count[NR] = NF; for (i = 1; i <= NF; i++) value[NR, i] = $i }
        END { write(1, "", "") }'
}

header() {
    printf '%s' "$keys" | tr '\n' ','
    printf 'seed,config,version,status,wall_seconds,state_hash'
    for name in $SWEEP_OBSERVABLES; do printf ',final_%s' "$name"; done
    for name in $SWEEP_OBSERVABLES; do printf ',mean_%s' "$name"; done
    printf '\n'
}

# The table.

# A file beside the table that a killed sweep may have left: a regular one with one name. Anything else is somebody's,
# and writing to it would write elsewhere. What is ours is only ever made anew, which `set -C` does without following.
check_ours() {
    if [ ! -e "$1" ] && [ ! -h "$1" ]; then return; fi
    # shellcheck disable=SC2012 # Only the number of links is read.
    if [ -h "$1" ] || [ ! -f "$1" ] || [ "$(ls -ld "$1" | awk '{ print $2; exit }')" != 1 ]; then
        refuse "$1 is a link or no regular file; a sweep does not write through it, remove it"
    fi
}

# One sweep at a time writes a table. A lock whose owner is dead is no lock.
lock_table() {
    check_ours "$table.lock"
    if ! (set -C && echo $$ >"$table.lock") 2>/dev/null; then
        owner=$(cat "$table.lock" 2>/dev/null)
        if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null; then
            refuse "$table is being written by the sweep with process id $owner"
        fi
        rm -f "$table.lock"
        (set -C && echo $$ >"$table.lock") 2>/dev/null || refuse "$table.lock cannot be written"
    fi
    trap 'rm -f "$table.lock"; rm -rf "$work"' EXIT
    check_ours "$table.part"
    rm -f "$table.part"
}

# Puts what comes on standard input in the place of the table, once it is whole.
replace_table() {
    if ! (set -C && cat >"$table.part") 2>/dev/null || ! mv "$table.part" "$table"; then
        rm -f "$table.part"
        say "$table cannot be written; is the disk full?"
        exit 1
    fi
}

# A full disk may have cut a row short, and more may have been written behind it. What is not whole is left out; the
# cells of a row can be counted once those in quotes are gone.
mend_table() {
    if [ -n "$(tail -c 1 "$table")" ]; then sed '$d' "$table"; else cat "$table"; fi |
        awk -v commas="$(header | tr -cd ',' | wc -c)" '
            { bare = $0; gsub(/"[^"]*"/, "", bare) }
            gsub(/,/, ",", bare) == commas + 0' >"$work/whole"
    cmp -s "$work/whole" "$table" && return
    say "$table: rows that were cut short are left out"
    replace_table <"$work/whole"
}

# Begins a table, or keeps one that was begun.
open_table() {
    if [ ! -s "$table" ]; then
        header | replace_table || exit 1
        return
    fi
    [ "$(head -n 1 "$table")" = "$(header)" ] ||
        refuse "$table is not a table of this sweep, it begins with $(head -n 1 "$table" | cut -c 1-60)...;" \
            "it is kept, give another -o"
    mend_table
    strangers=$(awk 'NR > 1 && index($0, "," ENVIRON["SWEEP_VERSION"] ",") == 0' <"$table" | wc -l)
    [ "$strangers" -eq 0 ] ||
        say "$table: $((strangers)) rows are of another version than $SWEEP_VERSION; they are kept"
}

# From the runs on standard input those that have no row yet.
missing_runs() {
    awk -F '\t' '
        BEGIN {
            mark = ENVIRON["SWEEP_MARK"]
            while ((getline line < ENVIRON["SWEEP_TABLE"]) > 0)
                if ((at = index(line, mark)) > 0)
                    there[substr(line, 1, at + length(mark) - 1)] = 1
        }
        !($1 in there)'
}

# The rows in the order of the grid, behind those that are none of this sweep: equal sweeps make equal tables.
sort_table() {
    list_runs | awk -F '\t' '
        { order[NR] = $1; ours[$1] = 1 }
        END {
            mark = ENVIRON["SWEEP_MARK"]
            while ((getline line < ENVIRON["SWEEP_TABLE"]) > 0) {
                begin = substr(line, 1, index(line, mark) + length(mark) - 1)
                if (begin in ours) row[begin] = line
                else print line
            }
            for (i = 1; i <= NR; i++) if (order[i] in row) print row[order[i]]
        }' >"$work/sorted" && replace_table <"$work/sorted"
}

# The sweep.

# xargs with -P, or GNU parallel, or one run after another.
run_all() {
    exec 3>&2
    if xargs -0 -P 1 true </dev/null 2>/dev/null; then
        tr '\n' '\0' <"$work/runs" | xargs -0 -n 1 -P "$jobs" sh "$0" --one 2>/dev/null
    elif command -v parallel >/dev/null 2>&1; then
        parallel --will-cite -j "$jobs" --halt soon,fail=1 sh "$0" --one '{}' <"$work/runs" 2>/dev/null
    else
        while IFS= read -r run; do sh "$0" --one "$run" </dev/null || return; done <"$work/runs"
    fi
}

# Reads the status of each run and shows where the sweep is, if somebody watches.
watch_all() {
    finished=0 begun=$(date +%s)
    while read -r status; do
        finished=$((finished + 1))
        [ "$status" != failed ] || echo >>"$work/failed"
        $is_watched || continue
        left=$((($(date +%s) - begun) * (total - finished) / finished))
        printf '\r  %d of %d runs, %d s left \033[K' "$finished" "$total" "$left" >&2
    done
    $is_watched && printf '\r\033[K' >&2
    return 0
}

stop_all() {
    : >"$work/stop"
    for file in "$work"/*.pid; do
        [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null
    done
    wait
    say "stopped; the same command goes on with what is missing in $table"
    exit "$1"
}

[ -n "$config" ] || refuse 'no --config was given; see --help'
[ -n "$table" ] || refuse 'no -o TABLE.csv was given; see --help'
[ -n "$keys" ] || refuse 'no --vary KEY=A,B,... was given; see --help'
[ ! -d "$table" ] || refuse "$table is a folder"
[ -d "$(dirname "$table")" ] || refuse "$table: there is no folder $(dirname "$table")"
[ -n "$jobs" ] || jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
case $jobs in *[!0-9]* | 0 | '') refuse "-j is $jobs; it must be a whole number above 0" ;; esac
find_boids
read_seeds
if [ -n "$steps" ]; then shared=$shared--steps$newline$steps$newline; fi

IFS=$newline
set -f
# shellcheck disable=SC2086 # Words, by newlines.
resolved=$("$boids" -c "$config" $shared --print-config 2>&1) || refuse "${resolved#boids: }"
set +f
unset IFS
check_values
total=$(count_runs)
if ! $is_sure && [ "$(awk -v n="$total" -v most=$most_without_asking 'BEGIN { print (n > most) }')" = 1 ]; then
    refuse "that makes $total runs; say --yes if you mean it"
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
SWEEP_PID=$$ SWEEP_WORK=$work SWEEP_TABLE=$table SWEEP_BOIDS=$boids SWEEP_KEYS=$keys
SWEEP_SHARED=-c$newline$config$newline$shared
SWEEP_CONFIG_SUM=$({ printf '%s\n' "$resolved" | grep -v '^ *"seed"'; hash_states; } | cksum | cut -d ' ' -f 1)
SWEEP_VERSION=$("$boids" --version | sed 's/^boids //; s/,/;/g')
# awk takes these from here: it would read the backslashes in what -v gives it.
SWEEP_MARK=,$SWEEP_CONFIG_SUM,$SWEEP_VERSION,
# What it measures are the columns behind step and time.
SWEEP_OBSERVABLES=$(echo '{}' | "$boids" -c - --steps 0 -t 1 -q -o none --observables - |
    sed 's/^step,time,//; s/,/ /g; q')
export SWEEP_PID SWEEP_WORK SWEEP_TABLE SWEEP_BOIDS SWEEP_KEYS SWEEP_SHARED SWEEP_VERSION SWEEP_MARK SWEEP_OBSERVABLES
lock_table
open_table
list_runs | missing_runs >"$work/runs"
there=$total
total=$(($(wc -l <"$work/runs")))
there=$((there - total))
is_watched=false
if [ -t 2 ] && ! $is_quiet; then is_watched=true; fi

begun=$(date +%s)
trap 'stop_all 130' INT
trap 'stop_all 143' TERM HUP
run_all | watch_all &
wait $!
trap - INT TERM HUP

flown=$((total - $(list_runs | missing_runs | wc -l)))
if [ "$flown" -lt "$total" ]; then
    say "$table: $((total - flown)) of $total runs have no row; is the disk full?"
    exit 1
fi
sort_table
failures=0
[ ! -e "$work/failed" ] || failures=$(($(wc -l <"$work/failed")))
$is_quiet || say "$flown runs in $(($(date +%s) - begun)) s, $failures failed, $there were there; $table"
