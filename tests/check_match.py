#!/usr/bin/env python3
"""Fails if an engine broke the rules of a match: python3 check_match.py FILE NAME.

FILE is the JSON of a match; an illegal move, a flag fall, a crash or a refusal
to move by the engine called NAME ends with exit code 1.
"""
import json
import sys

FAULTS = ("illegal", "time", "crash", "died", "stall", "disconnect", "refus", "forfeit", "no move")


def main():
    path, name = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        games = json.load(file)["games"]
    if not games:
        sys.exit(f"{path} holds no game")
    for number, game in enumerate(games, 1):
        loser = {"1-0": game["black"], "0-1": game["red"]}.get(game["result"])
        if loser == name and any(fault in game["reason"].lower() for fault in FAULTS):
            sys.exit(f"game {number}: {name} lost by {game['reason']}")
    print(f"{len(games)} games, no fault of {name}")


if __name__ == "__main__":
    main()
