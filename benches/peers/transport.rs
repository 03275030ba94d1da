//! One exact `W1` between two `.npy` files, for `benches/peers/transport.py` to time as a process of its own.

use std::path::Path;

use ebflow::files::npy::read_cloud;
use ebflow::metric::transport::wasserstein;

type Failure = Box<dyn std::error::Error>;

/// Peak memory of this process in MB, where the system tells it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() -> Result<(), Failure> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [first, second] = paths.as_slice() else {
        return Err("usage: peer_transport FIRST.npy SECOND.npy".into());
    };
    let transport = wasserstein(&read_cloud(Path::new(first))?, &read_cloud(Path::new(second))?)?;
    let memory = peak_memory().unwrap_or(f64::NAN);
    println!("{:e} {:e} {:e} {memory}", transport.distance, transport.lower, transport.upper);
    Ok(())
}
