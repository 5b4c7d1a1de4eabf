//! What systems do in different ways; the only file of this room that knows
//! which one it runs on.

use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::time::Duration;

/// Whether [`is_ready`] can be asked, so that a pipe can be waited for without
/// a thread of its own.
pub const CAN_WAIT: bool = cfg!(unix);

/// Whether a process inherits the core of the thread that starts it.
pub const INHERITS_CORES: bool = cfg!(target_os = "linux");

/// Has writes return at once instead of waiting for room in the pipe, or the
/// other way round. False where the system does not do that.
pub fn set_nonblocking(input: &ChildStdin, on: bool) -> bool {
    #[cfg(unix)]
    return rustix::io::ioctl_fionbio(input, on).is_ok();
    #[cfg(not(unix))]
    {
        let _ = (input, on);
        false
    }
}

/// Whether a read would not block, now or within some time; always true
/// without [`CAN_WAIT`].
pub fn is_ready(output: &ChildStdout, patience: Duration) -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let seconds = patience.as_secs().try_into().unwrap_or(i64::MAX);
        let limit = Timespec { tv_sec: seconds, tv_nsec: patience.subsec_nanos().into() };
        let mut pipe = [PollFd::new(output, PollFlags::IN)];
        poll(&mut pipe, Some(&limit)).is_ok_and(|ready| ready > 0)
    }
    #[cfg(not(unix))]
    {
        let _ = (output, patience);
        true
    }
}

/// Gives the process to be started a group of its own. That keeps an interrupt
/// at the terminal, which is meant for the match, from ending its engines in
/// the middle of their games. Windows would open a window too.
pub fn detach(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    }
    #[cfg(not(any(unix, windows)))]
    let _ = command;
}

/// Whether a process has ended, whoever may still hold its pipes. It is not
/// waited for, where the system can tell without that.
pub fn has_ended(child: &mut Child) -> bool {
    #[cfg(unix)]
    return !matches!(peek(child), Ok(None));
    #[cfg(not(unix))]
    return !matches!(child.try_wait(), Ok(None));
}

/// How a process has ended that has not been waited for; an error if it has.
#[cfg(unix)]
fn peek(child: &Child) -> rustix::io::Result<Option<rustix::process::WaitIdStatus>> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(child)), options)
}

/// Kills the group that [`detach`] has given to a process, where there are
/// groups, and with it what has outlived the process. Once that has been waited
/// for, others may have its number.
pub fn kill_group(child: &Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if peek(child).is_ok() {
            // fails only if it has ended by now
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = child;
}

/// Processor time that this program has taken, without that of engines;
/// `None` where the system does not know.
pub fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
    }
    #[cfg(not(unix))]
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn processor_time_goes_on() {
        let (begin, began) = (processor_time().unwrap(), Instant::now());
        while processor_time().unwrap() < begin + Duration::from_millis(5) {
            assert!(began.elapsed() < Duration::from_secs(20), "it stands still");
        }
    }
}
