//! From arguments to a match.

use std::num::NonZero;
use std::sync::Arc;

use super::super::Failure;
use super::arguments::MatchArguments;
use super::pairs::Pairs;
use crate::arena::stats::{Model, Sprt};
use crate::arena::{
    Adjudication, Conditions, DrawRule, EngineSpec, Plan, PlanError, ResignRule, Schedule, Source,
};
use crate::rules::{Parameters, RuleSet};

/// More openings, or plies of one, than any file has.
const MOST: usize = 1_000_000_000;

pub fn plan_from_args(arguments: &MatchArguments) -> Result<Plan, Failure> {
    if let Some(other) = arguments.variant.as_deref().filter(|name| *name != "xiangqi") {
        let fault = format!("--variant {other}: only xiangqi is played; leave it out");
        return Err(Failure::Invalid(fault));
    }
    let engines = arguments.engines.0.iter();
    // of an engine that nobody plays against it does not matter what else it lacks
    if engines.len() < 2 {
        return Err(Failure::invalid(PlanError::TooFewEngines));
    }
    let engines = engines.map(|settings| engine_from_args(arguments, settings).map(Arc::new));
    let plan = Plan {
        engines: engines.collect::<Result<_, _>>()?,
        schedule: Schedule {
            tournament: arguments.tournament.unwrap_or_default(),
            engines: 0,
            rounds: arguments.rounds.map_or(1, NonZero::get),
            games: arguments.games.map_or(2, NonZero::get),
            repeat: !arguments.norepeat && arguments.repeat != Some(1),
        },
        openings: openings(arguments)?,
        conditions: Conditions { parameters: rules(arguments)?, adjudication: ends(arguments)? },
        seed: arguments.srand.unwrap_or(1),
    };
    plan.checked().map_err(Failure::invalid)
}

/// An engine with the settings of all and its own.
pub fn engine_from_args(arguments: &MatchArguments, own: &[String]) -> Result<EngineSpec, Failure> {
    let mut spec = EngineSpec { ponder: arguments.ponder, ..EngineSpec::default() };
    for setting in arguments.each.iter().flatten().chain(own) {
        spec.apply(setting).map_err(Failure::invalid)?;
    }
    spec.finish().map_err(Failure::invalid)
}

pub fn sprt_from_args(arguments: &MatchArguments) -> Result<Option<Sprt>, Failure> {
    Pairs::read("--sprt", "elo1", arguments.sprt.as_ref(), |pairs| {
        if arguments.engines.0.len() != 2 {
            return Err(pairs.fault(": a test is between two engines"));
        }
        let elo0 = pairs.get("elo0")?.unwrap_or(0.0);
        let elo1 = pairs.need("elo1")?;
        let alpha = pairs.get("alpha")?.unwrap_or(0.05);
        let beta = pairs.get("beta")?.unwrap_or(0.05);
        let model = pairs.get::<Model>("model")?.unwrap_or_default();
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model);
        sprt.map_err(|error| pairs.fault(format!(": {error}")))
    })
}

fn openings(arguments: &MatchArguments) -> Result<Source, Failure> {
    let source = Pairs::read("--openings", "file", arguments.openings.as_ref(), |pairs| {
        let file: String = pairs.need("file")?;
        let random = match pairs.text("order") {
            None | Some("sequential") => false,
            Some("random") => true,
            Some(other) => {
                return Err(pairs.fault(format!(" order={other}: want random or sequential")));
            }
        };
        Ok(Source {
            file: Some(file.into()),
            format: pairs.get("format")?,
            random,
            plies: pairs.whole("plies", 0..=MOST)?,
            first: pairs.whole("start", 1..=MOST)?.map_or(0, |start| start - 1),
        })
    });
    source.map(Option::unwrap_or_default)
}

fn rules(arguments: &MatchArguments) -> Result<Parameters, Failure> {
    let parameters = Pairs::read("--rules", "set", arguments.rules.as_ref(), |pairs| {
        let usual = pairs.get::<RuleSet>("set")?.unwrap_or_default().parameters();
        let fold = pairs.get("fold")?.unwrap_or(usual.fold);
        let quiet_limit = pairs.get("natural")?.unwrap_or(usual.quiet_limit);
        let check_cap = pairs.get("checks")?.unwrap_or(usual.check_cap);
        if fold < 2 || quiet_limit == 0 {
            return Err(pairs.fault(": want fold=2 or more and natural=1 or more"));
        }
        Ok(Parameters { fold, quiet_limit, check_cap, ..usual })
    });
    parameters.map(Option::unwrap_or_default)
}

fn ends(arguments: &MatchArguments) -> Result<Adjudication, Failure> {
    let resign = Pairs::read("--resign", "score", arguments.resign.as_ref(), |pairs| {
        let rule = ResignRule {
            move_count: pairs.need("movecount")?,
            score: pairs.need("score")?,
            two_sided: pairs.get("twosided")?.unwrap_or(false),
        };
        let makes_sense = rule.move_count > 0 && rule.score > 0;
        makes_sense.then_some(rule).ok_or_else(|| pairs.fault(": want movecount and score above 0"))
    });
    let draw = Pairs::read("--draw", "score", arguments.draw.as_ref(), |pairs| {
        let rule = DrawRule {
            move_number: pairs.need("movenumber")?,
            move_count: pairs.need("movecount")?,
            score: pairs.need("score")?,
        };
        let makes_sense = rule.move_count > 0 && rule.score >= 0;
        let fault = || pairs.fault(": want movecount above 0 and no negative score");
        makes_sense.then_some(rule).ok_or_else(fault)
    });
    let max_moves = arguments.maxmoves.map(NonZero::get);
    Ok(Adjudication { resign: resign?, draw: draw?, max_moves })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Words {
        #[command(flatten)]
        arguments: MatchArguments,
    }

    fn arguments(line: &str) -> MatchArguments {
        Words::parse_from(line.split_whitespace()).arguments
    }

    const TWO: &str = "--engine cmd=a --engine cmd=b proto=uci depth=9 --each depth=2";

    #[test]
    fn own_settings_outrank_those_of_all() {
        let plan = plan_from_args(&arguments(TWO)).unwrap();
        let depths = plan.engines.iter().map(|engine| engine.limits.depth);
        assert!(depths.eq([Some(2), Some(9)]));
        assert!(plan.schedule.repeat && plan.openings == Source::default());
        for (more, repeat) in [("--repeat", true), ("--repeat 2", true), ("--repeat 1", false)] {
            let plan = plan_from_args(&arguments(&format!("{more} {TWO}"))).unwrap();
            assert_eq!(plan.schedule.repeat, repeat, "{more}");
        }
    }

    #[test]
    fn everything_has_its_place() {
        let more = "--variant xiangqi --tournament round-robin --rounds 5 --games 3 --norepeat --srand 9 --ponder \
                    --openings file=x.pgn order=random plies=6 start=4 --rules league fold=3 natural=90 checks=4 \
                    --resign movecount=3 score=500 twosided=true --maxmoves 150 \
                    --draw movenumber=40 movecount=8 score=10 --sprt elo1=5";
        let arguments = arguments(&format!("{TWO} {more}"));
        let plan = plan_from_args(&arguments).unwrap();
        assert_eq!((plan.schedule.rounds, plan.schedule.games, plan.seed), (5, 3, 9));
        assert!(!plan.schedule.repeat && plan.openings.random && plan.engines[0].ponder);
        assert_eq!((plan.openings.first, plan.openings.plies), (3, Some(6)));
        let Conditions { parameters, adjudication } = plan.conditions;
        let set = Parameters { rules: RuleSet::League, fold: 3, quiet_limit: 90, check_cap: 4 };
        assert_eq!(parameters, set);
        assert!(adjudication.resign.unwrap().two_sided);
        assert_eq!((adjudication.draw.unwrap().move_count, adjudication.max_moves), (8, Some(150)));
        assert!(sprt_from_args(&arguments).unwrap().is_some());
    }

    #[test]
    fn nonsense_is_named_in_one_line() {
        for (more, message) in [
            ("--variant chess", "--variant chess: only xiangqi is played"),
            ("--rules go", "--rules set=go: 'go' is not a rule set"),
            ("--rules axf fold=1", "--rules: want fold=2 or more"),
            ("--resign score=5", "--resign needs movecount=VALUE"),
            ("--resign movecount=0 score=5", "--resign: want movecount and score above 0"),
            ("--draw movenumber=1 movecount=1 score=-1", "--draw: want movecount above 0"),
            ("--openings order=random", "--openings needs file=VALUE"),
            ("--openings file=x order=odd", "--openings order=odd: want random or sequential"),
            ("--openings file=x start=0", "--openings start=0: want a whole number from 1 to"),
            ("--openings file=x plies=-1", "--openings plies=-1: want a whole number from 0 to"),
            ("--engine cmd=c speed=3", "'speed=3' is not a setting of an engine"),
            ("--engine name=c", "an engine needs cmd=PROGRAM"),
        ] {
            let error =
                plan_from_args(&arguments(&format!("{TWO} {more}"))).unwrap_err().to_string();
            assert!(error.contains(message) && !error.contains('\n'), "{error}");
        }
        let error = plan_from_args(&arguments("--engine cmd=a")).unwrap_err().to_string();
        assert!(error.contains("at least two engines; name one more"), "{error}");
        let three = format!("{TWO} --engine cmd=c --sprt elo1=5");
        assert!(sprt_from_args(&arguments(&three)).is_err());
    }
}
