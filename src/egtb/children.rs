//! The tables that the captures of one material lead to.

use crate::board::{Color, PieceKind};

use super::material::Material;
use super::pieces::Pieces;
use super::solution::{Source, Sources};
use super::table::Cache;
use super::value::Value;

/// The smaller tables of a material, by colour and kind of the piece captured.
pub struct Children([[Option<Child>; 7]; 2]);

/// A smaller table, and whether its colours are exchanged.
type Child = (Source, bool);

impl Children {
    /// The tables that captures lead to.
    ///
    /// # Errors
    /// The material of one that is missing.
    pub fn new(material: Material, sources: &Sources) -> Result<Children, Material> {
        let mut children = [const { [const { None }; 7] }; 2];
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                let Some(rest) = material.without(color, kind) else { continue };
                let canonical = rest.canonical();
                let source = sources.get(&canonical).ok_or(canonical)?;
                children[color.index()][kind.index()] = Some((source.clone(), canonical != rest));
            }
        }
        Ok(Children(children))
    }

    /// The value of the pieces after `by` has captured one of this kind, for
    /// the side that was captured from, which is to move.
    #[inline]
    pub fn value(
        &self,
        by: Color,
        captured: PieceKind,
        after: &Pieces,
        cache: &mut Cache,
    ) -> Option<Value> {
        let (source, swapped) = self.0[(!by).index()][captured.index()].as_ref()?;
        source.value_of(|color, kind| after.of(color, kind), (!by, *swapped), cache)
    }
}
