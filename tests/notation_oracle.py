#!/usr/bin/env python3
"""Checks move names against Fairy-Stockfish (pip install pyffish).

For every legal move of many positions: the WXF name must be the one that
Fairy-Stockfish gives, the names in all notations must lead back to the move,
and no two moves of a position may share a name. The positions come from the
games and from random placements that crowd the files. A file of games has one
to a line, its moves from the initial position in coordinates in the last column.

The oracle needs a millisecond a move, the default sample half a minute.

Exit code 0: all agree. 1: some do not, they are listed. 2: could not check.
"""

import argparse
import itertools
import lzma
import pathlib
import random
import re
import subprocess
import sys

try:
    import pyffish
except ImportError:
    pyffish = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAMES = ROOT / "tests" / "data" / "games.csv"
VARIANT = "xiangqi"
BATCH = 500


def give_up(message):
    """Ends the program where nothing could be checked."""
    print(message, file=sys.stderr)
    sys.exit(2)


def to_oracle(move):
    """h2e2 -> h3e3: Fairy-Stockfish counts ranks from 1."""
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def from_oracle(move):
    """h10g8 -> H9-G7."""
    file = move.rindex(next(c for c in reversed(move) if c.isalpha()))
    squares = (move[:file], move[file:])
    return "-".join(f"{s[0].upper()}{int(s[1:]) - 1}" for s in squares)


def game_positions(path, count, rng):
    """FENs of games, a few from each of a random choice."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as file:
        columns = [re.split("[,\t]", line.strip())[-1].split() for line in file]
    games = [moves for moves in columns if len(moves) > 1]
    start = pyffish.start_fen(VARIANT)
    while count > 0:
        moves = [to_oracle(move) for move in rng.choice(games)]
        for ply in rng.sample(range(len(moves)), min(5, count, len(moves))):
            yield pyffish.get_fen(VARIANT, start, moves[:ply])
            count -= 1


def crowded_positions(count, rng):
    """FENs of random placements with many pieces on few files."""
    while count > 0:
        board = [[None] * 9 for _ in range(10)]  # rank 9 first

        def place(piece, rows, files):
            row, file = rng.choice(rows), rng.choice(files)
            board[row][file] = board[row][file] or piece

        board[rng.randrange(7, 10)][rng.randrange(3, 6)] = "K"
        board[rng.randrange(0, 3)][rng.randrange(3, 6)] = "k"
        files = rng.sample(range(9), rng.randrange(1, 4))
        for piece in "PPPPPRNCRNC":
            if rng.random() < 0.7:
                place(piece, range(5) if piece == "P" else range(10), files)
            if rng.random() < 0.7:
                rows = range(5, 10) if piece == "P" else range(10)
                place(piece.lower(), rows, files)
        for piece, squares in (
            ("A", ((9, 3), (9, 5), (8, 4), (7, 3), (7, 5))),
            ("B", ((9, 2), (9, 6), (7, 0), (7, 4), (7, 8), (5, 2), (5, 6))),
        ):
            for row, file in rng.sample(squares, 2):
                place(piece, [row], [file])
            for row, file in rng.sample(squares, 2):
                place(piece.lower(), [9 - row], [file])
        rows = ["".join(piece or " " for piece in row) for row in board]
        rows = [re.sub(" +", lambda gap: str(len(gap[0])), row) for row in rows]
        yield f"{'/'.join(rows)} {rng.choice('wb')} - - 0 1"
        count -= 1


class Translator:
    """hanxin's side of the comparison: the example program `translate`."""

    def __init__(self, program):
        self.command = (
            [program] if program else ["cargo", "run", "-q", "--example", "translate"]
        )

    def ask(self, questions):
        """Lists of answers, one to each text of each (FEN, texts)."""
        lines = "".join(f"{fen}\t{' '.join(texts)}\n" for fen, texts in questions)
        done = subprocess.run(
            self.command, input=lines, capture_output=True, encoding="utf-8", cwd=ROOT
        )
        if done.returncode != 0:
            give_up(done.stderr)
        answers = iter(done.stdout.splitlines())
        return [list(itertools.islice(answers, len(texts))) for _, texts in questions]


def agree(ours, oracle):
    """Whether two WXF names agree.

    Of two on a file one may go so and the other would leave the board. The
    oracle then gives the file (H2-4), we say front or back all the same (H+-4),
    as we would in Chinese. That the file is read as well is checked elsewhere.
    """
    return ours == oracle or (
        ours[0] == oracle[0]
        and ours[1] in "+-"
        and oracle[1].isdigit()
        and ours[2:] == oracle[2:]
    )


def check(fens, translator, report):
    """Compares all moves of these positions; gives how many there were."""
    known = []  # per position: (FEN, [(ICCS, the oracle's WXF)])
    for fen in fens:
        moves = [
            (
                from_oracle(move),
                pyffish.get_san(VARIANT, fen, move, False, pyffish.NOTATION_XIANGQI_WXF),
            )
            for move in pyffish.legal_moves(VARIANT, fen, [])
        ]
        known.append((fen, moves))
    written = translator.ask([(fen, [iccs for iccs, _ in moves]) for fen, moves in known])

    checked, names = 0, []
    for (fen, moves), lines in zip(known, written):
        if lines and lines[0].startswith("error: position:"):
            continue  # hanxin refuses impossible positions
        checked += len(moves)
        rows = [line.split("\t") for line in lines]
        for (iccs, wxf), row in zip(moves, rows):
            if row[0] != iccs or not agree(row[1], wxf):
                report(fen, f"{iccs}: want {wxf}, have {row}")
        for column in zip(*(row for row in rows if len(row) == 3)):
            if len(set(column)) != len(column):
                report(fen, f"names used twice: {column}")
        names += [(fen, name, row) for row in rows for name in row]
        names += [(fen, wxf, [iccs]) for iccs, wxf in moves]

    read = translator.ask([(fen, [name]) for fen, name, _ in names])
    for (fen, name, row), [line] in zip(names, read):
        if line.split("\t")[0] != row[0]:
            report(fen, f"{name} is read as {line}, want {row[0]}")
    return checked


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=pathlib.Path, default=GAMES, help="file, also .xz")
    parser.add_argument("--positions", type=int, default=500, help="from games (500)")
    parser.add_argument("--crowded", type=int, default=500, help="at random (500)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    parser.add_argument("--program", help="translate, if it is built already")
    options = parser.parse_args()
    if pyffish is None:
        give_up("pyffish is missing: pip install pyffish")
    if not options.games.exists():
        give_up(f"no file {options.games}")

    failures = []

    def report(fen, message):
        failures.append(fen)
        if len(failures) <= 20:
            print(f"{fen}: {message}")

    rng = random.Random(options.seed)
    translator = Translator(options.program)
    for name, fens, least in (
        ("games", game_positions(options.games, options.positions, rng), options.positions * 20),
        ("crowded", crowded_positions(options.crowded, rng), options.crowded),
    ):
        checked = 0
        while batch := list(itertools.islice(fens, BATCH)):
            checked += check(batch, translator, report)
        print(f"{name}: {checked} moves checked")
        if checked < least:
            report(name, f"only {checked} moves, want {least}: too few for a check")
    print(f"{len(failures)} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
