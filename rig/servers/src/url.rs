//! Connection URLs: making them, changing their schema, and showing them without their password.

use idgen_database::Database;

/// The URL of a server on this machine. No TLS: it never leaves the loopback interface.
pub(crate) fn local(database: Database, password: &str, port: u16) -> String {
    if database.speaks_mysql() {
        format!("mysql://root:{password}@127.0.0.1:{port}/mysql?ssl-mode=DISABLED")
    } else {
        format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres?sslmode=disable")
    }
}

/// The URL of a server on this machine with TLS, and with the file of the authority that signed the server's
/// certificate.
pub(crate) fn local_encrypted(password: &str, port: u16, authority: &str) -> String {
    format!("mysql://root:{password}@127.0.0.1:{port}/mysql?ssl-mode=VERIFY_IDENTITY&ssl-ca={authority}")
}

/// The URL of a server on a private network of this machine.
pub(crate) fn remote(password: &str, host: &str) -> String {
    format!("mysql://root:{password}@{host}:3306/mysql?ssl-mode=DISABLED")
}

/// Returns the URL of another schema on the same server.
pub(crate) fn with_schema(url: &str, schema: &str) -> String {
    let (address, query) = match url.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (url, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find('/').map_or(address.len(), |slash| authority + slash);
    format!("{}/{schema}{query}", &address[..end])
}

/// The address of a URL's server, and the URL of the same user and schema at another address, without TLS; `None` if the
/// URL has no user and host.
pub(crate) fn through(url: &str, address: &str) -> Option<(String, String)> {
    let plain = url.split_once('?').map_or(url, |(plain, _)| plain);
    let (user, rest) = plain.rsplit_once('@')?;
    let (server, schema) = rest.split_once('/').unwrap_or((rest, ""));
    let has_port = server.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let server = if has_port { server.to_owned() } else { format!("{server}:3306") };
    Some((server, format!("{user}@{address}/{schema}?ssl-mode=DISABLED")))
}

/// The schema of a URL; empty where it names none.
pub(crate) fn schema(url: &str) -> &str {
    let plain = url.split_once('?').map_or(url, |(plain, _)| plain);
    plain.rsplit_once('@').and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, schema)| schema)
}

/// The text before a password in the query.
const QUERY_KEY: &str = "password=";

/// A connection URL for messages and logs: passwords, also those in the query, are replaced by `***`.
///
/// ```
/// assert_eq!(idgen_server::redacted("mysql://app:secret@db/shop"), "mysql://app:***@db/shop");
/// ```
pub fn redacted(url: &str) -> String {
    let authority = url.find("://").map_or(0, |at| at + 3);
    // A password may contain an '@', '/' or '?' that was not encoded, so the last '@' ends it.
    let (user, rest) = match url[authority..].rsplit_once('@') {
        Some((user, rest)) => {
            // Or it is the '@' of a password in the query, whose end is unknown.
            if let Some(at) = user.to_ascii_lowercase().find(QUERY_KEY) {
                return redacted(&url[..authority + at]) + QUERY_KEY + "***";
            }
            let user = user.split_once(':').map_or(user.to_owned(), |(name, _)| format!("{name}:***"));
            (format!("{}{user}@", &url[..authority]), rest)
        }
        None => return redacted_without_host(url, authority),
    };
    user + &without_passwords(rest)
}

/// If the host is missing, the password may be where the port should be.
fn redacted_without_host(url: &str, authority: usize) -> String {
    let end = url[authority..].find(['/', '?']).map_or(url.len(), |at| authority + at);
    let host = &url[authority..end];
    // The colons of an IPv6 address are in brackets.
    let from = host.rfind(']').unwrap_or(0);
    match host[from..].split_once(':') {
        Some((name, port)) if port.parse::<u16>().is_err() => {
            format!("{}{}{name}:***", &url[..authority], &host[..from])
        }
        _ => url[..authority].to_owned() + &without_passwords(&url[authority..]),
    }
}

/// Hides the passwords in the query that follows an address.
fn without_passwords(rest: &str) -> String {
    let Some((address, query)) = rest.split_once('?') else { return rest.to_owned() };
    let query: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((key, _)) if key.to_ascii_lowercase().contains("password") => format!("{key}=***"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{address}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        for url in [
            "mysql://root:s3cret@db:3306/test",
            "mysql://root:s3cret@s3cret@db/test",
            "mysql://root:s3cret@db?x=1&password=s3cret",
            "mysql://root:s3cret/s3cret@db/test",
            "mysql://root:s3cret?s3cret@db/test",
            "mysql://root:s3cret?s3cret@s3cret@db/test?password=s3cret",
            "root:s3cret@db",
        ] {
            assert!(!redacted(url).contains("s3cret"), "{}", redacted(url));
            assert!(redacted(url).contains("root:***@"), "{}", redacted(url));
        }
        for url in ["mysql://root:s3cret", "mysql://root:s3cret/test?x=1", "mysql://root:12345678"] {
            assert_eq!(redacted(url), "mysql://root:***");
        }
        for url in ["mysql://db:3306/test", "mysql://[::1]:3306/test?x=1", "mysql://[::1]"] {
            assert_eq!(redacted(url), url);
        }
        assert_eq!(redacted("mysql://db?password=s3cret"), "mysql://db?password=***");
        for url in ["mysql://db/test?password=s3@cret", "mysql://db/test?password=s3@cret&x=1@2"] {
            assert_eq!(redacted(url), "mysql://db/test?password=***");
        }
        assert_eq!(redacted("mysql://db:3306/?Password=s3@cret"), "mysql://db:3306/?password=***");
        assert_eq!(redacted("mysql://root:s3@cret@db?password=s3@cret"), "mysql://root:***@db?password=***");
        assert_eq!(redacted("mysql://root@db/test"), "mysql://root@db/test");
        assert_eq!(redacted("mysql://db"), "mysql://db");
    }

    #[test]
    fn a_url_can_lead_through_another_address() {
        let through = |url| through(url, "127.0.0.1:9").map(|(server, url)| format!("{server} {url}"));
        let expected = |server: &str| Some(format!("{server} mysql://u:p@127.0.0.1:9/a?ssl-mode=DISABLED"));
        assert_eq!(through("mysql://u:p@h:3/a?ssl-mode=REQUIRED&ssl-ca=/x@y"), expected("h:3"));
        assert_eq!(through("mysql://u:p@h/a"), expected("h:3306"));
        assert_eq!(through("mysql://h/a"), None);
        assert_eq!(["mysql://u:p@h:3/a?ssl-ca=/x", "mysql://u@h", "mysql://h/a"].map(schema), ["a", "", ""]);
    }

    #[test]
    fn a_url_can_point_at_another_schema() {
        assert_eq!(with_schema("mysql://u:p@h:3/a?x=1", "b"), "mysql://u:p@h:3/b?x=1");
        assert_eq!(with_schema("mysql://h", "b"), "mysql://h/b");
        assert_eq!(with_schema("mysql://h/", "b"), "mysql://h/b");
    }
}
