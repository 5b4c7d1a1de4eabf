//! Playing weaker on request, quickly and like a person: a small budget of
//! nodes hides what lies deep, and among several good moves the choice is
//! free.

use crate::score::Score;

/// How the engine holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weakness {
    /// Nodes that a search may take; `None`: as many as its limits allow.
    pub nodes: Option<u64>,
    /// How far a move may fall behind the best one to be played, centipawns.
    pub margin: i32,
}

/// The range of strengths.
const LOWEST_ELO: i32 = 600;
const HIGHEST_ELO: i32 = 3000;
/// The nodes of a search by strength, the binary logarithm linear between; from
/// games against itself (`tuning/LOG.md`, "Strength on request").
const NODES: [(i32, f64); 7] = [
    (LOWEST_ELO, 140.0),
    (1200, 1_130.0),
    (1400, 1_880.0),
    (2000, 6_050.0),
    (2200, 8_900.0),
    (2600, 23_700.0),
    (HIGHEST_ELO, 74_000.0),
];
/// The margin at the lower end; none is left at the upper one.
const WIDEST_MARGIN: i32 = 180;
/// The margins of UCCI's `randomness`, mildest first.
const RANDOMNESS: [(&str, i32); 5] =
    [("tiny", 4), ("small", 10), ("medium", 20), ("large", 40), ("huge", 80)];
/// The skill level at which nothing is held back.
const FULL_SKILL: i32 = 20;

impl Weakness {
    /// How many moves compete.
    pub const LINES: usize = 4;

    /// For a strength in Elo points, limited to 600 to 3000.
    pub fn of_elo(elo: i32) -> Weakness {
        let elo = elo.clamp(LOWEST_ELO, HIGHEST_ELO);
        let margin = WIDEST_MARGIN * (HIGHEST_ELO - elo) / (HIGHEST_ELO - LOWEST_ELO);
        Weakness { nodes: Some(nodes_of(elo)), margin }
    }

    /// For a skill level from 0; `None` from 20 on.
    pub fn of_skill(level: i32) -> Option<Weakness> {
        let step = (HIGHEST_ELO - LOWEST_ELO) / FULL_SKILL;
        (level < FULL_SKILL).then(|| Weakness::of_elo(LOWEST_ELO + level * step))
    }

    /// For a choice of UCCI's `randomness`; `None` for `none`.
    pub fn of_randomness(choice: &str) -> Option<Weakness> {
        let found = RANDOMNESS.iter().find(|(name, _)| *name == choice)?;
        Some(Weakness { nodes: None, margin: found.1 })
    }

    /// Which of several moves to play, given their scores (the best first) and
    /// a random number from 0 to 1.
    ///
    /// Moves within the margin compete, the better ones with better chances.
    /// What is decided is never thrown away: a win stays one, and no move that
    /// loses by force competes with one that does not.
    pub fn choose(&self, scores: &[Score], roll: f64) -> usize {
        let Some(&best) = scores.first() else { return 0 };
        let weight = |&score: &Score| {
            let decided = score.is_decisive() || best.is_decisive();
            let gap = best - score;
            if gap == 0 {
                self.margin + 1
            } else if decided || gap > self.margin {
                0
            } else {
                self.margin + 1 - gap
            }
        };
        let weights: Vec<f64> = scores.iter().map(|score| f64::from(weight(score))).collect();
        let mut left = roll * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        0
    }
}

/// The nodes of a search for a strength within the range.
fn nodes_of(elo: i32) -> u64 {
    let above = NODES.partition_point(|&(known, _)| known <= elo).clamp(1, NODES.len() - 1);
    let [(low, fewer), (high, more)] = [NODES[above - 1], NODES[above]];
    let share = f64::from(elo - low) / f64::from(high - low);
    (fewer * (more / fewer).powf(share)).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(centipawns: &[i32]) -> Vec<Score> {
        centipawns.iter().map(|&cp| Score::from_centipawns(cp)).collect()
    }

    #[test]
    fn more_elo_means_more_nodes_and_less_freedom() {
        let ladder: Vec<Weakness> = (0..20).filter_map(Weakness::of_skill).collect();
        assert_eq!(ladder.len(), 20);
        for pair in ladder.windows(2) {
            assert!(pair[0].nodes < pair[1].nodes && pair[0].margin > pair[1].margin);
        }
        assert_eq!(Weakness::of_skill(20), None);
        assert_eq!(Weakness::of_elo(-5), Weakness::of_elo(600));
        assert_eq!(Weakness::of_elo(3000).margin, 0);
        for (elo, nodes) in NODES {
            assert_eq!(Weakness::of_elo(elo).nodes, Some(nodes as u64));
        }
        assert!(Weakness::of_elo(3000).nodes.unwrap() < 1_000_000, "quick at any strength");
    }

    #[test]
    fn only_moves_within_the_margin_are_chosen() {
        let weakness = Weakness { nodes: None, margin: 40 };
        let scores = scores(&[100, 90, 60, 59, -300]);
        let mut chosen = [0; 5];
        for roll in 0..1000 {
            chosen[weakness.choose(&scores, f64::from(roll) / 1000.0)] += 1;
        }
        assert!(chosen[0] > chosen[1] && chosen[1] > chosen[2] && chosen[2] > 0, "{chosen:?}");
        assert_eq!(chosen[3..], [0, 0]);
    }

    #[test]
    fn what_is_decided_stays_decided() {
        let weakness = Weakness { nodes: None, margin: 5000 };
        let lost = Score::mated_in(8);
        for roll in [0.0, 0.5, 0.999] {
            assert_eq!(weakness.choose(&[Score::mate_in(3), Score::mate_in(5)], roll), 0);
            assert_eq!(weakness.choose(&[Score::from_centipawns(-900), lost], roll), 0);
            assert_eq!(weakness.choose(&[], roll), 0);
            assert_eq!(weakness.choose(&[lost], roll), 0);
        }
    }

    #[test]
    fn every_randomness_has_a_wider_margin_than_the_one_before() {
        let margins = RANDOMNESS.map(|(name, _)| Weakness::of_randomness(name).unwrap().margin);
        assert!(margins.is_sorted());
        assert_eq!(Weakness::of_randomness("none"), None);
    }
}
