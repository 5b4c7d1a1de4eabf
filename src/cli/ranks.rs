//! The other processes that a launcher such as `mpirun` has started with this one.

use std::sync::Arc;

use super::Failure;
use crate::eval::EvalKind;
use crate::link::{self, Hello, Link};
use crate::util::host_name;

/// The link to the other ranks; `None` if there are none.
pub fn join() -> Result<Option<Arc<dyn Link>>, Failure> {
    let joined = link::join().map_err(Failure::refused)?;
    Ok(joined.map(Arc::from))
}

/// What this rank says to rank 0: all ranks must have the same rules, the same
/// net and the same plan.
pub fn hello(slots: usize, rules: &str, plan: &str) -> Hello {
    let net = EvalKind::default().identity();
    Hello::new(host_name(), slots, &[("rules", rules), ("net", &net), ("plan", plan)])
}

/// Leaves the other ranks: waits for them to leave as well or, where one does
/// not answer, ends them all with this exit code.
pub fn leave(link: Arc<dyn Link>, code: u8) {
    if link.is_detached() {
        link.abort(code);
    }
}
