//! A session that reads the list of transactions all the time, so that the server never makes it anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

pub struct Monitor {
    stops: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Monitor {
    /// Returns after the first read.
    pub fn start(url: &str) -> Monitor {
        let (url, stops, (sender, receiver)) =
            (url.to_owned(), Arc::new(AtomicBool::new(false)), mpsc::channel());
        let asked = Arc::clone(&stops);
        let thread = std::thread::spawn(move || {
            crate::runtime().block_on(async {
                let mut own = MySqlConnection::connect(&url).await.unwrap();
                while !asked.load(Ordering::Relaxed) {
                    let sql = "SELECT COUNT(*) FROM information_schema.INNODB_TRX";
                    sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut own).await.unwrap();
                    let _ = sender.send(());
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            });
        });
        receiver.recv().unwrap();
        Monitor { stops, thread }
    }

    pub fn stop(self) {
        self.stops.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}
