//! Address of the page.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use super::token::Token;

/// Returns the URL of the page, as other machines reach it if the server listens on all addresses.
pub(super) fn url(address: SocketAddr, token: Option<&Token>) -> String {
    // The unspecified address is not valid in a browser
    let ip = Some(address.ip()).filter(|ip| !ip.is_unspecified()).or_else(|| network_address(address.ip()));
    let port = address.port();
    let host = ip.map_or(format!("localhost:{port}"), |ip| SocketAddr::new(ip, port).to_string());
    let query = token.map_or(String::new(), |token| format!("?token={}", token.as_str()));
    format!("http://{host}/{query}")
}

/// Returns the address of this machine in its network, if it has one: that from which a packet to another network would
/// be sent. None is sent.
fn network_address(unspecified: IpAddr) -> Option<IpAddr> {
    // Addresses reserved for documentation, RFC 5737 and RFC 3849
    let elsewhere = if unspecified.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" };
    let socket = UdpSocket::bind((unspecified, 0)).ok()?;
    socket.connect(elsewhere).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}
