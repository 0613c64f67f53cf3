//! Generates ids of one kind in threads and forked children, and sorts them in pieces on disk.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::Kind;

/// How many ids, and how many processes and threads generate them.
pub struct Size {
    /// All ids.
    pub ids: u64,
    /// Processes: the parent and its children.
    pub processes: u64,
    /// Threads in each process.
    pub threads: u64,
}

/// Ids whose bytes have the same sum are in the same piece; one piece is sorted at a time.
const PIECES: usize = 256;
const AT_ONCE: u64 = 4_096;

/// Generates ids, looks for repeated ones, and returns how many ids were generated.
///
/// # Errors
/// If an id is repeated, or the disk is full.
pub fn find_repeats(kind: &Kind, size: &Size, folder: &Path) -> Result<u64> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let each = (size.ids.min(kind.most) / size.processes / size.threads).max(1);
    // Buffers and counters that the children inherit.
    (kind.make)(&mut [0; 100]);
    let mut children = Vec::new();
    for process in 1..size.processes {
        // SAFETY: this process has one thread; the child generates ids, writes files and exits.
        match unsafe { libc::fork() } {
            0 => {
                let done = make(kind, process, size.threads, each, folder);
                // SAFETY: ends the child without the parent's cleanup.
                unsafe { libc::_exit(i32::from(done.is_err())) };
            }
            pid => {
                ensure!(pid > 0, "fork: {}", std::io::Error::last_os_error());
                children.push(pid);
            }
        }
    }
    let made = make(kind, 0, size.threads, each, folder);
    for pid in children {
        let mut status = 0;
        // SAFETY: waits for a child of this process; `status` outlives the call.
        ensure!(unsafe { libc::waitpid(pid, &mut status, 0) } == pid && status == 0, "a child failed");
    }
    made?;
    (0..PIECES).map(|piece| sorted(piece, size, folder)).sum()
}

fn make(kind: &Kind, process: u64, threads: u64, each: u64, folder: &Path) -> Result<()> {
    std::thread::scope(|scope| {
        let work = |thread| move || make_in_thread(kind, process, thread, each, folder);
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(_) => bail!("a thread panicked"),
        })
    })
}

fn make_in_thread(kind: &Kind, process: u64, thread: u64, each: u64, folder: &Path) -> Result<()> {
    let mut pieces = (0..PIECES)
        .map(|piece| Ok(BufWriter::new(File::create(place(folder, piece, process, thread))?)))
        .collect::<Result<Vec<_>>>()?;
    let mut left = each;
    while left > 0 {
        let mut ids = vec![0; left.min(AT_ONCE) as usize];
        (kind.make)(&mut ids);
        for id in &ids {
            let bytes = id.to_ne_bytes();
            let piece = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
            pieces[usize::from(piece)].write_all(&bytes)?;
        }
        left -= ids.len() as u64;
    }
    pieces.into_iter().try_for_each(|mut piece| piece.flush()).context("cannot write the ids")
}

fn sorted(piece: usize, size: &Size, folder: &Path) -> Result<u64> {
    let mut ids: Vec<u128> = Vec::new();
    for process in 0..size.processes {
        for thread in 0..size.threads {
            let path = place(folder, piece, process, thread);
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            ids.extend(bytes.as_chunks().0.iter().map(|id| u128::from_ne_bytes(*id)));
            fs::remove_file(&path)?;
        }
    }
    ids.sort_unstable();
    match ids.array_windows().find(|[a, b]| a == b) {
        Some([id, _]) => bail!("{id:032x} was generated twice"),
        None => Ok(ids.len() as u64),
    }
}

fn place(folder: &Path, piece: usize, process: u64, thread: u64) -> PathBuf {
    folder.join(format!("{piece}.{process}.{thread}"))
}
