//! The net in use.

use std::path::Path;
use std::sync::Arc;

use crate::eval::EvalKind;
use crate::eval::nnue::{Network, embedded};

use super::data_dir::locate;
use super::error::EngineError;
use super::options::{NNUE, OptionId};
use super::settings::Settings;

/// The net of a file that is looked for as [`locate`] says; of no file, the
/// one inside the program.
///
/// # Errors
/// When the file cannot be used.
pub fn open(file: &str, folder: Option<&Path>) -> Result<Option<Arc<Network>>, EngineError> {
    if file.is_empty() {
        return Ok(embedded());
    }
    Ok(Some(Arc::new(Network::open(&locate(file, folder))?)))
}

/// How positions are evaluated with this choice and this net.
///
/// # Errors
/// When a net is wanted and there is none.
pub fn evaluation(choice: &str, net: Option<&Arc<Network>>) -> Result<EvalKind, EngineError> {
    match (choice, net) {
        (NNUE, Some(net)) => Ok(EvalKind::Nnue(Arc::clone(net))),
        (NNUE, None) => Err(EngineError::NoNet),
        _ => Ok(EvalKind::Classical),
    }
}

/// The evaluation that the settings choose.
pub fn chosen(settings: &Settings, net: Option<&Arc<Network>>) -> EvalKind {
    // that there is a net was seen to when it was chosen
    evaluation(settings.text(OptionId::Evaluation), net).unwrap_or(EvalKind::Classical)
}
