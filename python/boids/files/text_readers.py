"""Reads trajectories from text: CSV, matrix text and extended XYZ. An incomplete last frame is left out.

Bytes arrive in chunks and are cut into blocks of whole lines. read_text() joins all frames to one trajectory; arriving_frames()
yields each frame as soon as it is complete.
"""

import contextlib
import csv
import io
import itertools
import re
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ..core.arrays import Array

from ..core import errors
from ..core.columns import encoding_of
from ..core.messages import READS_TRACKS, Refused, note, number_in
from ..core.observables import Observables
from .source import KINDS, Agents, MemorySource
from .world import World, json_of, world_of

STDIN = "standard input"
Chunks = Iterable[bytes]
Lines = Iterator[Tuple[int, bytes]]  # numbered
LARGEST_INTEGER = 2**53  # the largest step or id
COLUMNS = (
    "step",
    "type",
    "id",
    "x",
    "y",
    "vx",
    "vy",
)  # the columns of a CSV that drawing needs; it does not need `time`
# Empty lines, and those of the firmware for the keys r and h.
SKIPPED = re.compile(r"\s*|# .*|\d+ [0-9a-f]+ .*")
KIND_OF_LETTER = {b"B": "boid", b"P": "predator"}
XYZ_PROPERTIES = "species:S:1:pos:R:3:velo:R:3:id:I:1"
MAP_SHIFT = b":map_shift:I:3", b""  # the images of unwrapped positions


def line_blocks(chunks: Chunks) -> Iterator[bytes]:
    """Yield the bytes of the chunks in blocks that end with a newline. Only the last block may lack one."""
    rest = b""
    for chunk in chunks:
        lines, newline, tail = chunk.rpartition(b"\n")
        if newline:
            yield rest + lines + newline
            rest = tail
        else:
            rest += tail
    if rest:
        yield rest


def format_of(name: str, chunks: Chunks) -> Any:
    """Return (format, blocks): matrix text begins with two numbers, extended XYZ with one, CSV with words. A table of another program, such
    as Mesa or NetLogo, is read: ("tracks", its trajectory)."""
    blocks = line_blocks(chunks)
    first = next((block for block in blocks if block.strip()), b"")
    blocks = itertools.chain([first], blocks)
    if re.match(rb"\s*\d{1,15}[ \t]+\d{1,15}\s*\n", first):
        return "matrix", blocks
    if re.match(rb"\s*\d+\s*\n", first):
        return "xyz", blocks
    if is_table_of_tracks(first):
        from .track_frames import read_recording
        from .track_tables import Text

        errors.owner = " of boids" + ("-tracks" if errors.is_command else ".tracks.read()")
        try:
            return "tracks", read_recording(Text(name, b"".join(blocks))).source(name)
        finally:
            errors.owner = ""
    return "csv", blocks


def is_table_of_tracks(block: bytes) -> bool:
    """Return whether a text begins with the header of a table of tracks, or with such a row as JSON, and not with the columns of boids: of a
    trajectory, of observables, of runs or of their statistics."""
    text = block.decode(encoding_of(block), "replace").lstrip()
    # XML, a matrix or XYZ
    is_other = not text or text[0] == "<" or re.match(r"[\d\s]+\n", text)
    first = {cell.strip().strip('"') for cell in text.partition("\n")[0].split(",")}
    own = {"step", "type"}, {"seed", "status"}, {"seeds"}
    if is_other or any(map(first.issuperset, own)) or first <= {"step", "time", *vars(Observables)}:
        return False
    with contextlib.suppress(ImportError, csv.Error):  # of pandas
        from .track_columns import is_header
        from .track_tables import HEADER_LINES, find_header

        if text[0] in "[{":
            row = text.partition("}")[0]
            keys = re.findall(r'"([^"]+)"\s*:', row)
            is_flat = len(keys) > 0 and row.count("{") == 1
            return is_flat and is_header(keys, False) or row.strip() == "["
        header = find_header(text.split("\n", HEADER_LINES)[:HEADER_LINES], {})[0]
        return is_header(header, False) and "type" not in header
    return False


def read_text(name: str, chunks: Chunks, world: Optional[World] = None) -> Any:
    """Return the trajectory in all bytes of a text, whole or cut off anywhere. The rows of a CSV may come in any order. The frames of matrix
    text, which has no steps, have those of the run whose `world` this is, or else they are counted.
    """
    form, blocks = format_of(name, chunks)
    if form == "tracks":
        return blocks
    with errors.refusals_about(name):
        if form == "csv":
            header, is_unwrapped, rows = csv_start(name, blocks)
            tables = list(csv_tables(header, rows))
            run = frames_of(name, np.concatenate([table for table, _ in tables]), tables[-1][1])
            run.is_unwrapped = is_unwrapped
            return run
        steps, ids, agents, worlds = zip(*frames_of_lines(name, form, blocks, world))
    if world and form == "matrix":
        steps = steps_to_end(name, steps, world)
    stacked = {kind: np.stack([frame[kind] for frame in agents]) for kind in KINDS}
    run = MemorySource(name, np.array(steps), stacked, ids[0], worlds[0])
    run.is_unwrapped = stacked["boid"].shape[2] > 4
    for kind, array in stacked.items() if run.is_unwrapped and worlds[0] else ():
        array[..., :2] += array[..., 4:] * worlds[0].space.size
        run.agents[kind] = array[..., :4]
    return run


def steps_to_end(name: str, steps: Sequence[int], world: World) -> Sequence[int]:
    """Return the steps of all frames of matrix text. If it is not known where their run begins, they are moved to its end. If they end at
    another step, this is reported."""
    last, every = world.whole("steps"), world.whole("output.every")
    if world.initial_step is None:
        late = (last - steps[-1] + every - 1) // every * every
        steps = [min(step + late, last) for step in steps]
    if last != steps[-1]:
        note(
            f"{name}: matrix text has no steps; by the configuration, its frames go from step {steps[0]} to {steps[-1]}, but the "
            f"run to {last}: are output.every and steps those of the run?"
        )
    return steps


def arriving_frames(name: str, chunks: Chunks, world: Optional[World] = None) -> Iterator[Any]:
    """Yield (step, {kind: float64 [n, 4]}, World or None) of each frame as soon as it is complete. `world` is as for read_text().

    A frame of a CSV is complete if it has as many rows as the first one; the first one is complete if the second one begins. Its positions
    on paths are moved into `world`.
    """
    form, blocks = format_of(name, chunks)
    with errors.refusals_about(name):
        if form in ("matrix", "xyz"):
            for step, _, agents, own in frames_of_lines(name, form, blocks, world):
                yield step, {kind: array[:, :4] for kind, array in agents.items()}, own
        elif form == "tracks":
            yield from frames_in(blocks)
        else:
            header, is_unwrapped, rows = csv_start(name, blocks)
            for run in csv_frames_by_block(name, header, rows):
                run.is_unwrapped, run.world = is_unwrapped, world
                for step, agents, _ in frames_in(run):
                    yield step, agents, None


def frames_in(run: Any) -> Iterator[Any]:
    """Yield the frames of a trajectory in the form of arriving_frames()."""
    for k, step in enumerate(run.steps):
        yield int(step), {kind: run.frame(kind, k) for kind in KINDS}, run.world


# CSV: the text is split into tables [rows, COLUMNS], the tables into frames.


def csv_start(name: str, blocks: Iterator[bytes]) -> Tuple[List[str], bool, Chunks]:
    """Return what csv_header() returns, and the blocks without the first line."""
    start = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
    if not start.strip():
        hint = " (did the command before the pipe fail?)" if name == STDIN else ""
        raise Refused(f"it is empty{hint}")
    head, _, start = start.partition(b"\n")
    return *csv_header(name, head), itertools.chain([start], blocks)


def csv_tables(header: Sequence[str], blocks: Chunks) -> Iterator[Tuple[Array, bool]]:
    """Yield (float64 [rows, COLUMNS], whether the last line is cut short) of each block with rows; there is at least one."""
    line, has_rows = 2, False
    for block in blocks:
        body, is_cut = whole_rows(block.replace(b"\r\n", b"\n"), header)
        if body.strip():
            table = parse_fast(body, header)
            yield parse_slow(body, header, line) if table is None else table, is_cut
            has_rows = True
        elif is_cut:
            yield np.empty((0, len(COLUMNS))), is_cut
        line += body.count(b"\n")
    if not has_rows:
        raise Refused("it has a header but no whole row")


def csv_frames_by_block(name: str, header: Sequence[str], blocks: Chunks) -> Iterator[MemorySource]:
    """Yield a trajectory of the frames that are complete after each block."""
    first = rest = np.empty((0, len(COLUMNS)))
    is_cut = False
    for table, is_cut in csv_tables(header, blocks):
        rest = np.concatenate([rest, table])
        steps = np.split(rest, np.flatnonzero(np.diff(rest[:, 0])) + 1)
        end = len(rest) - len(steps[-1])  # the last step may be incomplete
        if len(steps[-1]) == (len(first) or end and len(steps[0])):
            end = len(rest)
        if end:
            yield from later_frames(name, first, rest[:end])
            first, rest = first if len(first) else steps[0], rest[end:]
    if len(rest) or is_cut:
        yield from later_frames(name, first, rest, is_cut, is_end=True)


def later_frames(
    name: str, first: Array, table: Array, is_cut: bool = False, is_end: bool = False
) -> List[MemorySource]:
    """Return a list with the trajectory of the complete frames of a table, or an empty list if there are none. The frames must have the
    same agents as `first`, the table of the first frame."""
    run = frames_of(name, np.concatenate([first, table]), is_cut, is_end)
    run.keep(np.arange(len(first) > 0, len(run.steps)))
    return [run] if len(run.steps) else []


def refuse_semicolons(header: Any) -> None:
    """Refuse a table whose first line, a list of cells, has semicolons between its cells, as some spreadsheets write it."""
    if len(header) == 1 and ";" in header[0]:
        raise Refused("semicolons separate its cells; they must be commas")


def wrong_cell_count(count: int, wanted: int) -> str:
    """Return the message about a row with another number of cells than the header."""
    return (
        f"{count} cells where the header has {wanted}"
        + "; is its decimal mark a comma? It must be a point" * (count > wanted)
    )


def csv_header(name: str, line: bytes) -> Tuple[List[str], bool]:
    """Return the column names in the first line, and whether positions are on paths: their columns are xu and yu, and are returned as x
    and y. Refuse the line unless it has all of COLUMNS."""
    try:
        header = [cell.strip(' \r\t"') for cell in line.decode().split(",")]
    except UnicodeDecodeError:
        raise Refused(f"not a trajectory: its first line is not text; {READS_TRACKS}") from None
    refuse_semicolons(header)
    is_unwrapped = "xu" in header and "x" not in header
    if is_unwrapped:
        header = [{"xu": "x", "yu": "y"}.get(column, column) for column in header]
    missing = [column for column in COLUMNS if column not in header]
    if len(missing) > len(COLUMNS) - 2:
        shown = ascii(line.decode()[:40])
        hint = (
            f"; if this is a configuration, boids -c {name} -o flock.h5 makes a run"
            if shown.startswith("'{")
            else f"; {READS_TRACKS}" * (shown[1] in "<0123456789")  # XML, or no header
        )
        raise Refused(
            f"not a trajectory: its first line is {shown}, not step,time,id,type,x,y,vx,vy{hint}"
        )
    if missing:
        hint = (
            f"; {READS_TRACKS}"
            if "type" in missing
            else "; output.fields left them out: run it again with position and velocity"
            * ("vx" in missing)
        )
        raise Refused(
            f"it lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)} "
            f"(it has {', '.join(header)}){hint}"
        )
    return header, is_unwrapped


def whole_rows(body: bytes, header: Any) -> Tuple[bytes, bool]:
    """Return (the rows that end in a newline, whether the last one was cut short).

    A last line without a newline is kept if all its cells are valid, because files that were edited by hand may end like this. A cut
    inside the last number cannot be detected.
    """
    rows, newline, tail = body.rpartition(b"\n")
    if not tail.strip():
        return body, False
    return (body + b"\n", False) if parse_fast(tail, header) is not None else (rows + newline, True)


def parse_fast(body: bytes, header: Any) -> Optional[Array]:
    """Return float64 [rows, COLUMNS], or None if a cell is invalid or unusual: parse_slow then reads them one by one."""
    types = [(column, "U9" if column == "type" else float) for column in header]
    try:
        rows = np.loadtxt(
            io.StringIO(body.decode()), types, comments=None, delimiter=",", quotechar='"', ndmin=1
        )
    except ValueError:
        return None
    if not np.isin(rows["type"], KINDS).all():
        return None
    columns = [rows[column] == KINDS[1] if column == "type" else rows[column] for column in COLUMNS]
    table = np.stack(columns, axis=1)
    whole = table[:, (0, 2)]
    is_whole = ((np.abs(whole) <= LARGEST_INTEGER) & (whole % 1 == 0)).all()
    return table if is_whole else None


def parse_slow(body: bytes, header: Any, first: int = 2) -> Array:
    """Return float64 [rows, COLUMNS], read cell by cell. The error about a bad cell names its line and column. `first` is the number of the
    first line; the header is line 1."""
    table = []
    for number, line in enumerate(body.decode(errors="replace").split("\n"), first):
        if SKIPPED.fullmatch(line):
            continue
        try:
            cells = next(csv.reader([line]))
            if len(cells) != len(header):
                raise ValueError(wrong_cell_count(len(cells), len(header)))
            row = dict(zip(header, cells))
            table.append([value_of(column, row[column]) for column in COLUMNS])
        except (ValueError, csv.Error) as error:
            raise Refused(f"line {number}: {error}") from None
    return np.reshape(table, (-1, len(COLUMNS)))


def value_of(column: str, text: str) -> float:
    """Return the number of a cell, for a type its place in KINDS. The message of ValueError names the cell and its fault."""
    cell = text.strip()
    if column == "type":
        if cell not in KINDS:
            raise ValueError(f"type is {cell!r}, not boid or predator")
        return KINDS.index(cell)
    try:
        value = number_in(cell)
    except ValueError:
        wrong = f"{column} is {cell!r}, not a number" if cell else f"{column} is empty"
        raise ValueError(wrong) from None
    if column in ("step", "id") and not (value.is_integer() and abs(value) <= LARGEST_INTEGER):
        raise ValueError(
            f"{column} is {cell}, not a whole number" + " up to 2^53" * value.is_integer()
        )
    return value


def frames_of(name: str, table: Array, is_cut: bool, is_end: bool = True) -> MemorySource:
    """Return the trajectory in a table [rows, COLUMNS]; an incomplete frame at the end of the input is left out."""
    last_step = table[-1, 0]
    table = table[np.lexsort(table[:, 2::-1].T)]
    steps, starts, sizes = np.unique(table[:, 0], return_index=True, return_counts=True)
    if is_end and len(steps) > 1 and sizes[-1] < sizes[0] and steps[-1] == last_step:
        how = "the last line is cut short" if is_cut else "the input ends early"
        note(
            f"{name}: {how}; step {int(last_step)} has {sizes[-1]} of {sizes[0]} agents and is left out"
        )
        table, steps, sizes = table[: starts[-1]], steps[:-1], sizes[:-1]
    elif is_cut:
        note(f"{name}: the last line is cut short and is left out")
    if (sizes != sizes[0]).any():
        odd = int(np.argmax(sizes != sizes[0]))
        raise Refused(
            f"step {int(steps[odd])} has {sizes[odd]} agents, "
            f"step {int(steps[0])} has {sizes[0]}"
        )
    table = table.reshape(len(steps), sizes[0], len(COLUMNS))
    check_agents(table)
    chosen = {kind: table[:, table[0, :, 1] == i] for i, kind in enumerate(KINDS)}
    return MemorySource(
        name,
        steps.astype(np.int64),
        {kind: rows[:, :, 3:] for kind, rows in chosen.items()},
        {kind: rows[0, :, 2].astype(np.int64) for kind, rows in chosen.items()},
    )


def check_agents(table: Array) -> None:
    """Refuse a sorted table [T, agents, COLUMNS] with a repeated agent, or with frames that differ in their agents."""
    agents = table[:, :, 1:3]
    twice = (agents[0, 1:] == agents[0, :-1]).all(axis=1)
    if twice.any():
        kind, number = agents[0, int(np.argmax(twice))].astype(int)
        raise Refused(f"{KINDS[kind]} {number} comes twice at step {int(table[0, 0, 0])}")
    strange = (agents != agents[0]).any(axis=(1, 2))
    if strange.any():
        step = int(table[int(np.argmax(strange)), 0, 0])
        raise Refused(f"step {step} has other agents than step {int(table[0, 0, 0])}")


# Matrix text and extended XYZ: frame by frame.


def frames_of_lines(name: str, kind: str, blocks: Chunks, world: Optional[World]) -> Iterator[Any]:
    """Yield (step, {kind: ids int [n]}, {kind: float64 [n, 4]}, World or None) of each complete frame; there is at least one."""
    numbered = enumerate(itertools.chain.from_iterable(map(io.BytesIO, blocks)), 1)
    lines = ((number, line) for number, line in numbered if line.strip())
    first = frame = None
    for frame in matrix_frames(lines, world) if kind == "matrix" else xyz_frames(lines):
        if not frame:
            break
        first = first or frame
        for agents in KINDS:
            count, wanted = len(frame[1][agents]), len(first[1][agents])
            if count != wanted:
                raise Refused(
                    f"step {frame[0]} has {count} {agents}s, step {first[0]} has {wanted}"
                )
        yield frame
    if not first:
        raise Refused("it contains no complete frame")
    if not frame:
        note(f"{name}: the input ends early; its last frame is left out")


def next_lines(lines: Lines, count: int) -> List[bytes]:
    """Return the next `count` lines, or an empty list if there are fewer."""
    found = [line for _, line in itertools.islice(lines, count)]
    return found if len(found) == count and found[-1].endswith(b"\n") else []


def matrix_frames(lines: Lines, world: Optional[World]) -> Iterator[Any]:
    """Yield the frames of matrix text, None for an incomplete one: after the size, rows of x, y, vx and vy in turn, one column per boid."""
    columns = int(next(lines)[1].split()[1])
    for k, (number, line) in enumerate(lines if columns else ()):
        rows = [row.split() for row in (line, *next_lines(lines, 3))]
        if len(rows) < 4:
            yield None
            return
        for i, row in enumerate(rows):
            if len(row) != columns:
                raise Refused(
                    f"line {number + i}: {len(row)} numbers where the first line says {columns}"
                )
        agents = parse_floats(rows).T
        if k == 0 and np.isnan(agents[:, ::2]).all(axis=0).any():  # x or vx
            raise Refused(
                "its positions or velocities are nan: output.fields left them out; run it again with position and velocity"
            )
        ids = {"boid": np.arange(columns), "predator": np.arange(0)}
        found = {"boid": agents, "predator": np.empty((0, 4))}
        yield world.frame_step(k) if world else k, ids, found, None


def parse_floats(rows: Sequence[Sequence[bytes]]) -> Array:
    """Return the numbers in rows of cells of text."""
    try:
        return np.array(rows, float)
    except ValueError as error:
        raise Refused(str(error)) from None


def xyz_frames(lines: Lines) -> Iterator[Any]:
    """Yield the frames of extended XYZ, None for an incomplete one: the number of atoms, a line of key=value and a line per atom. Frames
    without a step are counted."""
    world = None
    for count, (number, line) in enumerate(lines):
        if not re.fullmatch(rb"\s*\d{1,15}\s*", line):
            raise Refused(
                f"line {number}: {ascii(line[:40].decode(errors='replace'))} is not a number of atoms"
            )
        found = next_lines(lines, int(line) + 1)
        if not found:
            yield None
            return
        comment, *atoms = found
        if f"Properties={XYZ_PROPERTIES}".encode() not in comment.replace(*MAP_SHIFT):
            cause = "; output.fields left some out: run it again with position and velocity"
            raise Refused(
                f"line {number + 1}: not extended XYZ of boids: it has no Properties={XYZ_PROPERTIES}"
                + cause * (b" boids_version=" in comment)
            )
        step = re.search(rb"\bstep=(\d+)", comment)
        world = world if count else world_in(comment.decode(errors="replace"))
        width = 10 if MAP_SHIFT[0] in comment else 7
        yield int(step[1]) if step else count, *atoms_of(atoms, number + 2, width), world


def atoms_of(lines: Sequence[bytes], number: int, width: int) -> Tuple[Agents, Agents]:
    """Return ({kind: ids int [n]}, {kind: float [n, 4]}) of a frame, by id. Rows of ten numbers have images: [n, 6]."""
    rows = [line.split() for line in lines]
    for i, row in enumerate(rows):
        if len(row) != width + 1 or row[0] not in KIND_OF_LETTER:
            raise Refused(f"line {number + i}: it is not a B or P and {width} numbers")
    table = parse_floats([row[1:] for row in rows]).reshape(-1, width)
    order = np.argsort(table[:, -1], kind="stable")
    letters = np.array([row[0] for row in rows])[order]
    tables = {kind: table[order][letters == letter] for letter, kind in KIND_OF_LETTER.items()}
    columns = [0, 1, 3, 4, 6, 7][: width - 3]
    return {kind: rows[:, -1].astype(int) for kind, rows in tables.items()}, {
        kind: rows[:, columns] for kind, rows in tables.items()
    }


def world_in(comment: str) -> Optional[World]:
    """Return the World from the configuration in the first frame's comment, or else from its box."""
    config = re.search(r'\bconfig="((?:[^"\\]|\\.)*)"', comment)
    if config:
        try:
            known = json_of(re.sub(r"\\(.)", r"\1", config.group(1)))
        except ValueError:
            raise Refused("its config is not JSON") from None
        return world_of(known, "config")
    box = re.search(r'\bLattice="(\S+) 0 0 0 (\S+) ', comment)
    return World(float(box.group(1)), float(box.group(2))) if box else None
