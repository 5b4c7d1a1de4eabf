//! The materials that arguments name.

use crate::egtb::{GUARDS, Material, ParseMaterialError};

/// How materials are named, for the helps.
pub const MATERIALS: &str = "\
A material is named by the pieces of both sides: KRKAABB is a king and a rook
against a king, two advisors and two elephants (K R N C P A B: king, rook,
knight, cannon, pawn, advisor, elephant). Families of them have names, too:
  CP, CPAA      these pieces against any advisors and elephants (9)
  one           one attacker against any advisors and elephants (36)
  one-defended  the same where the attacker's side has such pieces as well (324)
  two           two attackers against any advisors and elephants (90)
  R-N, RA-N     these pieces against those with any advisors and elephants (9)";

/// What an argument names.
#[derive(Clone, Debug)]
pub struct Wanted(Vec<Material>);

/// Reads a material or the name of a family.
pub fn read_wanted(text: &str) -> Result<Wanted, String> {
    const KINDS: [&str; 4] = ["R", "N", "C", "P"];
    let pairs = |(at, first)| KINDS[at..].iter().map(move |second| format!("{first}{second}"));
    let red: Vec<String> = match text {
        "one" => KINDS.map(String::from).into(),
        "one-defended" => {
            KINDS.iter().flat_map(|kind| GUARDS.map(|own| format!("{kind}{own}"))).collect()
        }
        "two" => KINDS.iter().enumerate().flat_map(pairs).collect(),
        _ => return read_family(text),
    };
    let families = red.iter().map(|red| Material::family(red, ""));
    let families: Result<Vec<_>, _> = families.collect();
    families.map(|all| Wanted(all.concat())).map_err(|error| error.to_string())
}

/// One material, or all that Black's advisors and elephants make of one.
fn read_family(text: &str) -> Result<Wanted, String> {
    let (red, black) = text.split_once('-').unwrap_or((text, ""));
    let family = if red.is_empty() { None } else { Material::family(red, black).ok() };
    let wanted = family.map_or_else(|| text.parse().map(|one| vec![one]), Ok);
    wanted.map(Wanted).map_err(|error: ParseMaterialError| error.to_string())
}

/// All materials that are named, in their usual form.
pub fn materials(wanted: &[Wanted]) -> Vec<Material> {
    wanted.iter().flat_map(|wanted| wanted.0.iter().map(Material::canonical)).collect()
}
