#!/usr/bin/env python3
"""Replays the games of `hanxin match` under an independent referee.

    match_oracle.py match-1234abcd.journal games.pgn ...

Every move must be legal, no game may go on after its end, and every verdict by
the rules must be the same. The referee is the module that --referee names, over
pyffish. Its count of plies without a capture knows no cap of checks, so that
limit is counted here. That program also asks of the move that led to the first
occurrence of a position whether it chased, which is not among the moves that
repeat (an attack by uncovering is enough to begin with): where its verdict
differs, it is asked again from that occurrence on, and such games are counted
apart. Games from a journal are judged by the rules in its
first line, games from PGN (in ICCS) by --fold, --natural and --cap.
"""
import argparse
import importlib.util
import json
import re
import sys
from pathlib import Path

BY_RULES = {"checkmate": "mate", "stalemate": "stalemate", "repetition": "repetition",
            "perpetual-check": "perpetual check", "perpetual-chase": "perpetual chase",
            "insufficient-material": "material"}
RESULTS = {"red-wins": "1-0", "draw": "1/2-1/2", "black-wins": "0-1"}
NEVER = 10**9
BEFORE_CYCLE = "judged otherwise only with the move before the cycle"


def load_referee(path):
    if not path.exists():
        sys.exit(f"no file {path}: --referee names a Python module with a class Referee")
    spec = importlib.util.spec_from_file_location("match", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Referee


def journal_games(text):
    lines = text.splitlines()
    rules = json.loads(lines[1][9:])["match"]["conditions"]
    for line in lines[2:]:
        game = json.loads(line[9:])
        yield {"name": f"game {game['number'] + 1}", "fen": game["start_fen"],
               "moves": [played["move"] for played in game["moves"]],
               "result": RESULTS[game["result"]], "termination": game["termination"],
               "fold": rules["fold"], "natural": rules["quiet_limit"], "cap": rules["check_cap"]}


def pgn_games(text, args):
    for number, part in enumerate(re.split(r"\n(?=\[Game )", text), 1):
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', part, re.M))
        body = re.sub(r"\{[^}]*\}", " ", re.sub(r"^\[.*\]$", "", part, flags=re.M))
        moves = [m[1] + m[2] for m in re.finditer(r"\b([A-I]\d)-([A-I]\d)\b", body)]
        start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
        yield {"name": f"game {number}", "fen": tags.get("FEN", start),
               "moves": [m.lower() for m in moves], "result": tags["Result"],
               "termination": tags["Termination"], "fold": args.fold,
               "natural": args.natural, "cap": args.cap}


class Quiet:
    """Plies without a capture; of each side's checks only the first `cap`
    count, and of the replies only those to checks that count."""

    def __init__(self, game, start):
        self.cap, self.limit, self.count = game["cap"], game["natural"], start
        self.checks = [0, 0]
        self.reply_counts = True

    def push(self, captured, checks, side):
        if captured:
            self.count, self.checks = 0, [0, 0]
            self.reply_counts = not (checks and self.cap == 0)
            return
        counts = self.reply_counts
        self.reply_counts = True
        if checks:
            self.checks[side] += 1
            if self.checks[side] > self.cap:
                counts, self.reply_counts = False, False
        self.count += counts

    def is_over(self):
        return self.count >= self.limit


def judged_from_cycle(referee, referee_class):
    """The verdict when the game begins with the first of the occurrences that
    count."""
    seen = [ply for ply, key in enumerate(referee.keys) if key == referee.keys[-1]]
    if len(seen) < referee.fold:
        return ()
    first = seen[-referee.fold]
    begin = referee_class(referee.base_fen, referee.moves[:first], referee.fold, NEVER, NEVER)
    again = referee_class(begin.fen, referee.moves[first:], referee.fold, NEVER, NEVER)
    return again.status() or ()


def replay(game, referee_class):
    """What is wrong with a game, or None."""
    referee = referee_class(game["fen"], (), game["fold"], NEVER, NEVER)
    quiet = Quiet(game, referee.quiet)
    for number, move in enumerate(game["moves"], 1):
        status = referee.status()
        if status or quiet.is_over():
            return f"goes on after {status or 'the natural limit'} before move {number}"
        if move not in referee.legal():
            return f"move {number} ({move}) is illegal"
        side = 0 if referee.red_to_move else 1
        referee.push(move)
        quiet.push(referee.quiet == 0, referee.checks[-1], side)
    status = referee.status()
    termination, result = game["termination"], game["result"]
    if termination in BY_RULES:
        if not status:
            return f"ends by {termination}, but the referee sees no end"
        expected = (result, BY_RULES[termination])
        if status[:2] != expected and judged_from_cycle(referee, referee_class)[:2] == expected:
            return BEFORE_CYCLE
        if status[:2] != expected:
            return f"ends {result} by {termination}, the referee says {status}"
    elif status:
        return f"ends by {termination}, but the referee says {status}"
    elif (termination == "natural-limit") != quiet.is_over():
        return f"ends by {termination} with {quiet.count} counted plies"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--referee", type=Path, required=True)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--fold", type=int, default=3)
    parser.add_argument("--natural", type=int, default=120)
    parser.add_argument("--cap", type=int, default=10)
    args = parser.parse_args()
    referee_class = load_referee(args.referee)
    count, plies, faults, before_cycle, ends = 0, 0, 0, 0, {}
    for path in args.files:
        text = path.read_text()
        is_journal = text.startswith("hanxin-match ")
        for game in journal_games(text) if is_journal else pgn_games(text, args):
            count += 1
            plies += len(game["moves"])
            ends[game["termination"]] = ends.get(game["termination"], 0) + 1
            fault = replay(game, referee_class)
            before_cycle += fault == BEFORE_CYCLE
            faults += fault not in (None, BEFORE_CYCLE)
            if fault:
                print(f"{path}: {game['name']}: {fault}")
    print(f"{count} games, {plies} plies, {faults} faults, {before_cycle} {BEFORE_CYCLE}; "
          + ", ".join(f"{how} {n}" for how, n in sorted(ends.items())))
    sys.exit(1 if faults or not count else 0)


if __name__ == "__main__":
    main()
