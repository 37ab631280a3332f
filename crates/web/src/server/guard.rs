//! Access control. Pages of any site can make a browser send requests to this machine, so requests are checked for
//! host, origin and token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::Shared;

const COOKIE: &str = "sunfleck-token";

/// Headers that restrict what browsers may do with responses to what the page needs.
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

/// Middleware that refuses requests of other sites and requests without the token.
pub(super) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match decide(&shared, &request) {
        AccessDecision::Allowed => next.run(request).await,
        AccessDecision::SetCookie(cookie) => {
            ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response()
        }
        AccessDecision::Denied(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Result of the check of a request.
enum AccessDecision {
    Allowed,
    /// The token in the URL is right: it is stored in a cookie and removed from the address bar.
    SetCookie(String),
    Denied(&'static str),
}

/// Decides whether a request is allowed.
fn decide(shared: &Shared, request: &Request) -> AccessDecision {
    let headers = request.headers();
    let Some(host) = text(headers, &header::HOST) else { return AccessDecision::Denied("no Host header") };
    // DNS rebinding: a foreign name that resolves to this machine is refused
    if shared.loopback && !is_this_machine(host) {
        return AccessDecision::Denied(
            "this viewer accepts connections from this machine only: open it as localhost",
        );
    }
    if headers.contains_key(header::ORIGIN)
        && !text(headers, &header::ORIGIN).is_some_and(|o| has_host(o, host))
    {
        return AccessDecision::Denied("pages of other sites may not use this viewer");
    }
    let Some(token) = &shared.token else { return AccessDecision::Allowed };
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    if cookies.any(|(name, value)| name == COOKIE && token.matches(value)) {
        return AccessDecision::Allowed;
    }
    let given = request.uri().query().into_iter().flat_map(|query| query.split('&'));
    match given.filter_map(|pair| pair.strip_prefix("token=")).any(|guess| token.matches(guess)) {
        true if request.uri().path() == "/" => AccessDecision::SetCookie(format!(
            "{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/",
            token.as_str()
        )),
        true => AccessDecision::Allowed,
        false => AccessDecision::Denied(
            "the token is missing or wrong: open the address that `sunfleck view` printed",
        ),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns whether a host is `localhost` or a loopback address, with any port, since ports may be forwarded.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns whether an origin has the given host and port.
fn has_host(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_hosts_are_this_machine() {
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
        assert!(has_host("http://localhost:7700", "localhost:7700"));
        for origin in ["http://localhost:7701", "http://evil.example", "null", "file://localhost:7700", ""] {
            assert!(!has_host(origin, "localhost:7700"), "{origin}");
        }
    }
}
