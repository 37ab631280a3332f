//! Who may ask at all. A page of any site can make a browser talk to this machine; its requests say where they come from.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::Shared;

const COOKIE: &str = "sunfleck-token";

/// What a browser may do with the answers: nothing that this page does not do.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses requests of other sites, and of those who do not know the token.
pub(super) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match verdict(&shared, &request) {
        Verdict::Welcome => next.run(request).await,
        Verdict::Cookie(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response(),
        Verdict::Refused(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

enum Verdict {
    Welcome,
    /// The token is right, and is not to stay in the address bar.
    Cookie(String),
    Refused(&'static str),
}

fn verdict(shared: &Shared, request: &Request) -> Verdict {
    let headers = request.headers();
    let Some(host) = text(headers, &header::HOST) else { return Verdict::Refused("no Host header") };
    // A name that an attacker's server resolves to this machine is not one of ours
    if shared.loopback && !is_this_machine(host) {
        return Verdict::Refused("this viewer is for this machine: open it as localhost");
    }
    if headers.contains_key(header::ORIGIN) && !text(headers, &header::ORIGIN).is_some_and(|o| is_of(o, host))
    {
        return Verdict::Refused("pages of other sites may not use this viewer");
    }
    let Some(token) = &shared.token else { return Verdict::Welcome };
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    if cookies.any(|(name, value)| name == COOKIE && token.is(value)) {
        return Verdict::Welcome;
    }
    let given = request.uri().query().into_iter().flat_map(|query| query.split('&'));
    match given.filter_map(|pair| pair.strip_prefix("token=")).any(|guess| token.is(guess)) {
        true if request.uri().path() == "/" => {
            Verdict::Cookie(format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", token.as_str()))
        }
        true => Verdict::Welcome,
        false => {
            Verdict::Refused("the token is missing or wrong: open the address that `sunfleck view` printed")
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// `localhost`, or a loopback address; with any port, since ports are forwarded.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn is_of(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_this_machine() {
        for host in ["localhost", "localhost:80", "127.0.0.1:7700", "[::1]:7700", "LOCALHOST:1", "127.8.9.1"]
        {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "10.0.0.1",
            "",
            "[",
            "0.0.0.0",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn an_origin_has_the_same_host_and_port() {
        assert!(is_of("http://localhost:7700", "localhost:7700"));
        for origin in ["http://localhost:7701", "http://evil.example", "null", "file://localhost:7700", ""] {
            assert!(!is_of(origin, "localhost:7700"), "{origin}");
        }
    }
}
