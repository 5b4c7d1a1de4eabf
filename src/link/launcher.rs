//! Which ranks a launcher has started beside this process, if one has.

use std::env;
use std::process::Command;

use super::Link;

/// Why a process cannot work with the others that were started with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// The program has been built without MPI.
    #[error("{0} ranks were started, but this is a build without MPI; use one with --features mpi")]
    NotBuilt(usize),
    /// The MPI library refuses.
    #[error("MPI does not start: {0}")]
    Mpi(String),
}

/// Variables that launchers of MPI programs set begin with these.
const PREFIXES: [&str; 4] = ["OMPI_", "PMIX_", "PMI_", "MPI_LOCAL"];

/// The link to the ranks that were started together with this process; `None`
/// if it was started alone.
///
/// # Errors
/// When there are other ranks, but no way to them.
pub fn join() -> Result<Option<Box<dyn Link>>, JoinError> {
    let size = launched(|name| env::var(name).ok());
    if size.is_none_or(|size| size < 2) {
        return Ok(None);
    }
    #[cfg(feature = "mpi")]
    return Ok(Some(Box::new(super::mpi::Mpi::start()?)));
    #[cfg(not(feature = "mpi"))]
    Err(JoinError::NotBuilt(size.unwrap_or_default()))
}

/// How many ranks the launcher says it has started; `None` without a launcher
/// of MPI programs. Slurm's own tasks are not ranks unless it offers PMIx.
fn launched(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let number = |name: &str| variable(name)?.parse().ok();
    let of_slurm = || {
        variable("PMIX_RANK")?;
        number("SLURM_STEP_NUM_TASKS").or_else(|| number("SLURM_NTASKS"))
    };
    number("OMPI_COMM_WORLD_SIZE").or_else(|| number("PMI_SIZE")).or_else(of_slurm)
}

/// Keeps a program that is to be started from taking itself for a rank: hides
/// the launcher's variables from it.
pub fn hide_launcher(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_variables() {
        let size = |set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|(other, _)| *other == name);
            launched(|name| find(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(size(&[]), None);
        assert_eq!(size(&[("OMPI_COMM_WORLD_SIZE", "3")]), Some(3));
        assert_eq!(size(&[("PMI_SIZE", "5"), ("PMI_RANK", "0")]), Some(5));
        let slurm = [("SLURM_NTASKS", "8"), ("SLURM_STEP_NUM_TASKS", "4"), ("PMIX_RANK", "1")];
        assert_eq!(size(&slurm), Some(4));
        assert_eq!(size(&slurm[..2]), None);
    }
}
