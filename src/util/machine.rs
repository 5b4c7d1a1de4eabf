//! The machine this runs on.

use std::fmt;

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

const MEGABYTE: u64 = 1 << 20;

/// What matters of a machine for an engine and for who reads its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// What the processor calls itself.
    pub processor: String,
    /// How many threads run at the same time.
    pub cores: usize,
    /// Memory in megabytes, all of it; `None` if the system does not tell.
    pub memory: Option<usize>,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// Asks the system; what it does not tell is left open.
    pub fn describe() -> Machine {
        Machine {
            processor: processor().unwrap_or_else(|| "unknown processor".into()),
            cores: cores(),
            memory: memory(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

fn processor() -> Option<String> {
    let kind = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let system = System::new_with_specifics(kind).ok()?;
    let brand = system.cpus().first()?.brand().trim().to_owned();
    Some(brand).filter(|brand| !brand.is_empty())
}

/// How many threads run at the same time; at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Memory in megabytes, the limit of a container included; `None` if the
/// system does not tell.
pub fn memory() -> Option<usize> {
    let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(kind).ok()?;
    let container = system.cgroup_limits().map(|limits| limits.total_memory);
    let total = container.filter(|&limit| limit > 0).unwrap_or(u64::MAX).min(system.total_memory());
    usize::try_from(total / MEGABYTE).ok().filter(|&megabytes| megabytes > 0)
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} cores", self.processor, self.cores)?;
        if let Some(memory) = self.memory {
            write!(f, ", {:.1} GB", memory as f64 / 1024.0)?;
        }
        write!(f, ", {}", self.system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_something_of_everything() {
        let machine = Machine::describe();
        assert!(machine.cores > 0 && machine.memory.unwrap() > 64);
        let text = machine.to_string();
        assert!(text.contains("cores") && !text.contains('\n'), "{text}");
    }
}
