//! Requests to the program under test.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::process::TOKEN;

/// A request with a connection of its own; its headers end with an empty line.
pub fn request(url: &str, headers: &str, body: &[u8]) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap())?;
    let head = format!(
        "POST /sync HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    Ok(stream)
}

pub fn authorized() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// The status and the body of an answer.
pub fn answer(url: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let mut all = Vec::new();
    // The server may close the connection before it has read a body that it refuses.
    let _ = request(url, headers, body).unwrap().read_to_end(&mut all);
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), all[end + 4..].to_vec())
}
