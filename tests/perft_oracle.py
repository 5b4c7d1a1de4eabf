#!/usr/bin/env python3
"""Compares the engine's `go perft` with fairy-stockfish's on random positions.

Both count the same positions, reached by seeded random play from the start;
every root move and the total must agree. Exits 0 if they do, 1 if they do not,
2 if the comparison could not be made.

    python3 tests/perft_oracle.py --program target/release/hanxin
"""
import argparse
import random
import re
import subprocess
import sys

try:
    import pyffish
except ImportError:
    print("pyffish is missing: pip install pyffish", file=sys.stderr)
    sys.exit(2)


def positions(count, seed):
    """FENs after 0 to 100 random plies."""
    chooser = random.Random(seed)
    start = pyffish.start_fen("xiangqi")
    while count:
        moves = []
        for _ in range(chooser.randrange(100)):
            legal = pyffish.legal_moves("xiangqi", start, moves)
            if not legal:
                break
            moves.append(chooser.choice(legal))
        if pyffish.legal_moves("xiangqi", start, moves):
            yield pyffish.get_fen("xiangqi", start, moves)
            count -= 1


def counts(command, opening, fens, depth):
    """One {move: nodes} per position, moves with ranks from 1."""
    script = opening + [line for fen in fens for line in (f"position fen {fen}", f"go perft {depth}")]
    done = subprocess.run(command, input="\n".join(script + ["quit", ""]), text=True,
                          capture_output=True, timeout=600, check=True)
    table, tables = {}, []
    for line in done.stdout.splitlines():
        if match := re.fullmatch(r"([a-i]\d+)([a-i]\d+): (\d+)", line):
            table[match[1] + match[2]] = int(match[3])
        elif line.startswith("Nodes searched: "):
            tables.append((table, int(line.split(": ")[1])))
            table = {}
    return tables


def from_one(move):
    """h2e2 (ranks from 0) as h3e3 (ranks from 1)."""
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) + 1), move)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--oracle", default="/usr/games/fairy-stockfish")
    arguments.add_argument("--positions", type=int, default=60)
    arguments.add_argument("--depth", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    fens = list(positions(options.positions, options.seed))
    theirs = counts([options.oracle], ["uci", "setoption name UCI_Variant value xiangqi"], fens,
                    options.depth)
    # in batch mode `quit` waits for the counts
    ours = counts([options.program], ["uci", "setoption name batch value true"], fens,
                  options.depth)
    if not len(ours) == len(theirs) == len(fens):
        print(f"{len(ours)} and {len(theirs)} answers for {len(fens)} positions", file=sys.stderr)
        sys.exit(2)
    differences = 0
    for fen, (our_moves, our_total), (their_moves, their_total) in zip(fens, ours, theirs):
        our_moves = {from_one(move): nodes for move, nodes in our_moves.items()}
        if (our_moves, our_total) != (their_moves, their_total):
            differences += 1
            print(f"{fen}: {our_total} against {their_total}")
    print(f"{len(fens)} positions to depth {options.depth}, {differences} differences")
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
