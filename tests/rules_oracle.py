#!/usr/bin/env python3
"""Adds what Fairy-Stockfish says (pip install pyffish, AXF rules) to games.

    cargo build --release --example repetitions
    python3 tests/rules_oracle.py --program target/release/examples/repetitions \\
        --games 100000 --seed 1 --out target/rules-oracle.csv
    HANXIN_GAMES=target/rules-oracle.csv cargo test --release --test rules_differential -- --nocapture

The program writes games as CSV with the columns start and moves; here the
columns verdict (draw, red_wins, black_wins, none), check (whether the side to
move is in check, 0 or 1) and legal (how many legal moves it has) are added.
A game with a move that the oracle thinks illegal gets the verdict illegal.
The oracle needs about a millisecond a game.

Exit code 0: all games are written. 2: they could not be judged.
"""

import argparse
import csv
import subprocess
import sys

try:
    import pyffish
except ImportError:
    print("pyffish is missing: pip install pyffish", file=sys.stderr)
    sys.exit(2)

VARIANT = "xiangqi"


def from_zero(move):
    """h2e2 (ranks from 0) as h3e3 (ranks from 1)."""
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def verdict(start, moves, legal):
    """Who wins by the oracle; its values are those of the side to move."""
    if legal:
        ended, value = pyffish.is_optional_game_end(VARIANT, start, moves)
    else:
        ended, value = True, pyffish.game_result(VARIANT, start, moves)
    if not ended:
        return "none"
    if value == 0:
        return "draw"
    red_to_move = (start.split()[1] == "w") == (len(moves) % 2 == 0)
    return "red_wins" if (value > 0) == red_to_move else "black_wins"


def judge(start, moves):
    """The oracle's columns of a game."""
    moves = [from_zero(move) for move in moves.split()]
    try:
        legal = len(pyffish.legal_moves(VARIANT, start, moves))
        check = int(pyffish.gives_check(VARIANT, start, moves))
    except ValueError:
        return "illegal", 0, 0
    return verdict(start, moves, legal), check, legal


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", required=True, help="writes the games")
    arguments.add_argument("--games", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--out", required=True, help="the CSV to write")
    options = arguments.parse_args()
    command = [options.program, str(options.games), str(options.seed)]
    with (open(options.out, "w", newline="") as out,
          subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program):
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["start", "moves", "verdict", "check", "legal"])
        games = 0
        for game in csv.DictReader(program.stdout):
            writer.writerow([game["start"], game["moves"], *judge(game["start"], game["moves"])])
            games += 1
    if program.returncode or games != options.games:
        print(f"{options.program} wrote {games} games and failed", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
