//! Access control.

use crate::common::{authority, get, http, viewer};

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

#[test]
fn other_sites_are_refused() {
    let viewer = viewer("cornell", None);
    let authority = authority(&viewer);
    let socket = |host: &str, origin: &str| {
        let request = format!("GET /socket HTTP/1.1\r\nHost: {host}\r\n{origin}{UPGRADE}\r\n");
        // The connection stays open after the handshake, so only the first line is read
        first_line(&authority, &request)
    };
    assert!(socket(&authority, "").contains("101"), "programs other than browsers send no origin");
    assert!(socket(&authority, &format!("Origin: http://{authority}\r\n")).contains("101"));
    assert!(socket(&authority, "Origin: http://evil.example\r\n").contains("403"));
    assert!(socket(&authority, "Origin: null\r\n").contains("403"));
    assert!(socket("evil.example", "").contains("403"), "DNS rebinding");
    let rebound = "Origin: http://evil.example\r\n";
    assert!(socket("evil.example", rebound).contains("403"));
    let post = format!(
        "POST /open?client=1 HTTP/1.1\r\nHost: {authority}\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    assert!(http(&authority, post.as_bytes()).contains("403"));
}

fn first_line(authority: &str, request: &str) -> String {
    use std::io::{BufRead, BufReader, Write};
    let mut stream = std::net::TcpStream::connect(authority).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line
}

#[test]
fn a_token_is_required_and_becomes_a_cookie() {
    let viewer = viewer("cornell", Some("correct-horse"));
    assert!(viewer.url().ends_with("/?token=correct-horse"));
    let authority = authority(&viewer);
    for path in ["/", "/main.js", "/picture.png", "/?token=wrong-horse!", "/?token="] {
        assert!(get(&authority, path, "").contains("403 Forbidden"), "{path}");
    }
    let welcome = get(&authority, "/?token=correct-horse", "");
    assert!(
        welcome.contains("303")
            && welcome.contains("sunfleck-token=correct-horse; HttpOnly; SameSite=Strict"),
        "{welcome}"
    );
    let page = get(&authority, "/", "Cookie: other=1; sunfleck-token=correct-horse\r\n");
    assert!(page.contains("200 OK") && page.contains("<title>Sunfleck</title>"), "{page}");
}

#[test]
fn files_of_the_host_are_not_served() {
    let viewer = viewer("cornell", None);
    let authority = authority(&viewer);
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/page/index.html",
        "/main.js/",
    ] {
        assert!(get(&authority, path, "").contains("404 Not Found"), "{path}");
    }
    let page = get(&authority, "/", "");
    for header in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "frame-ancestors 'none'",
    ] {
        assert!(page.contains(header), "{header}");
    }
}
