//! Draw offers and resignations (UCCI, section 9).
//!
//! The thresholds are from games at few nodes (`hanxin-tuning thresholds`): of
//! 100 sides that would resign, one or two would still have drawn or won; of 100
//! that would offer a draw, one or two would have won or lost.

use crate::score::Score;

use super::event::Announcement;

/// Scores up to this one accept an offered draw, centipawns.
const ACCEPT: i32 = 20;
/// Scores no further from zero than this are level.
const LEVEL: i32 = 20;
/// So many own moves in a row must be level before a draw is offered.
const LEVEL_MOVES: u32 = 10;
/// Plies of a game before which no draw is offered.
const EARLIEST_OFFER: usize = 80;
/// Own moves between two offers.
const OFFER_PAUSE: u32 = 8;
/// Scores below this one are hopeless.
const HOPELESS: i32 = -1100;
/// So many own moves in a row must be hopeless before the game is resigned.
const HOPELESS_MOVES: u32 = 4;

/// What a search says about its game.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Score of the best move.
    pub score: Score,
    /// Plies of the game so far, as far as they are known.
    pub ply: usize,
    /// Whether the opponent offers a draw.
    pub draw_offered: bool,
    /// Whether draws may be offered and accepted.
    pub may_draw: bool,
    /// Whether games may be resigned.
    pub may_resign: bool,
}

/// How the game has gone, move by move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Announcements {
    /// Own moves judged so far.
    moves: usize,
    hopeless_moves: u32,
    level_moves: u32,
    pause: u32,
}

impl Announcements {
    /// What to announce with the next own move.
    pub fn judge(&mut self, now: Situation) -> Option<Announcement> {
        let score = now.score.raw();
        self.moves += 1;
        self.hopeless_moves = if score < HOPELESS { self.hopeless_moves + 1 } else { 0 };
        self.level_moves = if score.abs() <= LEVEL { self.level_moves + 1 } else { 0 };
        self.pause = self.pause.saturating_sub(1);
        if now.may_draw && now.draw_offered && score <= ACCEPT {
            return Some(Announcement::DrawOffer);
        }
        if now.may_resign && self.hopeless_moves >= HOPELESS_MOVES {
            return Some(Announcement::Resignation);
        }
        // referees send the moves since the last capture alone
        let ply = now.ply.max(2 * self.moves);
        let quiet = self.level_moves >= LEVEL_MOVES && ply >= EARLIEST_OFFER;
        if now.may_draw && quiet && self.pause == 0 {
            self.pause = OFFER_PAUSE;
            return Some(Announcement::DrawOffer);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation(centipawns: i32) -> Situation {
        Situation {
            score: Score::from_centipawns(centipawns),
            ply: 100,
            draw_offered: false,
            may_draw: true,
            may_resign: true,
        }
    }

    #[test]
    fn an_offer_is_accepted_unless_there_is_more_to_win() {
        let offer = |cp| Situation { draw_offered: true, ..situation(cp) };
        assert_eq!(Announcements::default().judge(offer(0)), Some(Announcement::DrawOffer));
        assert_eq!(Announcements::default().judge(offer(-400)), Some(Announcement::DrawOffer));
        assert_eq!(Announcements::default().judge(offer(50)), None);
        let lost = Situation { score: Score::mated_in(2), ..offer(0) };
        assert_eq!(Announcements::default().judge(lost), Some(Announcement::DrawOffer));
        let off = Situation { may_draw: false, ..offer(0) };
        assert_eq!(Announcements::default().judge(off), None);
    }

    #[test]
    fn a_game_of_which_only_the_last_moves_are_known_is_as_long_as_it_was_played() {
        let mut announcements = Announcements::default();
        let level = Situation { ply: 3, ..situation(0) };
        let offered = (1..).find(|_| announcements.judge(level).is_some());
        assert_eq!(offered, Some(EARLIEST_OFFER / 2));
    }

    #[test]
    fn only_a_lasting_loss_is_resigned() {
        let mut announcements = Announcements::default();
        let play = |announcements: &mut Announcements, scores: &[i32]| -> Vec<_> {
            scores.iter().map(|&cp| announcements.judge(situation(cp))).collect()
        };
        let announced =
            play(&mut announcements, &[-1200, -1200, -1200, -500, -1200, -1200, -1200, -1200]);
        assert_eq!(announced[..7], [None; 7]);
        assert_eq!(announced[7], Some(Announcement::Resignation));
        let off = Situation { may_resign: false, ..situation(-5000) };
        assert_eq!((0..9).find_map(|_| announcements.judge(off)), None);
    }

    #[test]
    fn a_level_ending_is_offered_as_a_draw_now_and_then() {
        let mut announcements = Announcements::default();
        let announced: Vec<_> = (0..30).map(|_| announcements.judge(situation(5))).collect();
        let offers: Vec<_> = announced
            .iter()
            .enumerate()
            .filter(|(_, announcement)| announcement.is_some())
            .map(|(at, _)| at)
            .collect();
        assert_eq!(offers, [9, 17, 25]);
        let early = Situation { ply: 20, ..situation(0) };
        let mut announcements = Announcements::default();
        assert_eq!((0..30).find_map(|_| announcements.judge(early)), None);
    }
}
