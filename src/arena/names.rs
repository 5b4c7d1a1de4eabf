//! Names of choices, as text.

use std::fmt::Display;

use strum::VariantArray;

use crate::board::excerpt;

/// A text that names none of several choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not known (want {wanted})")]
pub struct UnknownName {
    text: String,
    wanted: String,
}

impl UnknownName {
    /// The error of a text that should name one of the variants of a type.
    pub(super) fn of<T: VariantArray + Display>(text: &str) -> UnknownName {
        let names: Vec<String> = T::VARIANTS.iter().map(T::to_string).collect();
        UnknownName { text: excerpt(text), wanted: names.join(", ") }
    }
}
