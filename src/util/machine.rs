//! Facts about the machine: processor, memory, load.

use std::fmt;

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

const MEGABYTE: u64 = 1 << 20;

/// The machine, as stated beside measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Brand string of the processor.
    pub processor: String,
    /// Hardware threads available to the process.
    pub cores: usize,
    /// `None` if the system does not report it.
    pub memory: Option<Memory>,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// Queries the system.
    pub fn describe() -> Machine {
        Machine {
            processor: processor().unwrap_or_else(|| "unknown processor".into()),
            cores: cores(),
            memory: Memory::ask(),
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

/// Hardware threads available to the process; at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Memory in MiB, limited by the container if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Physical memory or the container's limit.
    pub total: usize,
    /// Memory that can be allocated without swapping.
    pub available: usize,
}

impl Memory {
    /// Queries the system; `None` if it does not report memory.
    pub fn ask() -> Option<Memory> {
        let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(kind).ok()?;
        let container = system.cgroup_limits().filter(|limits| limits.total_memory > 0);
        let of_container = container.map(|limits| (limits.total_memory, limits.free_memory));
        let (total, free) = of_container.unwrap_or((u64::MAX, u64::MAX));
        let megabytes = |bytes: u64| usize::try_from(bytes / MEGABYTE).unwrap_or(usize::MAX);
        let memory = Memory {
            total: megabytes(total.min(system.total_memory())),
            available: megabytes(free.min(system.available_memory())),
        };
        Some(memory).filter(|memory| memory.total > 0)
    }
}

/// The name of this machine; `?` if the system does not say.
pub fn host_name() -> String {
    System::host_name().unwrap_or_else(|_| "?".into())
}

/// Load average of the last minute; `None` where there is none (Windows).
pub fn load() -> Option<f64> {
    if cfg!(windows) {
        return None;
    }
    System::load_average().ok().map(|average| average.one)
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} cores", self.processor, self.cores)?;
        if let Some(memory) = self.memory {
            write!(f, ", {:.1} GB", memory.total as f64 / 1024.0)?;
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
        let memory = machine.memory.unwrap();
        assert!(machine.cores > 0 && memory.total > 64 && memory.available <= memory.total);
        let text = machine.to_string();
        assert!(text.contains("cores") && !text.contains('\n'), "{text}");
    }
}
